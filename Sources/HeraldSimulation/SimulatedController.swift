import HeraldBluetooth
import HeraldHAL

/// An HCI controller that exists only in memory, at the far end of an `ControllerTransport`.
///
/// It completes every command with success immediately, establishes a connection for every attempt, and
/// reports as completed every ACL packet it is given, which it hands to a peer. It allocates nothing and
/// knows no time, so allocation counts and benchmarks measure the host and not the far end. It does not check
/// conformance of the host to the specification, which is tested with independent controllers.
public struct SimulatedController: ControllerTransport, ~Copyable {
  /// Commands seen since start.
  public private(set) var commands = 0
  /// ACL data packets seen since start.
  public private(set) var packets = 0
  /// Connections opened since start.
  public private(set) var connectionsOpened = 0

  /// If set, only peers whose address has this upper half answer requests to connect, each with a fixed
  /// payload whose client identifier is the lower half of its address. All do otherwise, with a payload of
  /// 129 bytes.
  public var answeringHigh: UInt16?
  /// Whether the host waits for a connection to a peer that does not answer.
  private var isWaiting = false

  private static var queueSize: Int { 8192 }
  private var queue: [8192 of UInt8] = .init(repeating: 0)
  private var queued = 0
  private var taken = 0
  private var peer = SimulatedPeer()
  /// The handle of the connection that was opened last.
  private var handle: UInt16 = 0x003F

  /// A controller that has just been switched on.
  public init() {}

  /// Whether the host has read everything there is.
  public var isIdle: Bool { taken == queued }

  // MARK: The host's side

  /// Hands the host as many of the queued bytes as fit.
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

  /// Takes one packet from the host and queues what follows from it.
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

  /// Lets the host hear one legacy connectable advertisement of at most 31 bytes.
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

  /// Opens a connection from `address` to the host, which has to be advertising for this to make sense.
  public mutating func open(from address: DeviceAddress) { opened(role: 1, address) }

  /// Ends the connection that was opened last, as if the peer had disconnected.
  public mutating func close() { close(handle) }

  private mutating func close(_ handle: UInt16) {
    let low = UInt8(truncatingIfNeeded: handle)
    let high = UInt8(truncatingIfNeeded: handle >> 8)
    // Disconnection Complete, by the remote user
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

  /// Sends raw bytes to the host, as from a faulty controller.
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
    case 0x200D where packet.count >= 16:  // LE Create Connection: the peer is always there
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

  /// Command Complete with success and the return parameters that bring-up looks at.
  private mutating func complete(_ opcode: UInt16) {
    var event: [71 of UInt8] = .init(repeating: 0)
    var parameters = 1  // the status
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
