import HeraldSimulation
import Testing

@testable import HeraldBluetooth
@testable import HeraldEmbedded

/// A page of 204 bytes with 8,193 readings: one more than a page's first segment may hold. Written by an
/// encoder in Python from docs/log-format.md: one target, always -50 dBm, all at the same time.
private let overfullPage = """
  484c6f6702041000070000000100000001000000000000000000000000000000
  00000000adc0e7f87dfdafffffffffffa5bf865f88a4b5eeb22881b16350865b
  f709815c7d0ae58ff5c173a6c3a5a2e4bb84a01c807d572b923a4bcf32789272
  1587510d14b6e0f159d0972a6ee68835d8c3f0977ef822eae490d41077e18771
  6ba38fbf2c19d7a11d1fec63e4500ffc423e799f54a0c0640a9c8653468a299c
  f8876e95381360c8a0d0d5fdd52cc349339f1b834ba36cd836fdea0f955f7c9f
  07b5dce0da512420005129ff
  """

/// How many records a page may hold (docs/log-format.md, section 1).
@Suite("Log: records in a page")
struct LogRecordLimitTests {
  private let peer = TargetIdentity(kind: .randomAddress, high: 0x4000, low: 1)

  private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  @Test("A page with more records than a page may hold is malformed, and gives no more than those")
  func decoder() throws {
    let page = try #require(decode(page: bytes(overfullPage)))
    #expect(page.records.count == 8192 && page.ending == .malformed)
    #expect(page.records.allSatisfy { $0.event == .measured(peer, RSSI(-50)) })
  }

  @Test("A good segment behind one that is malformed is read, and the page stays malformed")
  func segmentBehind() throws {
    let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image, freshEpoch: 7)
    try log.add(.lost(peer), at: 0)
    log.commit()
    var page = bytes(overfullPage)
    page += [UInt8](repeating: 0xFF, count: 256 - page.count) + (log.pageBytes(1) ?? [])
    let decoded = try #require(decode(page: page))
    #expect(decoded.records.count == 8193 && decoded.records.last?.event == .lost(peer))
    #expect(decoded.ending == .malformed)
  }

  @Test("The writer begins the next page after 8,192 records, and none is lost")
  func writer() throws {
    let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
    for _ in 0..<16_385 { try log.add(.measured(peer, RSSI(-50)), at: 0) }
    log.commit()
    let pages = log.pages()
    #expect(pages.map(\.records.count) == [8192, 8192, 1])
    #expect(pages.allSatisfy { $0.ending == .complete })
  }

  @Test("A further segment of a page holds half as many records as the one before it")
  func segments() throws {
    let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
    for _ in 0..<8192 { try log.add(.measured(peer, RSSI(-50)), at: 0) }
    log.commit()
    log = .mounted(on: image)
    for _ in 0..<5000 { try log.add(.measured(peer, RSSI(-50)), at: 0) }
    log.commit()
    let pages = log.pages()
    #expect(pages.map(\.records.count) == [8192 + 4096, 904])
    #expect(pages.allSatisfy { $0.ending == .complete })
    #expect(pages[0].records.last?.boot == 2)
  }

  @Test("After many restarts within one page the log continues in the next")
  func restarts() throws {
    let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)
    for _ in 0..<40 {
      var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
      try log.add(.started(reason: 0), at: 0)
      log.commit()
    }
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
    #expect(log.records().map(\.boot) == Array(1...40))
  }
}
