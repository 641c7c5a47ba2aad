import HeraldBluetooth
import HeraldHAL
import TestInputs
import Testing

extension SplitMix64 {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % bound }

  /// Random bytes, or one of `seeds` with a few bytes changed, cut or added.
  fileprivate mutating func bytes(from seeds: [[UInt8]], longest: Int) -> [UInt8] {
    if below(8) == 0 { return (0..<below(longest + 1)).map { _ in UInt8(truncatingIfNeeded: next()) } }
    var bytes = seeds[below(seeds.count)]
    for _ in 0..<below(4) where !bytes.isEmpty {
      switch below(6) {
      case 0: bytes.removeLast(min(bytes.count, below(4)))
      case 1: bytes.append(UInt8(truncatingIfNeeded: next()))
      case 2: bytes[below(bytes.count)] = [0, 1, 0x7F, 0x80, 0xFF][below(5)]
      case 3: bytes[below(bytes.count)] = UInt8(below(0x1A))
      default: bytes[below(bytes.count)] = UInt8(truncatingIfNeeded: next())
      }
    }
    return Array(bytes.prefix(longest))
  }
}

/// Values without arrays, so that a debug build gets through many cases.
private struct FuzzValues: AttributeValues {
  var payload: [512 of UInt8] = .init(repeating: 0x5A)
  var length = 100
  /// Bytes that were prepared.
  var prepared = 0
  var refuses = false

  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead {
    refuses
      ? .failed(.unlikelyError) : .copying(payload.span.extracting(0..<length), from: offset, into: &buffer)
  }

  mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode? {
    #expect(value.count <= 512)
    length = value.count
    return refuses ? .valueNotAllowed : nil
  }

  mutating func prepare(_ part: Span<UInt8>, at offset: Int, on connection: ConnectionID) -> Bool {
    guard !refuses, offset + part.count <= 516 else { return false }
    prepared = offset + part.count
    return true
  }

  mutating func writePrepared(_ tag: AttributeTag, on connection: ConnectionID) -> ATTErrorCode? {
    #expect(prepared <= 512)
    length = prepared
    return refuses ? .valueNotAllowed : nil
  }
}

@Suite("Bluetooth, with hostile bytes")
struct BluetoothFuzzTests {
  private static let requests = [
    "02 F700", "04 0100 FFFF", "04 0800 0800", "06 0100 FFFF 0028 0018", "06 0100 FFFF 0028 0BA0",
    "06 0100 FFFF 0028 F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF", "08 0100 FFFF 0328", "08 0100 FFFF 002A",
    "08 0100 FFFF 02B0", "08 0100 FFFF 0228", "08 0100 FFFF A0A1A2A3A4A5A6A7A8A9AAABACADAEAF", "0A 0800",
    "0A 0F00",
    "0C 0800 1600", "0C 0F00 2C00", "0E 0300 0500 0800", "10 0100 FFFF 0028", "10 0600 FFFF 0028",
    "10 0100 FFFF 0128", "12 0900 0100", "12 0C00 0102", "16 0800 0000 010203", "16 0800 0300 040506",
    "18 01",
    "18 00", "1E", "20 0300 0500 0800", "52 1100 01", "D2 1100 01 000000000000000000000000", "99",
  ].map(pdu)

  /// One request to a server: the response fits, and it is the response to that request.
  private func fuzzServer<Table: GATTTable>(
    _ request: [UInt8], _ server: inout ATTServer<Table, 3, 1>, _ values: inout FuzzValues,
    _ buffer: inout [247 of UInt8], on connection: ConnectionID, at now: Instant
  ) -> Bool {
    var span = buffer.mutableSpan
    for index in request.indices { span[index] = request[index] }
    let before = server.mtu(connection)
    let length = server.respond(to: &span, count: request.count, on: connection, at: now, values: &values)
    guard length <= before, length <= 247, server.mtu(connection) >= 23, server.mtu(connection) <= 247 else {
      return false
    }
    guard let opcode = request.first else { return length == 0 }
    if length == 0 { return opcode & 0x40 != 0 || opcode == 0x1E || ATTOpcode(rawValue: opcode).isForClient }
    if span[0] == 1 { return length == 5 && span[1] == opcode && span[4] != 0 }
    return opcode & 0x40 == 0 && span[0] == opcode &+ 1
  }

  private func fuzzServers<Table: GATTTable>(_ table: Table.Type, seed: UInt64, cases: Int) -> Int {
    var generator = SplitMix64(seed: seed)
    var server = ATTServer<Table, 3, 1>()
    server.maximumMTU = 247
    var values = FuzzValues()
    var buffer: [247 of UInt8] = .init(repeating: 0)
    var now = Instant.start
    var wrong = 0
    for _ in 0..<cases {
      let connection = ConnectionID(index: generator.below(3))
      if generator.below(50) == 0 { server.opened(connection) }
      if generator.below(50) == 0 { values.refuses.toggle() }
      now = now + .milliseconds(UInt32(generator.below(20_000)))
      let request = generator.bytes(from: Self.requests, longest: 247)
      if !fuzzServer(request, &server, &values, &buffer, on: connection, at: now) {
        wrong += 1
        Issue.record("\(hex(request))")
      }
    }
    return wrong
  }

  @Test("An ATT server's answers fit in ATT_MTU and belong to their requests")
  func server() {
    #expect(fuzzServers(SmallTable.self, seed: 1, cases: 60_000) == 0)
    #expect(fuzzServers(LargeTable.self, seed: 2, cases: 60_000) == 0)
  }

  private enum FaultyTable: GATTTable {
    static var database: GATTDatabase {
      @_lifetime(immortal) get { GATTDatabase(attributes: faultyAttributes.span, bytes: faultyBytes.span) }
    }
  }

  @Test("A table that points outside its bytes is answered from, not read past its end")
  func faultyTable() {
    #expect(fuzzServers(FaultyTable.self, seed: 3, cases: 20_000) == 0)
  }

  private static let responses = [
    "01 08 0600 0A", "01 0A 0800 02", "01 0C 0800 07", "01 16 0C00 09", "01 02 0000 06", "03 B900",
    "05 01 0900 0229 0A00 0328",
    "05 02 0900 A0A1A2A3A4A5A6A7A8A9AAABACADAEAF", "07 1000 1F00", "09 07 0700 02 0800 002A",
    "09 15 0700 1A 0800 A0A1A2A3A4A5A6A7A8A9AAABACADAEAF", "0B 00",
    "0B 000102030405060708090A0B0C0D0E0F101112131415",
    "0D 000102030405060708090A0B0C0D0E0F101112131415", "0D", "13",
    "17 0C00 0000 000102030405060708090A0B0C0D0E0F1011",
    "17 0C00 1200 12131415", "19", "1B 0800 01", "1D 0800 01", "21 0100", "23 08",
  ].map(pdu)

  @Test("A GATT client comes to an end, keeps its offsets in order and says what it was asked to say")
  func client() {
    var generator = SplitMix64(seed: 4)
    var client = GATTClient()
    var buffer: [247 of UInt8] = .init(repeating: 0)
    let value: [UInt8] = [UInt8](0..<22)
    let range = HandleRange(first: 6, last: 0x20)
    var expected = 0
    var requests = 0
    for _ in 0..<150_000 {
      if !client.isBusy {
        if client.isBroken { client = GATTClient() }
        let procedures: [GATTProcedure] = [
          .exchangeMTU(247), .discoverService16(UUID16(0xFCF6)), .discoverService128(UUID128(1, 2)),
          .discoverCharacteristics(range), .readLong(8), .write(12, length: 22), .write(12, length: 22),
          .subscribe(range, .both),
        ]
        let began = client.begin(procedures[generator.below(procedures.count)])
        #expect(began)
        expected = 0
        requests = 0
      }
      var span = buffer.mutableSpan
      let length = client.nextRequest(into: &span, mtu: 23, value: value.span, at: .start)
      #expect(length <= 23)
      if length > 0 { requests += 1 }
      // A peer can make us ask 512 times at most: once per byte of the longest value, or per handle of the
      // range.
      #expect(requests <= 512)
      let response = generator.bytes(from: Self.responses, longest: 60)
      let opcode = span[0]
      // Half of the time the response is of the right kind, so that procedures get somewhere.
      var answered = response
      if generator.below(2) == 0, !answered.isEmpty, answered[0] & 1 == 1, answered[0] != 1 {
        answered[0] = opcode &+ 1
      }
      if generator.below(8) == 0, answered.count >= 2, answered[0] == 1 { answered[1] = opcode }
      let event = client.receive(answered.span, mtu: 23)
      switch event {
      case .value(let offset, let from), .lastValue(let offset, let from):
        #expect(offset == expected && from == 1)
        expected += answered.count - from
        #expect(expected <= 512)
      case .service(let range): #expect(range.first <= range.last && range.first > 0)
      case .characteristics:
        var characteristics = GATTCharacteristics(answered.span)
        var count = 0
        while let characteristic = characteristics.next() {
          count += 1
          #expect(characteristic.declaration >= 6 && characteristic.value <= 0x20)
        }
        #expect(count > 0)
      case .mtu(let mtu): #expect(mtu >= 23)
      case .notification(_, let from), .indication(_, let from): #expect(from <= answered.count)
      case .none, .finished, .failed: break
      }
      if generator.below(100) == 0 { _ = client.expire(at: Instant(milliseconds: 30_000)) }
    }
  }

  /// Every structure lies in the data, behind the one before.
  private func fuzzAdvertisingData(_ bytes: Span<UInt8>) -> Bool {
    var structures = AdvertisingData(bytes)
    var end = 0
    while structures.next() {
      let range = structures.range
      guard range.lowerBound == end + 2, range.upperBound <= bytes.count,
        structures.bytes.count == range.count
      else {
        return false
      }
      guard Int(bytes[end]) == range.count + 1, bytes[end + 1] == structures.type.rawValue else {
        return false
      }
      end = range.upperBound
    }
    // It ended because there is no further whole structure.
    return bytes.count - end < 2 || bytes[end] == 0 || Int(bytes[end]) >= bytes.count - end
  }

  @Test("Advertising data: structures in order, inside, and none forgotten")
  func advertisingData() {
    let seeds = [
      "02011A 020A0C 0BFF4C001006071EA3DD89E0 14FF4C000100000000000000000000200000000000",
      "02011A020A0C11079BFD5BD672451E80D3424647AF328142", "0303F6FC", "00", "01FF",
    ].map(pdu)
    var generator = SplitMix64(seed: 5)
    for _ in 0..<120_000 {
      let bytes = generator.bytes(from: seeds, longest: 62)
      if !fuzzAdvertisingData(bytes.span) { Issue.record("\(hex(bytes))") }
    }
  }
}

private let faultyAttributes: [8 of AttributeRecord] = [
  .primaryService(at: 3, 2),
  .primaryService(at: 0xFFFF, 0xFFFF),
  .characteristic(at: 0, 5),
  .value(typeAt: 0xFFF8, AttributeRecord.Flags.read.union(.write), longest: 0xFFFF, tag: .payload),
  .constant(0x2901, at: 0, 4),
  .constant(0x2901, at: 0, 5),
  .configuration(slot: 200, allowing: .both),
  AttributeRecord(
    type: 0x2803, valueOffset: 0, valueLength: 0xFFFF, flags: AttributeRecord.Flags(rawValue: 0xFF), tag: 9),
]
private let faultyBytes: [4 of UInt8] = [1, 2, 3, 4]
