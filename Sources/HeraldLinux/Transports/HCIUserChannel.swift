import CBluetooth
import Glibc
import HeraldHAL

/// The Linux HCI user channel: exclusive access to an adapter of this machine, without BlueZ.
///
/// The adapter must be down, which requires that `bluetoothd` has not powered it, and the process needs
/// CAP_NET_ADMIN. The socket preserves packet boundaries: each packet is read completely, and passed on as
/// bytes of a stream.
package struct HCIUserChannel: PollableTransport, ~Copyable {
  /// The maximum size of a packet. Longer ACL packets are possible by their two-byte length, but no
  /// controller has buffers of that size; the kernel truncates a longer packet, which then fails H4's
  /// framing.
  private static let capacity = 4096
  private static let retryAfter = Interval.milliseconds(250)

  /// The index of the adapter: N of hciN.
  package let adapter: UInt16
  private let clock = SystemClock()
  private var file: FileDescriptor
  private var nextAttempt = Instant.start
  private let packet = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  private var packetStart = 0
  private var packetCount = 0

  /// Opens the adapter. The error contains the reason and advice.
  package init(adapter: UInt16) throws(SystemFailure) {
    let channel = try Self.open(adapter)
    self.adapter = adapter
    file = channel
  }

  deinit { packet.deallocate() }

  private static func open(_ adapter: UInt16) throws(SystemFailure) -> FileDescriptor {
    let name = "hci\(adapter)"
    let type = Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let file = FileDescriptor(socket(AF_BLUETOOTH, type, BTPROTO_HCI))
    guard file.isOpen else { throw failure("open a Bluetooth socket for", name, code: errno) }
    var address = sockaddr_hci(
      hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: adapter, hci_channel: UInt16(HCI_CHANNEL_USER))
    let number = file.number
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
      }
    }
    guard outcome == 0 else { throw failure("take", name, code: errno) }
    return file
  }

  /// The failure for a system error number, with advice.
  static func failure(_ action: String, _ name: String, code: Int32) -> SystemFailure {
    switch code {
    case EAFNOSUPPORT, EPROTONOSUPPORT:
      SystemFailure(
        action, name, reason: "this kernel has no Bluetooth", code: code,
        advice: "load the module `bluetooth`, or reach the controller over h4:, tcp: or unix:")
    case ENODEV:
      SystemFailure(
        action, name, code: code, advice: "`ls /sys/class/bluetooth` shows the adapters there are")
    case EBUSY:
      SystemFailure(
        // EBUSY has two causes, which the kernel does not distinguish.
        action, name, reason: "the adapter is up, or another program has it", code: code,
        advice:
          "take it down first: `btmgmt --index \(name.dropFirst(3)) power off`, or stop bluetoothd; if it is not listed there, end that program"
      )
    case EPERM, EACCES:
      SystemFailure(
        action, name, code: code,
        advice: "the program needs CAP_NET_ADMIN: run it as root, or `setcap cap_net_admin,cap_net_raw+ep` it"
      )
    default:
      SystemFailure(action, name, code: code)
    }
  }

  /// The descriptor for `poll(2)`; -1 while the adapter is removed.
  package var descriptor: Int32 { file.number }
  /// Always `false`: the socket accepts packets completely, so that none are buffered.
  package var wantsToWrite: Bool { false }

  /// Reads available bytes. Returns their number; 0 if there are none; -1 while the adapter is removed.
  package mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    guard isUp() else { return -1 }
    if packetCount == 0 {
      var room = MutableSpan(_unsafeStart: packet, count: Self.capacity)
      let count = file.read(into: &room)
      guard count >= 0 else { return lose() }
      packetStart = 0
      packetCount = count
    }
    let count = min(buffer.count, packetCount)
    for index in 0..<count { buffer[index] = packet[packetStart + index] }
    packetStart += count
    packetCount -= count
    return count
  }

  /// Writes the complete packet; `false` if the socket is full or the adapter is removed.
  package mutating func write(_ packet: Span<UInt8>) -> Bool {
    guard isUp() else { return false }
    let count = file.write(packet)
    if count < 0 { _ = lose() }
    return count > 0
  }

  private mutating func lose() -> Int {
    file = .none
    packetCount = 0
    nextAttempt = clock.now + Self.retryAfter
    return -1
  }

  private mutating func isUp() -> Bool {
    if file.isOpen { return true }
    guard clock.now >= nextAttempt else { return false }
    nextAttempt = clock.now + Self.retryAfter
    do throws(SystemFailure) {
      file = try Self.open(adapter)
      return true
    } catch {
      return false
    }
  }
}
