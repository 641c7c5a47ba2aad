import HeraldBluetooth
import HeraldHAL

/// Bytes from hexadecimal digits; spaces are for the reader.
func pdu(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { (place: Int) -> UInt8 in
    UInt8(digits[place] * 16 + digits[place + 1])
  }
}

/// Hexadecimal digits of bytes, two by two.
func hex(_ bytes: [UInt8]) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }.joined(separator: " ")
}

extension AttributeTag {
  static let name = AttributeTag(rawValue: 1)
  static let payload = AttributeTag(rawValue: 2)
  static let signal = AttributeTag(rawValue: 3)
  static let command = AttributeTag(rawValue: 4)
}

private let smallAttributes: [17 of AttributeRecord] = [
  .primaryService(at: 0, 2),  // 01 GAP
  .characteristic(at: 2, 5),  // 02
  .value(0x2A00, .read, tag: .name),  // 03
  .characteristic(at: 7, 5),  // 04
  .constant(0x2A01, at: 12, 2),  // 05
  .primaryService(at: 14, 16),  // 06
  .characteristic(at: 30, 19),  // 07
  .value(typeAt: 33, AttributeRecord.Flags.read.union(.write), longest: 512, tag: .payload),  // 08
  .configuration(slot: 0, allowing: .notifications),  // 09
  .constant(0x2901, at: 49, 2),  // 0A
  .characteristic(at: 51, 19),  // 0B
  .value(typeAt: 54, .write, longest: 20, tag: .signal),  // 0C
  .primaryService(at: 70, 2),  // 0D Device Information
  .characteristic(at: 72, 5),  // 0E
  .constant(0x2A24, at: 77, 2),  // 0F
  .characteristic(at: 79, 5),  // 10
  .value(0x2AFF, .writeCommand, longest: 3, tag: .command),  // 11
]

private let smallBytes: [84 of UInt8] = [
  0x00, 0x18,  // 0
  0x02, 0x03, 0x00, 0x00, 0x2A,  // 2
  0x02, 0x05, 0x00, 0x01, 0x2A,  // 7
  0x00, 0x02,  // 12
  0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF,  // 14
  0x1A, 0x08, 0x00,  // 30
  0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF,  // 33
  0x48, 0x69,  // 49
  0x08, 0x0C, 0x00,  // 51
  0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xBB, 0xBC, 0xBD, 0xBE, 0xBF,  // 54
  0x0A, 0x18,  // 70
  0x02, 0x0F, 0x00, 0x24, 0x2A,  // 72
  0x4D, 0x31,  // 77
  0x04, 0x11, 0x00, 0xFF, 0x2A,  // 79
]

/// A device like a wearable: GAP, a service with 128-bit UUIDs, Device Information.
enum SmallTable: GATTTable {
  static var database: GATTDatabase {
    @_lifetime(immortal) get { GATTDatabase(attributes: smallAttributes.span, bytes: smallBytes.span) }
  }
}

private let subscribedAttributes: [4 of AttributeRecord] = [
  .primaryService(at: 0, 2),  // 01
  .characteristic(at: 2, 5),  // 02
  .value(0x2A19, .read, tag: .name),  // 03
  .configuration(slot: 0, allowing: ClientConfiguration(rawValue: 3)),  // 04
]

private let subscribedBytes: [7 of UInt8] = [
  0x0F, 0x18,  // 0
  0x32, 0x03, 0x00, 0x19, 0x2A,  // 2
]

/// A service whose value can be notified and indicated.
enum SubscribedTable: GATTTable {
  static var database: GATTDatabase {
    @_lifetime(immortal) get {
      GATTDatabase(attributes: subscribedAttributes.span, bytes: subscribedBytes.span)
    }
  }
}

private let largeAttributes: [32 of AttributeRecord] = [
  AttributeRecord(type: 0x2801, valueOffset: 0, valueLength: 2, flags: .read, tag: 0),  // 01
  .characteristic(at: 2, 5),  // 02
  .constant(0xB001, at: 7, 1),  // 03
  .primaryService(at: 8, 2),  // 04
  .constant(0x2802, at: 10, 6),  // 05
  .characteristic(at: 16, 5),  // 06
  .constant(0xB002, at: 21, 25),  // 07
  .characteristic(at: 46, 5),  // 08
  .constant(0xB002, at: 51, 2),  // 09
  .primaryService(at: 8, 2),  // 0A
  .characteristic(at: 53, 5),  // 0B
  .constant(0xB002, at: 21, 25),  // 0C
  .primaryService(at: 58, 16),  // 0D
  .characteristic(at: 74, 19),  // 0E
  AttributeRecord(  // 0F
    type: 77, valueOffset: 93, valueLength: 45, flags: AttributeRecord.Flags.read.union(.longType), tag: 0),
  AttributeRecord(  // 10
    type: 58, valueOffset: 93, valueLength: 1, flags: AttributeRecord.Flags.read.union(.longType), tag: 0),
  .constant(0x2901, at: 93, 3),  // 11
  .configuration(slot: 7, allowing: .both),  // 12
  .primaryService(at: 8, 2),  // 13
  .characteristic(at: 138, 5),  // 14
  .value(0xB007, .write, longest: 4, tag: .signal),  // 15
  .characteristic(at: 143, 5),  // 16
  .constant(0xB007, at: 148, 1),  // 17
  .configuration(slot: 1, allowing: .notifications),  // 18
  .characteristic(at: 149, 5),  // 19
  .value(0xB007, .write, longest: 4, tag: .signal),  // 1A
  .characteristic(at: 154, 5),  // 1B
  .constant(0xB007, at: 148, 1),  // 1C
  .primaryService(at: 58, 16),  // 1D
  AttributeRecord(type: 0x2801, valueOffset: 0, valueLength: 2, flags: .read, tag: 0),  // 1E
  .primaryService(at: 58, 16),  // 1F
  .primaryService(at: 58, 16),  // 20
]

private let largeBytes: [159 of UInt8] = [
  0x0D, 0xA0,  // 0
  0x02, 0x03, 0x00, 0x01, 0xB0,  // 2
  0x11,  // 7
  0x0B, 0xA0,  // 8
  0x01, 0x00, 0x03, 0x00, 0x0D, 0xA0,  // 10
  0x02, 0x07, 0x00, 0x02, 0xB0,  // 16
  0x31, 0x31, 0x31, 0x31, 0x31, 0x32, 0x32, 0x32, 0x32, 0x32, 0x33, 0x33, 0x33, 0x33, 0x33,  // 21
  0x34, 0x34, 0x34, 0x34, 0x34, 0x35, 0x35, 0x35, 0x35, 0x35,  // 36
  0x02, 0x09, 0x00, 0x02, 0xB0,  // 46
  0x41, 0x42,  // 51
  0x02, 0x0C, 0x00, 0x02, 0xB0,  // 53
  0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xEB, 0xEC, 0xED, 0xEE, 0xEF,  // 58
  0x32, 0x0F, 0x00,  // 74
  0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xCB, 0xCC, 0xCD, 0xCE, 0xCF,  // 77
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,  // 93
  0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F,  // 108
  0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F,  // 123
  0x08, 0x15, 0x00, 0x07, 0xB0,  // 138
  0x12, 0x17, 0x00, 0x07, 0xB0,  // 143
  0x44,  // 148
  0x08, 0x1A, 0x00, 0x07, 0xB0,  // 149
  0x02, 0x1C, 0x00, 0x07, 0xB0,  // 154
]

/// Everything a small device does not have: a secondary and an included service, services that share a UUID,
/// values of one type and several lengths, a value that can only be written, long constants.
enum LargeTable: GATTTable {
  static var database: GATTDatabase {
    @_lifetime(immortal) get { GATTDatabase(attributes: largeAttributes.span, bytes: largeBytes.span) }
  }
}

/// Values in arrays; remembers what was written.
struct TestValues: AttributeValues {
  var name = Array("Badge".utf8)
  /// 50 bytes: 00, 01, … 31.
  var payload = [UInt8](0..<50)
  var readFailure: ATTErrorCode?
  var writeFailure: ATTErrorCode?
  var written: [(tag: AttributeTag, value: [UInt8], withResponse: Bool, connection: Int)] = []
  var reads: [(tag: AttributeTag, offset: Int)] = []
  /// What is being prepared, by connection.
  var prepared: [Int: [UInt8]] = [:]

  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead {
    reads.append((tag, offset))
    if let readFailure { return .failed(readFailure) }
    switch tag {
    case .name: return .copying(name.span, from: offset, into: &buffer)
    case .payload: return .copying(payload.span, from: offset, into: &buffer)
    default: return .failed(.unlikelyError)
    }
  }

  mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode? {
    if let writeFailure { return writeFailure }
    written.append((tag, array(value), withResponse, connection.index))
    return nil
  }

  mutating func prepare(_ part: Span<UInt8>, at offset: Int, on connection: ConnectionID) -> Bool {
    let begun = offset == 0 ? [] : prepared[connection.index]
    guard let begun, begun.count == offset, offset + part.count <= 516 else { return false }
    prepared[connection.index] = begun + array(part)
    return true
  }

  mutating func writePrepared(_ tag: AttributeTag, on connection: ConnectionID) -> ATTErrorCode? {
    guard let value = prepared.removeValue(forKey: connection.index) else { return .unlikelyError }
    return write(tag, value.span, withResponse: true, on: connection)
  }

  mutating func cancelPrepared(on connection: ConnectionID) { prepared[connection.index] = nil }
}

func array(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }

/// A server with two connections and one queue for prepared writes, asked in hexadecimal.
final class TestServer<Table: GATTTable> {
  var server = ATTServer<Table, 2, 1>()
  var values = TestValues()
  var now = Instant.start

  init(maximumMTU: Int = 247, mtu: Int = 23) {
    server.maximumMTU = maximumMTU
    for index in 0..<2 {
      server.opened(ConnectionID(index: index))
      server.agreed(peerMTU: mtu, on: ConnectionID(index: index))
    }
  }

  /// The response to a request, both as bytes.
  func answer(_ request: [UInt8], on connection: Int = 0, bufferSize: Int = 247) -> [UInt8] {
    // What is behind the request is not zero, as in a buffer that was used before.
    var buffer = request + [UInt8](repeating: 0xEE, count: max(0, bufferSize - request.count))
    var span = buffer.mutableSpan
    let length = server.respond(
      to: &span, count: request.count, on: ConnectionID(index: connection), at: now, values: &values)
    return Array(buffer[0..<length])
  }

  /// The response to a request, both in hexadecimal.
  func ask(_ request: String, on connection: Int = 0) -> String {
    hex(answer(pdu(request), on: connection))
  }
}
