import HeraldBluetooth
import HeraldHAL
import TestInputs
import Testing

@Suite("The life of the connections of a GATT server")
struct ATTLifeTests {
  /// Requests of a peer to a small device, or something like one.
  private static let requests = [
    "02 B9 00", "02 17 00", "0A 03 00", "0A 08 00", "0C 08 00 10 00", "12 09 00 01 00", "12 09 00 00 00",
    "0A 09 00", "12 08 00 01 02 03", "16 08 00 00 00 11 22 33", "16 08 00 03 00 44 55", "16 08 00 09 00 66",
    "16 0C 00 00 00 77", "18 01", "18 00", "04 01 00 FF FF", "1E", "12 0C 00 01", "16 09 00 00 00 01 00",
  ].map { pdu($0) }

  /// What a peer does on a connection of a server, and the response.
  private static func step(
    _ server: TestServer<SmallTable>, _ request: [UInt8], _ choice: UInt64, on connection: Int
  ) -> String {
    var notice = [UInt8](repeating: 0, count: 60)
    var room = notice.mutableSpan
    let value = [UInt8](repeating: 9, count: 50)
    let id = ConnectionID(index: connection)
    switch choice {
    case 0: return "\(server.server.notification(of: value.span, handle: 8, slot: 0, on: id, into: &room))"
    case 1: return "\(server.server.isPreparing(id)) \(server.server.mtu(id))"
    case 2: return "\(server.server.configuration(slot: 0, on: id))"
    default: return hex(server.answer(request, on: connection))
    }
  }

  @Test("a connection of the server begins as the first one, whatever was done on those before it")
  func server() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let used = TestServer<SmallTable>()
      for _ in 0..<(random.next() % 40) {
        used.now = used.now + .milliseconds(UInt32(random.next() % 1500))
        let request =
          random.next() % 4 == 0 ? random.mutated(Self.requests) : Self.requests[Int(random.next() % 19)]
        let connection = Int(random.next() % 2)
        _ = Self.step(used, request, random.next() % 12, on: connection)
        if random.next() % 12 == 0 { used.server.closed(ConnectionID(index: connection)) }
      }
      // It is ended by either report.
      for index in 0..<2 {
        let id = ConnectionID(index: index)
        used.values.cancelPrepared(on: id)
        if random.next() % 2 == 0 { used.server.closed(id) } else { used.server.opened(id) }
      }
      let fresh = TestServer<SmallTable>()
      fresh.now = used.now
      fresh.values.payload = used.values.payload
      let written = used.values.written.count
      for number in 0..<40 {
        used.now = used.now + .milliseconds(UInt32(random.next() % 1500))
        fresh.now = used.now
        let request =
          random.next() % 4 == 0 ? random.mutated(Self.requests) : Self.requests[Int(random.next() % 19)]
        let (choice, connection) = (random.next() % 12, Int(random.next() % 2))
        let seen = Self.step(used, request, choice, on: connection)
        let expected = Self.step(fresh, request, choice, on: connection)
        let values = used.values.written.dropFirst(written).map(\.value)
        guard seen == expected, values == fresh.values.written.map(\.value) else {
          Issue.record("seed \(seed), request \(number), \(hex(request)): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }

  @Test("an indication that was not confirmed is not awaited on the next connection")
  func indication() {
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let peer = TestServer<SubscribedTable>()
      let id = ConnectionID(index: 0)
      for _ in 0..<20 {
        #expect(peer.ask("12 04 00 02 00") == "13", "seed \(seed)")
        var buffer = [UInt8](repeating: 0, count: 23)
        var room = buffer.mutableSpan
        let value = [1, 2] as [UInt8]
        let count = peer.server.indication(of: value.span, handle: 3, slot: 0, on: id, into: &room)
        #expect(count == 5 && peer.server.isIndicating(id), "seed \(seed)")
        if random.next() % 2 == 0 {
          #expect(peer.ask("1E").isEmpty && !peer.server.isIndicating(id), "seed \(seed)")
        }
        if random.next() % 2 == 0 { peer.server.closed(id) }
        peer.server.opened(id)
        #expect(!peer.server.isIndicating(id) && peer.server.mtu(id) == 23, "seed \(seed)")
        #expect(peer.server.configuration(slot: 0, on: id) == .none, "seed \(seed)")
      }
    }
  }
}
