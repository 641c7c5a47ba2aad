import HeraldBluetooth
import HeraldHAL

/// An HCI controller in memory, behind a `ControllerTransport`.
///
/// It completes every command with success immediately, establishes a connection for every attempt, and
/// reports every received ACL packet as completed, after passing it to a simulated peer. It does not allocate
/// and has no clock, so that allocation counts and benchmarks measure only the host. It does not check that
/// the host conforms to the specification, which is tested with independent controllers.
public struct SimulatedController: ControllerTransport, ~Copyable {
  /// The number of commands received.
  public private(set) var commands = 0
  /// The number of ACL data packets received.
  public private(set) var packets = 0
  /// The number of connections opened.
  public private(set) var connectionsOpened = 0

  /// If set, only peers whose address has these upper 16 bits respond to connection attempts, each with a
  /// fixed payload whose client identifier is the lower half of its address. If `nil`, all peers respond,
  /// with a payload of 129 bytes.
  public var answeringHigh: UInt16?
  /// Whether a connection attempt to a peer that does not respond is pending.
  private var isWaiting = false

  private static var queueSize: Int { 8192 }
  private var queue: [8192 of UInt8] = .init(repeating: 0)
  private var queued = 0
  private var taken = 0
  private var peer = SimulatedPeer()
  /// The handle of the last connection opened.
  private var handle: UInt16 = 0x003F

  /// Creates a controller in the state after power-on.
  public init() {}

  /// Whether the host has read all queued bytes.
  public var isIdle: Bool { taken == queued }

  // MARK: The host's side

  /// Moves as many queued bytes into `buffer` as fit.
  public mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    let count = min(buffer.count, queued - taken)
    for index in 0..<count { buffer[index] = queue[taken + index] }
    taken += count
    if taken == queued {
      taken = 0
      queued = 0
    }
    return count
  }

  /// Processes one packet of the host and queues the resulting events.
  public mutating func write(_ packet: Span<UInt8>) -> Bool {
    guard packet.count >= 4 else { return true }
    switch packet[0] {
    case 0x01: command(packet)
    case 0x02: data(packet)
    default: break
    }
    return true
  }

  // MARK: The air's side

  /// Reports one legacy connectable advertisement of at most 31 bytes to the host.
  public mutating func hear(_ data: Span<UInt8>, from address: DeviceAddress, rssi: Int8) {
    var event: [64 of UInt8] = .init(repeating: 0)
    var writer = ByteWriter(event.mutableSpan)
    writer.u8(0x04)
    writer.u8(0x3E)
    writer.u8(UInt8(12 + data.count))
    writer.u8(0x02)  // LE Advertising Report
    writer.u8(1)
    writer.u8(0x00)  // ADV_IND
    writer.u8(address.kind.rawValue)
    writer.deviceAddress(address)
    writer.u8(UInt8(data.count))
    writer.bytes(data)
    writer.i8(rssi)
    let count = writer.count
    enqueue(event.span.extracting(first: count))
  }

  /// Opens a connection from `address` to the host, which should be advertising.
  public mutating func open(from address: DeviceAddress) { opened(role: 1, address) }

  /// Closes the last connection opened, as if by the peer.
  public mutating func close() { close(handle) }

  private mutating func close(_ handle: UInt16) {
    let low = UInt8(truncatingIfNeeded: handle)
    let high = UInt8(truncatingIfNeeded: handle >> 8)
    // Disconnection Complete: Remote User Terminated Connection.
    let event: [7 of UInt8] = [0x04, 0x05, 4, 0x00, low, high, 0x13]
    enqueue(event.span)
  }

  /// Sends one ATT PDU of at most 23 bytes from the peer to the host, on the connection that was opened last.
  public mutating func send(_ pdu: Span<UInt8>) { send(pdu, on: handle) }

  private mutating func send(_ pdu: Span<UInt8>, on handle: UInt16) {
    var packet: [32 of UInt8] = .init(repeating: 0)
    var writer = ByteWriter(packet.mutableSpan)
    writer.u8(0x02)
    writer.u16(handle | 0x2000)  // first automatically flushable fragment
    writer.u16(UInt16(pdu.count + 4))
    writer.u16(UInt16(pdu.count))
    writer.u16(0x0004)
    writer.bytes(pdu)
    let count = writer.count
    enqueue(packet.span.extracting(first: count))
  }

  /// Sends arbitrary bytes to the host, as a faulty controller might.
  public mutating func inject(_ bytes: Span<UInt8>) { enqueue(bytes) }

  // MARK: Inside

  private mutating func enqueue(_ bytes: Span<UInt8>) {
    guard bytes.count <= Self.queueSize - queued else { return }
    for index in 0..<bytes.count { queue[queued + index] = bytes[index] }
    queued += bytes.count
  }

  private mutating func opened(role: UInt8, _ address: DeviceAddress) {
    connectionsOpened += 1
    handle = handle == 0x0EFF ? 0x0040 : handle + 1
    var event: [22 of UInt8] = .init(repeating: 0)
    var writer = ByteWriter(event.mutableSpan)
    writer.u8(0x04)
    writer.u8(0x3E)
    writer.u8(19)
    writer.u8(0x01)  // LE Connection Complete
    writer.u8(0x00)
    writer.u16(handle)
    writer.u8(role)
    writer.u8(address.kind.rawValue)
    writer.deviceAddress(address)
    writer.u16(24)
    writer.u16(0)
    writer.u16(400)
    writer.u8(0)
    enqueue(event.span)
  }

  private mutating func command(_ packet: Span<UInt8>) {
    commands += 1
    let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
    switch opcode {
    case 0x200D where packet.count >= 16:  // LE Create Connection: all peers respond by default
      status(opcode)
      let kind: DeviceAddress.Kind = packet[9] & 1 == 0 ? .public : .random
      guard let address = DeviceAddress(onAir: packet.extracting(10..<16), kind: kind) else { return }
      if let answeringHigh {
        isWaiting = address.high != answeringHigh
        peer = SimulatedPeer(fixedPayload: UInt64(address.low))
      } else {
        peer = SimulatedPeer()
      }
      if !isWaiting { opened(role: 0, address) }
    case 0x200E:  // LE Create Connection Cancel
      complete(opcode)
      guard isWaiting else { return }
      isWaiting = false
      // LE Connection Complete: Unknown Connection Identifier
      var event: [22 of UInt8] = .init(repeating: 0)
      event[0] = 0x04
      event[1] = 0x3E
      event[2] = 19
      event[3] = 0x01
      event[4] = 0x02
      enqueue(event.span)
    case 0x0406 where packet.count >= 6:  // Disconnect
      status(opcode)
      close(UInt16(packet[4]) | UInt16(packet[5]) << 8)
    default:
      complete(opcode)
    }
  }

  private mutating func status(_ opcode: UInt16) {
    let event: [7 of UInt8] = [
      0x04, 0x0F, 4, 0x00, 1, UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8),
    ]
    enqueue(event.span)
  }

  /// Queues a Command Complete with success and the return parameters that the host evaluates at start-up.
  private mutating func complete(_ opcode: UInt16) {
    var event: [71 of UInt8] = .init(repeating: 0)
    var parameters = 1  // status
    switch opcode {
    case 0x1001:  // Read Local Version Information
      parameters = 9
    case 0x1002:  // Read Local Supported Commands: all but the extended advertising ones
      parameters = 65
      for index in 0..<36 { event[7 + index] = 0xFF }
    case 0x1003:  // Read Local Supported Features: LE
      parameters = 9
      event[7 + 4] = 0x40
    case 0x1009:  // Read BD_ADDR
      parameters = 7
      for index in 0..<6 { event[7 + index] = UInt8(index + 1) }
    case 0x2002:  // LE Read Buffer Size: 251 bytes, 8 packets
      parameters = 4
      event[7] = 251
      event[9] = 8
    case 0x2003:  // LE Read Local Supported Features
      parameters = 9
    case 0x201C:  // LE Read Supported States: all of them
      parameters = 9
      for index in 0..<6 { event[7 + index] = 0xFF }
    case 0x202F:  // LE Read Maximum Data Length
      parameters = 9
      event[7] = 251
      event[11] = 251
    default: break
    }
    event[0] = 0x04
    event[1] = 0x0E
    event[2] = UInt8(truncatingIfNeeded: 3 + parameters)
    event[3] = 1
    event[4] = UInt8(truncatingIfNeeded: opcode)
    event[5] = UInt8(truncatingIfNeeded: opcode >> 8)
    enqueue(event.span.extracting(first: 6 + parameters))
  }

  private mutating func data(_ packet: Span<UInt8>) {
    packets += 1
    let low = packet[1]
    let high = packet[2] & 0x0F
    let event: [8 of UInt8] = [0x04, 0x13, 5, 1, low, high, 1, 0]  // Number Of Completed Packets
    enqueue(event.span)
    guard packet.count > 9, packet[7] == 0x04, packet[8] == 0x00 else { return }
    var answer: [23 of UInt8] = .init(repeating: 0)
    var span = answer.mutableSpan
    let count = peer.answer(packet.extracting(9..<packet.count), into: &span)
    if count > 0 { send(answer.span.extracting(first: count), on: UInt16(low) | UInt16(high) << 8) }
  }
}
