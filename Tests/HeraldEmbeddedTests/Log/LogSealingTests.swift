import HeraldBluetooth
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldEmbedded
@testable import HeraldHAL

@Suite("Sealed log")
struct LogSealingTests {
  /// A log of two starts in a ring of 1 KB pages, several pages long, and what it holds.
  private func written(isSealed: Bool = true) throws -> (pages: [[UInt8]], records: [PlainRecord]) {
    let image = FlashImage(pageSize: 1024, pageCount: 8, wordSize: 4)
    var records: [PlainRecord] = []
    var random = Seeded(3)
    for boot in 1...2 as ClosedRange<UInt32> {
      var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
      for number in 0..<900 as Range<UInt32> {
        let now = UInt64(number) * 120
        let event =
          number % 400 == 5
          ? LogEvent.read(target(number % 6))
          : .measured(target(number % 6), RSSI(Int8.random(in: -90 ... -40, using: &random)))
        let payload = number % 400 == 5 ? (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) } : []
        try log.add(event, payload, at: now)
        records.append(PlainRecord(event: event, milliseconds: now, payload: payload, boot: boot))
      }
      log.commit()
    }
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
    let status = log.standing
    #expect(status.oldest == 1 && status.newest > 3)
    var pages: [[UInt8]] = []
    for sequence in status.oldest...status.newest { pages += [log.pageBytes(sequence) ?? []] }
    return (pages, records)
  }

  @Test(
    "the owner reads what was logged; nobody else reads a record, and no page shows an address or payload")
  func roundTrip() throws {
    let (pages, records) = try written()
    #expect(pages.compactMap { decode(page: $0) }.flatMap(\.records) == records)
    #expect(pages.allSatisfy { decode(page: $0)?.ending == .complete })
    let other = [UInt8](2...33)
    let stranger = SealedPageOpener(secret: other.span)
    let address = withUnsafeBytes(of: target(3).low.littleEndian) { Array($0) }
    for page in pages {
      let decodes = LogPageDecoder(page.span) != nil
      #expect(!decodes)
      #expect(TestOwner.opened(page, by: stranger) == nil)
      #expect(TestOwner.opened(page, serial: Array("SEAL-0002".utf8)) == nil)
      #expect(!page.contains(address) && !page.contains((0..<16).map { UInt8($0 * 7) }))
    }
    // The same log in clear shows both.
    let clear = try written(isSealed: false).pages
    #expect(clear.contains { $0.contains((0..<16).map { UInt8($0 * 7) }) })
  }

  @Test(
    "no bit of a page can be changed unnoticed: what is read is a beginning of what was logged, or nothing")
  func everyBit() throws {
    let page = try written().pages[1]
    let whole = try #require(decode(page: page)).records
    for place in page.indices {
      var changed = page
      changed[place] ^= 1 << UInt8(place & 7)
      let records = decode(page: changed)?.records ?? []
      guard records.count <= whole.count, records == Array(whole.prefix(records.count)) else {
        Issue.record("byte \(place): \(records.count) records")
        return
      }
      // The header and what the keys are found with.
      if place < 80 { #expect(records.isEmpty) }
    }
    for count in stride(from: 0, to: page.count, by: 3) {
      let records = decode(page: Array(page[..<count]))?.records ?? []
      #expect(records == Array(whole.prefix(records.count)))
    }
  }

  private func showsSealed(_ page: [UInt8]) -> Bool? { LogPageHeader(page.span)?.isSealed }

  private func header(_ page: [UInt8]) -> LogPageHeader? { LogPageHeader(page.span) }
  private func frame(_ bytes: [UInt8]) -> SealedBlockFrame? { SealedBlockFrame(bytes.span) }

  /// Where the blocks of a page with one segment are.
  private func blocks(_ page: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var place = 80
    while place + 2 <= page.count, let frame = frame(Array(page[place..<(place + 2)])) {
      found.append(place..<(place + frame.size(word: 4)))
      place += frame.size(word: 4)
    }
    return found
  }

  @Test("blocks and headers of other places, pages and devices are refused")
  func swapped() throws {
    let pages = try written().pages
    let first = blocks(pages[0])
    #expect(first.count > 4)
    let full = blocks(pages[1]).filter { $0.count == 192 }
    try #require(full.count >= 2)
    // One full block in the place of another, and of the same place in another page.
    var changed = pages[1]
    let all = try #require(decode(page: changed)).records
    changed.replaceSubrange(full[1], with: pages[1][full[0]])
    let records = decode(page: changed)?.records ?? []
    #expect(records.count < all.count && records == Array(all.prefix(records.count)))
    changed = pages[0]
    changed.replaceSubrange(first[0], with: pages[1][first[0]])
    #expect(decode(page: changed)?.records == [])
    // The header of one page before the blocks of another, and a page moved behind the first 64 bytes of it.
    changed = Array(pages[0][..<80] + pages[1][80...])
    #expect(decode(page: changed)?.records == [])
    changed = Array(pages[1][..<128] + pages[0][..<896])
    let moved = decode(page: changed)?.records ?? []
    #expect(moved.allSatisfy { $0.boot == 1 } && moved.count < 60)
    // A header without the mark "sealed", with a right checksum, has no valid blocks.
    guard var header = header(pages[0]) else {
      Issue.record("no header")
      return
    }
    header.isSealed = false
    changed = pages[0]
    var room = changed.mutableSpan
    _ = header.write(to: &room)
    #expect(decode(page: changed)?.records == [])
  }

  @Test(
    "an opener that has opened pages of a device opens none of them as another's, and then the same again")
  func otherDevice() throws {
    let page = try written().pages[0]
    var opener = TestOwner.opener
    var output = [UInt8](repeating: 0, count: SealedPage.room(for: page.count))
    var room = output.mutableSpan
    let (own, other, longer) = (TestOwner.serial, Array("SEAL-0002".utf8), TestOwner.serial + [0])
    for (serial, opened) in [(own, 1), (other, 0), (own, 1), (longer, 0), ([], 0), (own, 1)] {
      let outcome = opener.open(page.span, serial: serial.span, into: &room)
      #expect(outcome.opened == opened && outcome.foreign == 1 - opened)
    }
  }

  @Test(
    "four thousand pages of garbage with valid headers give no record (`script/bench garbage`: a million)")
  func garbage() throws {
    var random = Seeded(22)
    let page = try written().pages[0]
    var found = 0
    for round in 0..<4000 {
      // The header alone; the header and the device's key; and all that is before the blocks, with the frame
      // of a first block. A key that is not the page's costs an X25519.
      let start = round % 256 == 0 ? 40 : round % 2 == 0 ? 72 : 80
      var changed = Array(page[..<start])
      while changed.count < 128 + round % 897 { changed.append(UInt8.random(in: 0...255, using: &random)) }
      if start == 80 { changed[80] = [0x00, 0x01, 0x10, 0x2B, 0xFC, 0xFD][round % 6] }
      found += decode(page: changed)?.records.count ?? 0
    }
    #expect(found == 0)
  }

  @Test("in literal bytes: the header, and the frames of blocks")
  func layout() throws {
    let image = FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: true)
    try log.add(.battery(level: 50, external: false), at: 20)
    log.commit()
    let page = log.pageBytes(1) ?? []
    try #require(page.count > 80)
    #expect(Array(page[..<8]) == [0x48, 0x4C, 0x6F, 0x67, 3, 4, 8, 0x80])
    // X25519 of the bytes 33…64 and the base point, by an independent program.
    #expect(
      Array(page[40..<72])
        == hexBytes("5869aff450549732cbaaed5e5df9b30a6da31cb0e5742bad5ad4a1a768f1a67b"))
    #expect(page[72] == 0)
    // A final block: mark, content, tag of four bytes, padding.
    let count = Int(page[80])
    #expect(page.count == 80 + (1 + count + 4 + 3) / 4 * 4)
    #expect(TestOwner.opener.publicKey.array.count == 32)
  }

  @Test("a page that is not sealed is not continued sealed, nor the other way round")
  func turning() throws {
    let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)
    for (boot, isSealed) in [false, true, true, false].enumerated() {
      var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
      try log.add(.started(reason: UInt8(boot)), at: 20)
      log.commit()
    }
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
    var pages: [[UInt8]] = []
    for sequence in 1...log.standing.newest { pages += [log.pageBytes(sequence) ?? []] }
    #expect(pages.map { showsSealed($0) } == [false, true, false])
    let boots = log.records().map(\.boot)
    #expect(boots == [1, 2, 3, 4])
  }

  @Test("keys that arrive while a page is open end it; those that are removed do too, and are wiped")
  func atRuntime() throws {
    let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
    try log.add(.battery(level: 1, external: false), at: 0)
    let owner = TestOwner.opener.publicKey.array
    let isNeeded = log.sealer.isDue(at: .start) && log.sealer.isIdle
    #expect(isNeeded)
    let (secret, serial) = ([UInt8](33...64), TestOwner.serial)
    log.sealer.begin(secret: secret.span)
    for _ in 0..<2 {
      while !log.sealer.advance() {}
      log.makeKeys(owner: owner.span, serial: serial.span, at: .start)
    }
    let isSealed = log.sealer.isActive
    #expect(isSealed)
    // A day later others are due.
    let isDue = [0, 86_399_999, 86_400_000].map { log.sealer.isDue(at: Instant(milliseconds: $0)) }
    #expect(isDue == [false, false, true])
    try log.add(.battery(level: 2, external: false), at: 10)
    log.unseal()
    try log.add(.battery(level: 3, external: false), at: 20)
    log.commit()
    var pages: [[UInt8]] = []
    for sequence in 1...3 as ClosedRange<UInt32> { pages += [log.pageBytes(sequence) ?? []] }
    #expect(pages.map { showsSealed($0) } == [false, true, false])
    let levels = log.records().map(\.event)
    #expect(levels == (1...3).map { .battery(level: $0, external: false) })
    let sealer = log.sealer
    #expect(sealer.chain.array == [UInt8](repeating: 0, count: 32))
  }

  /// Logs as much as is taken at a moment, and returns the number of the last page.
  private func fill(_ log: inout FlashLog<MemoryFlash, 8>, at milliseconds: UInt64) -> UInt32 {
    for number in 0..<100_000 as Range<UInt32> {
      let reading = LogEvent.measured(
        target(number % 8), RSSI(Int8(-40 - Int(number &* 2_654_435_761 &>> 24) % 50)))
      if log.refusal(reading, at: milliseconds) != nil { break }
    }
    return log.standing.newest
  }

  @Test(
    "192 segments of a chain can be filled at once, and from then on one a minute, until the hour is over")
  func chain() throws {
    let image = FlashImage(pageSize: 256, pageCount: 300, wordSize: 4)
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: true)
    let newest = [0, 59_999, 60_000, 119_999, 180_000].map { fill(&log, at: $0) }
    #expect(newest == [192, 192, 193, 193, 195])
    let isDue = [0, 180_000, 3_599_999, 3_600_000].map { log.sealer.isDue(at: Instant(milliseconds: $0)) }
    #expect(isDue == [false, false, false, true])
    // Whatever comes, a reader computes at most 255 steps.
    let last = [62, 63, 600].map { fill(&log, at: $0 * 60_000) }
    #expect(last == [254, 255, 255])
    let pages = log.pages()
    #expect(pages.count == 255)
    // The events that were not taken are counted in the page after a time without keys.
    let lost = pages[193].records.first?.event
    guard case .dropped(let count)? = lost else {
      Issue.record("no record of what was dropped: \(String(describing: lost))")
      return
    }
    #expect(count == 2)
  }
}

extension Array where Element == UInt8 {
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: part) }
  }
}
