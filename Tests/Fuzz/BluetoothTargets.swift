import HeraldBluetooth
import HeraldEmbedded

let advertisingSeeds: [[UInt8]] = [
  // Flags, FCF6, TxPower, pseudo device address
  [0x02, 0x01, 0x06, 0x03, 0x03, 0xF6, 0xFC, 0x02, 0x0A, 0x0C, 0x09, 0xFF, 0xF1, 0x05, 1, 2, 3, 4, 5, 6],
  // the 128-bit service
  [
    0x02, 0x01, 0x1A, 0x11, 0x07, 0x9B, 0xFD, 0x5B, 0xD6, 0x72, 0x45, 0x1E, 0x80, 0xD3, 0x42, 0x46, 0x47,
    0xAF,
    0x32, 0x81, 0x42,
  ],
  // Apple: a nearby message, then the overflow area
  [
    0x02, 0x01, 0x1A, 0x0B, 0xFF, 0x4C, 0x00, 0x10, 0x06, 0x07, 0x1E, 0xA3, 0xDD, 0x89, 0xE0, 0x14, 0xFF,
    0x4C, 0x00, 0x01,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0,
  ],
]

func fuzzAdvertising(_ bytes: Span<UInt8>) {
  var structures = AdvertisingData(bytes)
  var seen = 0
  while structures.next() {
    seen += 2 + structures.bytes.count
    if structures.range.upperBound > bytes.count { broken("a structure runs past the data") }
  }
  if seen > bytes.count { broken("structures overlap") }
  let report = AdvertisingReport(address: .zero, rssi: .notAvailable, kind: .legacy)
  let found = Introspection().classify(report, bytes)
  if found.pseudoAddress == nil, found.identity != TargetIdentity(report.address) {
    broken("an identity from nowhere")
  }
}

/// Values of 0, 1, 22, 23 and 512 bytes behind the tags of the Herald table.
private struct FuzzValues: AttributeValues, ~Copyable {
  var value: [512 of UInt8] = .init(repeating: 0x5A)
  /// Bytes that were prepared.
  var prepared = 0

  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead {
    let lengths: [6 of Int] = [0, 512, 0, 1, 22, 23]
    let length = Int(tag.rawValue) < 6 ? lengths[Int(tag.rawValue)] : 0
    return .copying(value.span.extracting(first: length), from: offset, into: &buffer)
  }

  mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode? {
    if value.count > 512 { broken("a value longer than the table says") }
    return value.count == 13 ? .invalidAttributeValueLength : nil
  }

  mutating func prepare(_ part: Span<UInt8>, at offset: Int, on connection: ConnectionID) -> Bool {
    if offset != 0, offset != prepared { broken("a part where none is wanted") }
    guard offset + part.count <= 516 else { return false }
    prepared = offset + part.count
    return true
  }

  mutating func writePrepared(_ tag: AttributeTag, on connection: ConnectionID) -> ATTErrorCode? {
    if prepared > 512 { broken("a prepared value longer than the table says") }
    return prepared == 13 ? .invalidAttributeValueLength : nil
  }

  mutating func cancelPrepared(on connection: ConnectionID) { prepared = 0 }
}

let attServerSeeds: [[UInt8]] = [
  records([
    [0x02, 0x00, 0x01], [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28],
    [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0xF6, 0xFC],
    [0x08, 0x11, 0x00, 0x15, 0x00, 0x03, 0x28], [0x04, 0x01, 0x00, 0xFF, 0xFF], [0x0A, 0x15, 0x00],
    [0x0C, 0x15, 0x00, 0x16, 0x00], [0x0E, 0x03, 0x00, 0x05, 0x00], [0x20, 0x03, 0x00, 0x05, 0x00],
  ]),
  records([
    [0x12, 0x13, 0x00, 0x02, 0xC8, 0xFF], [0x16, 0x13, 0x00, 0x00, 0x00, 1, 2, 3],
    [0x16, 0x13, 0x00, 0x03, 0x00, 4, 5, 6],
    [0x18, 0x01], [0x52, 0x13, 0x00, 1], [0x1E],
  ]),
]

/// A conversation: each record is a PDU from the peer.
func fuzzATTServer(_ bytes: Span<UInt8>) {
  var server = ATTServer<HeraldBothSignalsGATTTable, 1, 1>()
  server.maximumMTU = 247
  var values = FuzzValues()
  let connection = ConnectionID(index: 0)
  server.opened(connection)
  var buffer: [247 of UInt8] = .init(repeating: 0)
  forEachRecord(bytes) { record in
    let count = min(record.count, 247)
    for index in 0..<count { buffer[index] = record[index] }
    let mtu = server.mtu(connection)
    let opcode = count > 0 ? buffer[0] : 0
    var span = buffer.mutableSpan
    let length = server.respond(to: &span, count: count, on: connection, at: .start, values: &values)
    if length > max(mtu, server.mtu(connection)) { broken("an answer longer than ATT_MTU") }
    if length > 0, span[0] != opcode &+ 1, span[0] != 0x01 { broken("an answer to another question") }
    if length > 0, opcode & 0x40 != 0 { broken("a command was answered") }
  }
}

let attClientSeeds: [[UInt8]] = [
  records([[0], [0x03, 0x17, 0x00]]),
  records([[1], [0x07, 0x10, 0x00, 0x14, 0x00], [0x01, 0x06, 0x15, 0x00, 0x0A]]),
  records([[3], [0x09, 0x07, 0x11, 0x00, 0x02, 0x12, 0x00, 0x00, 0x2A], [0x01, 0x08, 0x13, 0x00, 0x0A]]),
  records([[4], [0x0B] + [UInt8](repeating: 7, count: 22), [0x0D, 1, 2, 3]]),
  records([[5], [0x17, 0x12, 0x00, 0x00, 0x00] + [UInt8](repeating: 9, count: 18), [0x19]]),
  records([[6], [0x05, 0x01, 0x13, 0x00, 0x02, 0x29], [0x13]]),
]

/// A procedure, which the first byte chooses, and what the peer answers: the other records.
func fuzzATTClient(_ bytes: Span<UInt8>) {
  guard bytes.count > 1 else { return }
  let range = HandleRange(first: 0x10, last: 0x20)
  var client = GATTClient()
  let procedure: GATTProcedure =
    switch bytes[1] % 7 {
    case 0: .exchangeMTU(247)
    case 1: .discoverService16(HeraldUUIDs.shortService)
    case 2: .discoverService128(HeraldUUIDs.service)
    case 3: .discoverCharacteristics(range)
    case 4: .readLong(0x12)
    case 5: .write(0x12, length: 100)
    default: .subscribe(range, .both)
    }
  _ = client.begin(procedure)
  var buffer: [247 of UInt8] = .init(repeating: 0)
  let value: [100 of UInt8] = .init(repeating: 9)
  var mtu = 23
  forEachRecord(bytes) { record in
    var span = buffer.mutableSpan
    let length = client.nextRequest(into: &span, mtu: mtu, value: value.span, at: .start)
    if length > mtu { broken("a request longer than ATT_MTU") }
    switch client.receive(record, mtu: mtu) {
    case .mtu(let agreed): mtu = max(23, min(agreed, 247))
    case .characteristics:
      var found = GATTCharacteristics(record)
      var count = 0
      while found.next() != nil { count += 1 }
      if count > record.count { broken("more characteristics than bytes") }
    case .value(let offset, let from), .lastValue(let offset, let from):
      if from > record.count || offset + record.count - from > 512 { broken("a value longer than 512 bytes") }
    case .notification(_, let from), .indication(_, let from):
      if from > record.count { broken("a value outside its PDU") }
    default: break
    }
  }
}
