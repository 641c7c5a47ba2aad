import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

@Suite("Decoder of log pages")
struct LogPageDecoderTests {
  /// A page whose records were committed once, in blocks without padding.
  private func page(_ events: [LogEvent]) throws -> [UInt8] {
    var log = FlashLog<MemoryFlash, 4>.mounted(on: FlashImage(pageSize: 1024, pageCount: 4, wordSize: 1))
    for (index, event) in events.enumerated() { try log.add(event, at: UInt64(index * 180)) }
    log.commit()
    return log.pageBytes(1) ?? []
  }

  @Test("A page with a damaged block is torn, whether the block begins a codeword or goes on with one")
  func torn() throws {
    let page = try page(
      (0..<90).map { (place: Int) -> LogEvent in
        let level = Int8(-30 - place * 37 % 60)
        return .measured(target(UInt32(place % 8)), RSSI(level))
      })
    let whole = try #require(decode(page: page))
    #expect(whole.ending == .complete && whole.records.count == 90)
    // The codeword of the first block goes on in the second.
    let second = 41 + Int(page[40] & 0x7F) + 2
    #expect(page[40] & 0x80 == 0)
    for offset in [40, 41, second - 1, second, second + 1, page.count - 1] {
      var damaged = page
      damaged[offset] ^= 2
      let found = try #require(decode(page: damaged))
      #expect(found.ending == .torn, "\(offset)")
      #expect(found.records == Array(whole.records.prefix(found.records.count)), "\(offset)")
      #expect(found.records.isEmpty == (offset < second), "\(offset)")
    }
  }

  @Test("A record that needs more than four bytes behind the end of its codeword is none")
  func cutCodeword() throws {
    let venue = LogEvent.visited(target(1), firstReceived: 0x1234_5678, lastReceived: 0x9ABC_DEF0)
    let page = try page([.lost(target(2)), venue])
    let whole = try #require(decode(page: page))
    #expect(whole.records.map(\.event) == [.lost(target(2)), venue])
    #expect(page[40] == 0x80 | 24)
    for missing in 1...12 {
      var cut = Array(page.dropLast(missing))
      cut[40] = 0x80 | UInt8(24 - missing)
      forge(&cut)
      let found = try #require(decode(page: cut))
      #expect(found.records.count == (missing > 2 ? 1 : 2), "without \(missing) bytes")
      #expect(found.records.first == whole.records.first && found.ending == .malformed)
    }
  }
}
