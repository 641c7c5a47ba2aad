import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldBluetooth
@testable import HeraldEmbedded

/// How many records a page may hold (docs/log-format.md, section 1).
@Suite("Log: records in a page")
struct LogRecordLimitTests {
  private let peer = TargetIdentity(kind: .randomAddress, high: 0x4000, low: 1)

  @Test("A page with more records than a page may hold is malformed, and gives no more than those")
  func decoder() throws {
    let page = try #require(decode(page: overfullLogPage))
    #expect(page.records.count == 8192 && page.ending == .malformed)
    #expect(page.records.allSatisfy { $0.event == .measured(peer, RSSI(-50)) })
  }

  @Test("A good segment behind one that is malformed is read, and the page stays malformed")
  func segmentBehind() throws {
    let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image, freshEpoch: 7)
    try log.add(.lost(peer), at: 0)
    log.commit()
    var page = overfullLogPage
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
