import Glibc
import HeraldHAL

/// H4 packets over a byte stream: a serial line, a Unix socket or a TCP connection.
///
/// No call blocks. The rest of a packet that is accepted in part is buffered and sent later, so that the
/// caller sees it accepted completely or not at all. A broken line reads as -1 until it is connected again;
/// `read` tries to reconnect. Buffered bytes are discarded with the line: the controller on a new line has
/// been reset.
package struct H4Stream: PollableTransport, ~Copyable {
  /// The capacity for bytes to be written: several packets. The maximum size of a packet is 1 + 4 + 65,535
  /// bytes by the specification and 260 in this project.
  private static let capacity = 4096

  /// The address of the controller.
  package let address: RadioAddress
  private let socketAddress: StreamSocket.Address?
  private let retryAfter: Interval
  private let clock = SystemClock()
  private var file: FileDescriptor
  private var isConnecting = false
  private var nextAttempt = Instant.start
  private let pending = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  private var pendingStart = 0
  private var pendingCount = 0
  /// The number of successful reconnections.
  package private(set) var reconnections: UInt32 = 0

  /// Opens the line; for a socket it waits up to two seconds. A failure is thrown, so that an invalid address
  /// is reported at once. A line that breaks later is reconnected every `retryAfter`.
  package init(_ address: RadioAddress, retryAfter: Interval = .milliseconds(250)) throws(SystemFailure) {
    let target = try Self.resolve(address)
    let line = try Self.open(address, target)
    self.address = address
    socketAddress = target
    file = line
    self.retryAfter = retryAfter
  }

  private static func resolve(_ address: RadioAddress) throws(SystemFailure) -> StreamSocket.Address? {
    switch address {
    case .tcp(let host, let port): try StreamSocket.resolve(host: host, port: port)
    case .unix(let path): StreamSocket.unix(path)
    case .serial, .userChannel, .air: nil
    }
  }

  private static func open(_ address: RadioAddress, _ target: StreamSocket.Address?) throws(SystemFailure)
    -> FileDescriptor
  {
    if let target { return try connectAndWait(to: target, called: address) }
    guard case .serial(let path, let baud, let flowControl) = address else {
      throw SystemFailure("use", address.description, reason: "a user channel is not a byte stream")
    }
    return try SerialLine.open(path, baud: baud, flowControl: flowControl)
  }

  /// Uses an open descriptor, such as one end of a socket pair. It cannot be reconnected.
  package init(adopting file: consuming FileDescriptor) {
    address = .unix(path: "")
    socketAddress = nil
    file.makeNonBlocking()
    self.file = file
    retryAfter = .seconds(1)
  }

  deinit { pending.deallocate() }

  private static func connectAndWait(to target: StreamSocket.Address, called name: RadioAddress)
    throws(SystemFailure) -> FileDescriptor
  {
    let advice = "is the controller, or the program that plays it, running?"
    switch StreamSocket.startConnecting(to: target) {
    case .failure(let outcome):
      throw SystemFailure("connect to", name.description, code: outcome.code, advice: advice)
    case .success(let number):
      let file = FileDescriptor(number)
      var state = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
      guard poll(&state, 1, 2000) > 0 else {
        throw SystemFailure("connect to", name.description, code: ETIMEDOUT, advice: advice)
      }
      let outcome = StreamSocket.connectOutcome(number)
      guard outcome == 0 else {
        throw SystemFailure("connect to", name.description, code: outcome, advice: advice)
      }
      return file
    }
  }

  /// The descriptor for `poll(2)`; -1 while the line is disconnected.
  package var descriptor: Int32 { file.number }
  /// Whether to wait for the descriptor to become writable, too.
  package var wantsToWrite: Bool { isConnecting || pendingCount > 0 }

  /// Reads available bytes. Returns their number; 0 if there are none; -1 while the line is disconnected.
  package mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    guard isUp() else { return -1 }
    guard flush() else { return lose() }
    let count = file.read(into: &buffer)
    return count < 0 ? lose() : count
  }

  /// Writes or buffers the complete packet; `false` if there is no room or no line.
  package mutating func write(_ packet: Span<UInt8>) -> Bool {
    guard isUp(), flush(), pendingCount + packet.count <= Self.capacity else { return false }
    var taken = 0
    if pendingCount == 0 {
      taken = file.write(packet)
      guard taken >= 0 else {
        _ = lose()
        return false
      }
    }
    keep(packet.extracting(taken..<packet.count))
    return true
  }

  private mutating func keep(_ bytes: Span<UInt8>) {
    if pendingStart + pendingCount + bytes.count > Self.capacity {
      memmove(pending, pending + pendingStart, pendingCount)
      pendingStart = 0
    }
    for index in 0..<bytes.count { pending[pendingStart + pendingCount + index] = bytes[index] }
    pendingCount += bytes.count
  }

  /// Writes buffered bytes as far as possible; `false` if the line is broken.
  private mutating func flush() -> Bool {
    guard pendingCount > 0 else { return true }
    let waiting = UnsafeBufferPointer(start: UnsafePointer(pending + pendingStart), count: pendingCount)
    let taken = file.write(waiting.span)
    guard taken >= 0 else { return false }
    pendingStart = taken == pendingCount ? 0 : pendingStart + taken
    pendingCount -= taken
    return true
  }

  private mutating func lose() -> Int {
    file = .none
    isConnecting = false
    pendingStart = 0
    pendingCount = 0
    nextAttempt = clock.now + retryAfter
    return -1
  }

  /// Whether the line is connected. Reconnects if the time for it has come.
  private mutating func isUp() -> Bool {
    if file.isOpen && !isConnecting { return true }
    if isConnecting {
      switch StreamSocket.connectOutcome(file.number) {
      case EINPROGRESS: return false
      case 0:
        isConnecting = false
        reconnections &+= 1
        return true
      default:
        _ = lose()
        return false
      }
    }
    guard clock.now >= nextAttempt else { return false }
    nextAttempt = clock.now + retryAfter
    if case .serial(let path, let baud, let flowControl) = address {
      do throws(SystemFailure) {
        file = try SerialLine.open(path, baud: baud, flowControl: flowControl)
      } catch {
        return false
      }
      reconnections &+= 1
      return true
    }
    guard let socketAddress, case .success(let number) = StreamSocket.startConnecting(to: socketAddress)
    else {
      return false
    }
    file = FileDescriptor(number)
    isConnecting = true
    return isUp()
  }
}
