import HeraldBluetooth
import HeraldHAL

@testable import HeraldHCI

/// A line whose other end is the test: it sets what arrives and sees what was written.
struct ScriptedTransport: ControllerTransport, ~Copyable {
  /// Bytes still to arrive.
  var incoming: [UInt8] = []
  /// At most so many bytes arrive at a time.
  var chunk = Int.max
  /// Every packet written.
  var written: [[UInt8]] = []
  /// How many more packets are taken.
  var room = Int.max
  var isGone = false
  /// The longest packet it takes.
  var longestPacket = 256
  /// What the vendor wants.
  var vendor: [[UInt8]] = []

  mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    if isGone { return -1 }
    let count = min(chunk, incoming.count, buffer.count)
    for index in 0..<count { buffer[index] = incoming[index] }
    incoming.removeFirst(count)
    return count
  }

  mutating func write(_ packet: Span<UInt8>) -> Bool {
    guard room > 0, !isGone, packet.count <= longestPacket else { return false }
    room -= 1
    var bytes: [UInt8] = []
    for index in 0..<packet.count { bytes.append(packet[index]) }
    written.append(bytes)
    return true
  }
}

extension ScriptedTransport {
  mutating func vendorCommand(_ index: Int, into packet: inout MutableSpan<UInt8>) -> Int {
    guard index < vendor.count else { return 0 }
    for position in vendor[index].indices { packet[position] = vendor[index][position] }
    return vendor[index].count
  }
}

/// Writes down what a radio reports.
struct Recorder: RadioEventHandler {
  enum Event: Equatable {
    case changed(RadioState)
    case report(String, Int8, UInt8, [UInt8])
    case opened(Int, ConnectionRole, String)
    case failed(UInt8)
    case closed(Int, UInt8)
    case pdu(Int, [UInt8])
    case ready(Int)
    case measured(Int, Int8)
  }
  var events: [Event] = []
  /// Makes the answer to a PDU.
  var answer: ([UInt8]) -> [UInt8] = { _ in [] }

  mutating func radioChanged(_ state: RadioState, at now: Instant) { events.append(.changed(state)) }
  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
    events.append(.report(text(report.address), report.rssi.rawValue, report.kind.rawValue, array(data)))
  }
  mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {
    events.append(.opened(opened.connection.index, opened.role, text(opened.peer)))
  }
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {
    events.append(.failed(reason.rawValue))
  }
  mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {
    events.append(.closed(connection.index, reason.rawValue))
  }
  mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    let pdu = array(buffer.span.extracting(0..<count))
    events.append(.pdu(connection.index, pdu))
    let bytes = answer(pdu)
    for index in 0..<bytes.count { buffer[index] = bytes[index] }
    return bytes.count
  }
  mutating func readyToSend(on connection: ConnectionID, at now: Instant) {
    events.append(.ready(connection.index))
  }
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {
    events.append(.measured(connection.index, rssi.rawValue))
  }
}

func array(_ span: Span<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  for index in 0..<span.count { bytes.append(span[index]) }
  return bytes
}

/// The usual way to write an address, with `p` behind a public one.
func text(_ address: DeviceAddress) -> String {
  let bytes = (0..<6).reversed().map { hex([address.onAirByte($0)]) }
  return bytes.joined(separator: ":") + (address.kind == .public ? "p" : "")
}

func hex(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

/// Bytes from hexadecimal digits; anything else between them is ignored.
func bytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap { $0.hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// A random address from its text form.
func random(_ text: String) -> DeviceAddress {
  let onAir = Array(bytes(text).reversed())
  return DeviceAddress(onAir: onAir.span, kind: .random) ?? .zero
}
