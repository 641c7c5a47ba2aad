import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

private let hour: UInt64 = 3_600_000
private let day: UInt64 = 24 * hour
/// 2026-11-01T00:00:00Z.
private let november: UInt64 = 1_793_491_200_000

/// A device that logs something each hour, and what it must have and must not have any more.
private struct HourlyLog: ~Copyable {
  let image: FlashImage
  var log: FlashLog<MemoryFlash, 8>
  var clock = WallClock()
  /// Milliseconds since start-up.
  var uptime: UInt64 = 0
  /// Milliseconds since the first start-up, the device's own truth.
  var truth: UInt64 = 0

  let isSealed: Bool

  init(_ image: FlashImage, isSealed: Bool = false) {
    self.image = image
    self.isSealed = isSealed
    log = .mounted(on: image, isSealed: isSealed)
  }

  /// The device is told the date, the true one unless said otherwise.
  mutating func setClock(_ source: WallClock.Source = .host, ahead: UInt64 = 0) {
    clock.set(unixMilliseconds: november + truth + ahead, at: Instant(milliseconds: uptime), source: source)
  }

  /// The device starts again.
  mutating func restart() {
    log = .mounted(on: image, isSealed: isSealed)
    clock = WallClock()
    uptime = 0
  }

  /// An hour goes by. Some bytes that tell the hour are logged, if `logs`.
  mutating func pass(hours: Int = 1, logs: Bool = true, days: UInt16 = 14) throws {
    for _ in 0..<hours {
      uptime += hour
      truth += hour
      if logs { try log.add(.read(target(1)), Self.mark(truth), at: uptime, clock: clock) }
      tidy(days: days)
    }
  }

  mutating func tidy(days: UInt16 = 14) {
    for _ in 0..<3 {
      log.commit()
      let before = image.erasures.reduce(0, +)
      log.retain(days: days, at: Instant(milliseconds: uptime))
      #expect(image.erasures.reduce(0, +) - before <= 1, "one erasure a call")
    }
  }

  /// Bytes that nothing else looks like, too many to be coded in their record.
  static func mark(_ truth: UInt64) -> [UInt8] {
    let number = UInt16(truth / hour)
    return [0xDE, 0xAD, 0xBE, 0xEF, UInt8(number >> 8), UInt8(number & 255)] + (0..<16).map { 0xC0 + $0 }
  }

  /// The hours that can be read out of the flash with a knife, whether they belong to the log or not.
  var remains: [Int] { isSealed ? Self.sealedRemains(of: image) : Self.remains(of: image) }

  /// The same of sealed pages, with the owner's key; hour 0 stands for a page that is neither erased nor has
  /// a header that opens: nobody knows how old it is.
  static func sealedRemains(of image: FlashImage) -> [Int] {
    var hours: [Int] = []
    for start in stride(from: 0, to: image.bytes.count, by: image.pageSize) {
      let page = Array(image.bytes[start..<(start + image.pageSize)])
      if let found = decode(page: page) {
        hours += found.records.compactMap { told(by: $0) }
      } else if page.contains(where: { $0 != 0xFF }) {
        hours.append(0)
      }
    }
    return hours.sorted()
  }

  private static func told(by record: PlainRecord) -> Int? {
    record.payload.count == 22 ? Int(record.payload[4]) << 8 | Int(record.payload[5]) : nil
  }

  static func remains(of image: FlashImage) -> [Int] {
    let bytes = image.bytes
    return bytes.indices.dropLast(22).filter { at in
      bytes[at] == 0xDE && bytes[at + 1] == 0xAD && bytes[at + 2] == 0xBE && bytes[at + 3] == 0xEF
    }.map { Int(bytes[$0 + 4]) << 8 | Int(bytes[$0 + 5]) }.sorted()
  }

  /// The hours that the log tells.
  mutating func told() -> [Int] {
    log.records().compactMap { Self.told(by: $0) }
  }

  var now: Int { Int(truth / hour) }
}

@Suite("Retention")
struct LogRetentionTests {
  private func image() -> FlashImage { FlashImage(pageSize: 1024, pageCount: 64, wordSize: 4) }

  @Test("a clock that is set back makes no page old")
  func setBack() throws {
    let image = FlashImage(pageSize: 512, pageCount: 6, wordSize: 4)
    var clock = WallClock()
    clock.set(unixMilliseconds: 1_700_000_000_000, at: .start, source: .host)
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
    var time: UInt64 = 0
    while log.standing.newest < 4 {
      time += 1000
      try log.add(.detected(target(UInt32(time))), at: time, clock: clock)
    }
    log.commit()
    var again = FlashLog<MemoryFlash, 8>.mounted(on: image)
    clock.set(unixMilliseconds: 1_660_000_000_000, at: .start, source: .host)
    for second in 0..<20 {
      again.retain(days: 30, at: Instant(milliseconds: UInt64(second) * 1000))
    }
    #expect(again.standing.oldest == 1)
  }

  @Test(
    "what is younger than two weeks is there, what is older than those and a day is nowhere in the flash",
    arguments: [false, true])
  func dated(isSealed: Bool) throws {
    var diary = HourlyLog(image(), isSealed: isSealed)
    diary.setClock()
    for _ in 0..<(30 * 24 / 7) {
      try diary.pass(hours: 7)
      let remains = diary.remains
      let first = try #require(remains.first)
      #expect(first >= diary.now - 15 * 24 - 1)
      #expect(first <= max(1, diary.now - 14 * 24))
      #expect(remains == Array(first...diary.now))
      #expect(diary.told() == remains)
    }
    #expect(diary.log.statistic(8) >= 15)
    #expect(diary.log.statistic(5) == 0)
    // What was erased is not taken for the log's after a restart either.
    let before = diary.told()
    diary.restart()
    #expect(diary.told() == before)
  }

  @Test("0 days keep everything until the ring needs the place")
  func forever() throws {
    var diary = HourlyLog(image())
    diary.setClock()
    try diary.pass(hours: 40 * 24, days: 0)
    #expect(diary.remains == Array(1...(40 * 24)))
    #expect(diary.log.statistic(8) == 0)
  }

  @Test("when nothing happens any more the last page goes too")
  func quiet() throws {
    var diary = HourlyLog(image())
    diary.setClock()
    try diary.pass(hours: 30)
    try diary.pass(hours: 14 * 24 - 2, logs: false)
    #expect(diary.remains.last == 30)
    try diary.pass(hours: 28, logs: false)
    #expect(diary.remains == [])
    #expect(diary.log.standing.oldest > diary.log.standing.newest)
    // And it continues.
    try diary.pass(hours: 2)
    #expect(diary.told().count == 2)
    let status = diary.log.standing
    diary.restart()
    #expect(diary.log.standing.newest == status.newest && diary.told().count == 2)
  }

  @Test("a page that was opened and closed between two looks is not taken for an old one")
  func burst() throws {
    var diary = HourlyLog(image())
    try diary.pass(hours: 16 * 24, logs: false)
    // It fills a page and begins another, which its end closes.
    for number in 0..<40 {
      try diary.log.add(
        .read(target(2)), [UInt8](repeating: UInt8(number), count: 100), at: diary.uptime, clock: diary.clock)
    }
    diary.log.commit()
    let records = diary.log.records().count
    try diary.pass(hours: 14 * 24 - 1, logs: false)
    #expect(diary.log.records().count == records)
  }

  @Test(
    "without a date uptime counts: no page of this start is erased too early, and none stays indefinitely")
  func undated() throws {
    var diary = HourlyLog(image())
    try diary.pass(hours: 14 * 24)
    #expect(diary.remains.first == 1)
    try diary.pass(hours: 10 * 24)
    let first = try #require(diary.remains.first)
    #expect(first >= diary.now - 15 * 24 - 1 && first <= diary.now - 14 * 24)
  }

  @Test("the time of earlier starts counts as far as their pages show it, with a date or without")
  func earlierStarts() throws {
    for hasDate in [false, true] {
      var diary = HourlyLog(image())
      for _ in 0..<20 {
        diary.restart()
        if hasDate { diary.setClock() }
        try diary.pass(hours: 50)
        #expect(try #require(diary.remains.first) <= max(1, diary.now - 14 * 24), "nothing goes too early")
      }
      // Pages show at least the 25 hours up to the last one that each of these starts has begun.
      #expect(try #require(diary.remains.first) >= diary.now - 32 * 24)
    }
    // Also if none of them has begun another page: two weeks of uptime.
    var other = HourlyLog(image())
    try other.pass(hours: 20)
    other.restart()
    try other.pass(hours: 14 * 24 - 1)
    #expect(other.remains.first == 1)
    try other.pass(hours: 26)
    #expect(try #require(other.remains.first) > 20)
  }

  @Test(
    "a date erases nothing: ahead, back, ahead again, from a host or a beacon, with starts in between; own time does",
    arguments: [WallClock.Source.host, .beacon])
  func dates(source: WallClock.Source) throws {
    var diary = HourlyLog(image())
    diary.setClock()
    try diary.pass(hours: 10 * 24)
    for days in [40, 0, 400, 14, 20_000] as [UInt64] {
      diary.setClock(source, ahead: days * day)
      try diary.pass(hours: 2)
      diary.restart()
      diary.tidy()
      diary.setClock(source, ahead: (days + 40) * day)
      diary.tidy()
      try diary.pass(hours: 2)
      diary.setClock()
      try diary.pass(hours: 1)
      #expect(diary.remains == Array(1...diary.now), "\(days) days ahead")
    }
    #expect(diary.log.statistic(8) == 0)
    try diary.pass(hours: 16 * 24)
    let first = try #require(diary.remains.first)
    #expect(first >= diary.now - 15 * 24 - 1 && first <= diary.now - 14 * 24)
  }

  @Test("in a ring of few pages a day takes no page for itself")
  func fewPages() throws {
    var diary = HourlyLog(FlashImage(pageSize: 1024, pageCount: 8, wordSize: 4))
    diary.setClock()
    for _ in 0..<30 {
      try diary.pass(hours: 23, logs: false)
      try diary.pass(hours: 1)
    }
    // 14 days and 14·4/8 more.
    let first = try #require(diary.remains.first)
    #expect(first >= diary.now - 21 * 24 - 24 && first <= diary.now - 14 * 24)
    #expect(diary.log.statistic(5) == 0)
  }

  @Test("a page that cannot be erased is tried again, and holds up no other")
  func broken() throws {
    let image = image()
    var diary = HourlyLog(image)
    diary.setClock()
    try diary.pass(hours: 10 * 24)
    image.brokenPages = [2]
    try diary.pass(hours: 10 * 24)
    #expect(diary.log.statistic(7) > 0)
    let first = try #require(diary.told().first)
    #expect(first >= diary.now - 15 * 24 - 1)
    image.brokenPages = []
    try diary.pass(hours: 3 * 24)
    #expect(diary.remains == diary.told())
  }

  @Test(
    "power cut at every step of the flash, and inside it: nothing young is lost, nothing old is left",
    arguments: [false, true])
  func power(isSealed: Bool) throws {
    // A fortnight and more of one page a day, then the days on which pages go.
    let image = FlashImage(pageSize: 2048, pageCount: 24, wordSize: 8)
    var diary = HourlyLog(image, isSealed: isSealed)
    diary.setClock()
    try diary.pass(hours: 16 * 24)
    let contents = image.copy()
    image.journal = []
    var scenario: [(steps: Int, hour: Int)] = []
    let start = image.steps
    for _ in 0..<(4 * 24) {
      try diary.pass()
      scenario.append((image.steps - start, diary.now))
    }
    let journal = try #require(image.journal)
    #expect(journal.contains { if case .erasure = $0 { true } else { false } })
    var known = 0
    var committed = 16 * 24
    for step in journal.indices {
      while known < scenario.count, scenario[known].steps <= step {
        committed = scenario[known].hour
        known += 1
      }
      // Every step of an erasure, what voids the header first included; of programming, which other tests cut
      // everywhere, a sample.
      let isErasing: Bool
      switch journal[step] {
      case .erasure: isErasing = true
      case .word(_, let offset, let bytes): isErasing = offset == 0 && bytes.allSatisfy { $0 == 0 }
      }
      for tearing in [FlashImage.Tearing.nothing, .some(seed: UInt64(step))] where isErasing || step % 16 == 0
      {
        let torn = contents.copy()
        torn.apply(journal[step], tearing: tearing)
        var after = HourlyLog(torn, isSealed: isSealed)
        after.truth = UInt64(committed) * hour
        let told = after.told()
        // What is younger than two weeks when the power goes is all there.
        let youngest = committed - 14 * 24
        guard let last = told.last, last >= committed, told == Array(told[0]...last), told[0] <= youngest + 1
        else {
          Issue.record("step \(step), \(tearing): \(told)")
          return
        }
        // And what is left of anything older goes, whole or torn.
        for _ in 0..<10 { after.tidy() }
        try after.pass()
        try after.pass(hours: 26, logs: false)
        let first = try #require(after.remains.first)
        // A page of these 24 may take records for 14·4/24 days, and the last one shows when it was begun.
        guard first >= after.now - 14 * 24 - 2 * 56 - 2 else {
          Issue.record("step \(step), \(tearing): \(first) is left at \(after.now)")
          return
        }
      }
      contents.apply(journal[step])
    }
  }
}
