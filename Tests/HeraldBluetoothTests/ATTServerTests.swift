import HeraldBluetooth
import HeraldHAL
import Testing

@Suite("ATT server")
struct ATTServerTests {
  let small = TestServer<SmallTable>()
  private let first = ConnectionID(index: 0)

  @Test("GAC/SR/BV-01 the smaller ATT_MTU counts, in both directions, once it is said; never less than 23")
  func exchangeMTU() {
    #expect(small.ask("02 0002") == "03 F7 00")
    #expect(small.server.mtu(first) == 247)
    #expect(small.server.mtu(ConnectionID(index: 1)) == 23)
    #expect(small.answer(pdu("0A 0800")).count == 51)
    #expect(small.ask("02 B900") == "03 F7 00")
    #expect(small.server.mtu(first) == 185)
    #expect(small.ask("02 0500") == "03 F7 00")
    #expect(small.server.mtu(first) == 23)
    #expect(small.ask("02 0000") == "03 F7 00")
    #expect(small.ask("02 17") == "01 02 00 00 04")
    #expect(small.ask("02 1700 00") == "01 02 00 00 04")
    small.server.closed(first)
    #expect(small.server.mtu(first) == 23)
  }

  @Test("HP-01 a peer that never exchanges stays at 23, and that is what we offer when it is all we have")
  func smallestMTU() {
    let server = TestServer<SmallTable>(maximumMTU: 5)
    #expect(server.server.maximumMTU == 23)
    #expect(server.ask("02 0002") == "03 17 00")
    #expect(server.server.mtu(first) == 23)
    server.server.agreed(peerMTU: 100, on: first)
    #expect(server.server.mtu(first) == 23)
  }

  @Test("Our client's exchange and the peer's come to one ATT_MTU")
  func sharedMTU() {
    small.server.agreed(peerMTU: 185, on: first)
    #expect(small.server.mtu(first) == 185)
    small.server.agreed(peerMTU: 70_000, on: first)
    #expect(small.server.mtu(first) == 247)
    small.server.agreed(peerMTU: -1, on: first)
    #expect(small.server.mtu(first) == 23)
    small.server.agreed(peerMTU: 100, on: ConnectionID(index: 2))
    #expect(small.server.mtu(ConnectionID(index: 2)) == 23)
    #expect(small.server.mtu(ConnectionID(index: -1)) == 23)
  }

  @Test("A subscription to indications is none to notifications, and the other way round")
  func subscriptions() {
    let value: [UInt8] = [1, 2]
    var buffer = [UInt8](repeating: 0, count: 23)
    for (configuration, notified, indicated) in [("0100", 5, 0), ("0200", 0, 5), ("0000", 0, 0)] {
      let server = TestServer<SubscribedTable>()
      #expect(server.ask("12 0400 \(configuration)") == "13")
      var span = buffer.mutableSpan
      let notification = server.server.notification(
        of: value.span, handle: 3, slot: 0, on: first, into: &span)
      let indication = server.server.indication(of: value.span, handle: 3, slot: 0, on: first, into: &span)
      #expect(notification == notified && indication == indicated)
    }
  }

  @Test("A value counts as 512 bytes at most, whatever is said of its length")
  func longestValue() {
    small.values.payload = [UInt8](repeating: 7, count: 600)
    #expect(small.ask("0C 0800 0002").hasPrefix("0D"))
    #expect(small.ask("0C 0800 2602") == "01 0C 08 00 07")
  }

  @Test("The owner that loses the queue to another connection is returned")
  func lostQueue() {
    #expect(small.ask("16 0800 0000 AA") == "17 08 00 00 00 AA")
    #expect(small.values.prepared[0] == [0xAA])
    #expect(small.ask("16 0800 0000 BB", on: 1) == "01 16 08 00 09")
    small.now = small.now + .seconds(3)
    #expect(small.ask("16 0800 0000 BB", on: 1) == "17 08 00 00 00 BB")
    #expect(small.values.prepared[0] == nil && small.values.prepared[1] == [0xBB])
  }

  @Test("Unknown requests are refused by name, unknown commands dropped", arguments: UInt8.min...UInt8.max)
  func unknownOpcodes(opcode: UInt8) {
    let requests: Set<UInt8> = [
      0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20,
    ]
    let forClient: Set<UInt8> = [
      0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23,
    ]
    #expect(ATTOpcode(rawValue: opcode).isForClient == forClient.contains(opcode))
    let answer = small.answer([opcode])
    if requests.contains(opcode) {
      #expect(answer == [1, opcode, 0, 0, 4])
    } else if forClient.contains(opcode) || opcode & 0x40 != 0 || opcode == 0x1E {
      #expect(answer == [])
    } else {
      #expect(answer == [1, opcode, 0, 0, 6])
    }
  }

  @Test("Nothing, an unknown connection, a length beyond the buffer and a tiny buffer give no response")
  func nonsense() {
    #expect(small.answer([]) == [])
    #expect(small.answer(pdu("0A 0300"), on: 2) == [])
    #expect(small.answer(pdu("0A 0300"), on: -1) == [])
    #expect(small.answer(pdu("0A 0300"), bufferSize: 22) == [])
    var buffer = [UInt8](repeating: 0x0A, count: 30)
    var span = buffer.mutableSpan
    #expect(small.server.respond(to: &span, count: 31, on: first, at: .start, values: &small.values) == 0)
    #expect(small.server.respond(to: &span, count: -1, on: first, at: .start, values: &small.values) == 0)
  }

  @Test("A request longer than ATT_MTU is an invalid PDU, a command of that length nothing")
  func tooLong() {
    #expect(small.answer(pdu("12 0800") + [UInt8](repeating: 1, count: 21)) == pdu("01 12 0000 04"))
    #expect(small.answer(pdu("52 1100") + [UInt8](repeating: 1, count: 21)) == [])
    #expect(small.answer(pdu("16 0800 0000") + [UInt8](repeating: 1, count: 19)) == pdu("01 16 0000 04"))
    #expect(small.values.written.isEmpty)
  }

  @Test("A supplier that reports impossible lengths does no harm")
  func impossibleLengths() {
    struct InconsistentValues: AttributeValues {
      var length: Int
      mutating func read(
        _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
      ) -> AttributeRead { .length(length) }
      mutating func write(
        _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
      ) -> ATTErrorCode? { nil }
    }
    for length in [Int.min, -1, 513, .max] {
      var liar = InconsistentValues(length: length)
      for request in ["0A 0800", "0C 0800 0000", "0E 0800 0300", "20 0300 0800", "08 0100 FFFF 002A"] {
        var buffer = pdu(request) + [UInt8](repeating: 0, count: 40)
        var span = buffer.mutableSpan
        let answer = small.server.respond(
          to: &span, count: pdu(request).count, on: first, at: .start, values: &liar)
        #expect(answer > 0 && answer <= 23)
      }
    }
  }

  @Test("State is small: six bytes per connection for the server, 64 for the client")
  func sizes() {
    #expect(MemoryLayout<GATTClient>.size <= 64)
    let one = MemoryLayout<ATTServer<SmallTable, 1, 0>>.stride
    let nine = MemoryLayout<ATTServer<SmallTable, 9, 0>>.stride
    #expect((nine - one) <= 8 * 8)
  }
}
