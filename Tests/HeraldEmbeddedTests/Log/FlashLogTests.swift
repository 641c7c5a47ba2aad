import HeraldSimulation
import Testing

@testable import HeraldBluetooth
@testable import HeraldEmbedded
@testable import HeraldHAL

private func setClock(_ unix: UInt64, at now: UInt64) -> WallClock {
  var clock = WallClock()
  clock.set(unixMilliseconds: unix, at: Instant(milliseconds: now), source: .host)
  return clock
}

@Suite("Flash log")
struct FlashLogTests {
  @Test(
    "HP-46 every kind of event comes back with its time and bytes, whatever the word size",
    arguments: [1, 2, 4, 8], [false, true])
  func everyKind(wordSize: Int, isSealed: Bool) throws {
    let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: wordSize)
    var log = FlashLog<MemoryFlash, 64>.mounted(on: image, isSealed: isSealed)
    let payload = (0..<510).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let events: [(LogEvent, [UInt8])] = [
      (.started(reason: 3), []),
      (.clockSet(unixMilliseconds: 0x0123_4567_89AB_CDEF, source: .beacon), []),
      (.ownPayload, Array(payload[0..<21])),
      (.detected(target(1, .publicAddress)), []),
      (.measured(target(1, .publicAddress), RSSI(-47)), []),
      (.measured(target(1, .publicAddress), .notAvailable), []),
      (.measured(target(1, .publicAddress), RSSI(-127)), []),
      (.measured(target(1, .publicAddress), RSSI(20)), []),
      (.txPower(target(1, .publicAddress), -12), []),
      (.heraldDetected(target(2, .pseudoAddress)), []),
      (.read(target(2, .pseudoAddress)), payload),
      (.shared(target(3, .shared)), []),
      (.shared(target(3, .shared)), [0]),
      (.read(target(4)), Array(payload[0..<124])),
      (.read(target(4)), Array(payload[0..<125])),
      (.read(target(4)), [0xFF]),
      (.battery(level: 100, external: false), []),
      (.battery(level: 0, external: true), []),
      (.dropped(count: .max), []),
      (.lost(target(1, .publicAddress)), []),
      (.received(target(3, .shared)), payload),
      (.received(target(3, .shared)), []),
      (.model(target(2, .pseudoAddress)), Array("SM-A405FN".utf8)),
      (.observed(target(5), ServiceNumber(rawValue: 0)), Array(payload[0..<16])),
      (.observed(target(5), ServiceNumber(rawValue: 1)), Array(payload[0..<8])),
      (.ownCode(ServiceNumber(rawValue: 0)), Array(payload[0..<16])),
      (.ownCode(ServiceNumber(rawValue: 1)), Array(payload[0..<8])),
      (.visited(target(6), firstReceived: 7_654, lastReceived: 300), []),
      (.visited(target(6), firstReceived: .max, lastReceived: 0), []),
    ]
    var expected: [PlainRecord] = []
    var now: UInt64 = 1
    for (event, bytes) in events {
      now += now + 7
      try log.add(event, bytes, at: now)
      expected.append(PlainRecord(event: event, milliseconds: now - now % 10, payload: bytes))
    }
    log.commit()
    #expect(log.records() == expected)
    #expect(log.pages().allSatisfy { $0.ending == .complete })
    #expect(log.statistic(0) == UInt32(events.count) && log.statistic(1) == 4)
  }

  @Test("HP-46 what is not committed is not read, and a commit makes all of it readable")
  func commit() throws {
    let image = FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
    try log.add(.measured(target(1), RSSI(-50)), at: 1000)
    #expect(log.hasPending && log.records().isEmpty && log.standing.openBytes == 40)
    log.commit()
    #expect(!log.hasPending && log.records().count == 1)
    let size = log.standing.openBytes
    log.commit()
    #expect(log.standing.openBytes == size)
    try log.add(.measured(target(1), RSSI(-50)), at: 1180)
    log.commit()
    #expect(log.records().map(\.milliseconds) == [1000, 1180])
    #expect(log.standing.openBytes - size == 8)  // what a commit and a reading cost
  }

  @Test("HP-46 times: to 10 ms, over silences of months, beyond 49 days, and never backwards")
  func times() throws {
    let image = FlashImage(pageSize: 1024, pageCount: 8, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
    let times: [UInt64] = [
      19, 20, 29, 30, 330, 640, 641, 700_000, 655_370_000, 4_294_967_290, 4_294_967_296, 4_294_967_310,
      9_000_000_000, 99_000_000_000, 99_000_000_009, 1_000_000_000_000,
    ]
    for time in times { try log.add(.measured(target(1), RSSI(-50)), at: time) }
    try log.add(.measured(target(1), RSSI(-50)), at: 5)  // a clock that went back
    try log.add(.measured(target(1), RSSI(-50)), at: 1_000_000_000_020)
    log.commit()
    #expect(
      log.records().map(\.milliseconds)
        == times.map { $0 - $0 % 10 } + [1_000_000_000_000, 1_000_000_000_020])
    #expect(log.standing.newest == 4)  // a silence of more than 49 days begins a page
  }

  @Test("HP-46 a page says what the date was when it began, and who said so")
  func wallClock() throws {
    let image = FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image, freshEpoch: 0xCAFE)
    try log.add(.started(reason: 0), at: 17)
    log.commit()
    var pages = log.pages()
    var header = try #require(pages.last).header
    #expect(
      header
        == LogPageHeader(
          sequence: 1, epoch: 0xCAFE, boot: 1, uptime: Instant(milliseconds: 10), unixMilliseconds: 0,
          clockSource: .unset, dictionaryCapacity: 16, wordSize: 4))
    let clock = setClock(1_700_000_000_123, at: 20)
    for index in 0..<900 {
      let rssi = RSSI(Int8(-30 - (index * index) % 61))
      try log.add(.measured(target(UInt32(index % 9)), rssi), at: 1000 + UInt64(index) * 93, clock: clock)
    }
    log.commit()
    pages = log.pages()
    header = try #require(pages.last).header
    #expect(header.sequence == 2 && header.clockSource == .host)
    #expect(header.unixMilliseconds == 1_700_000_000_123 - 20 + header.uptime.milliseconds)
  }

  @Test("HP-26 more targets than the dictionary holds: all come back, with one place as with sixty-four")
  func eviction() throws {
    func check<let dictionary: Int>(_ type: FlashLog<MemoryFlash, dictionary>.Type) throws {
      let image = FlashImage(pageSize: 4096, pageCount: 16, wordSize: 4)
      var log = type.mounted(on: image)
      var random = Seeded(UInt64(dictionary))
      var expected: [PlainRecord] = []
      for index in 0..<900 {
        let event = LogEvent.measured(
          target(UInt32.random(in: 0..<70, using: &random)),
          RSSI(Int8.random(in: -100 ... -30, using: &random)))
        try log.add(event, at: UInt64(index) * 90)
        expected.append(PlainRecord(event: event, milliseconds: UInt64(index) * 90))
      }
      log.commit()
      #expect(log.records() == expected)
    }
    try check(FlashLog<MemoryFlash, 1>.self)
    try check(FlashLog<MemoryFlash, 2>.self)
    try check(FlashLog<MemoryFlash, 16>.self)
    try check(FlashLog<MemoryFlash, 64>.self)
  }

  @Test(
    "the ring turns: the oldest pages go and are counted, the rest stays, and wear is even",
    arguments: [false, true])
  func turnOver(isSealed: Bool) throws {
    let image = FlashImage(pageSize: 512, pageCount: 5, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image, isSealed: isSealed)
    var expected: [PlainRecord] = []
    for index in 0..<9000 {
      let event = LogEvent.measured(target(UInt32(index % 13)), RSSI(Int8(-30 - (index * 7) % 50)))
      try log.add(event, at: UInt64(index) * 210)
      expected.append(PlainRecord(event: event, milliseconds: UInt64(index) * 210))
      if index % 3 == 0 { log.maintain() }
    }
    log.commit()
    let status = log.standing
    #expect(status.newest > 10)
    #expect(status.newest - status.oldest == 4 || status.newest - status.oldest == 3)
    #expect(log.statistic(5) == status.oldest - 1)
    #expect(log.statistic(3) == status.newest)
    let records = log.records()
    #expect(records == Array(expected.suffix(records.count)))
    #expect(records.count > 900)
    let least = image.erasures.min() ?? 0
    #expect(image.erasures.allSatisfy { $0 - least <= 1 })

    // A restart finds the same.
    let found = FlashLog<MemoryFlash, 16>.mounted(on: image).standing
    #expect(found.oldest == status.oldest && found.newest == status.newest && found.epoch == status.epoch)
    #expect(found.openBytes == status.openBytes && found.boot == 2)
  }

  @Test(
    "maintain erases ahead, so that append never does; without it append erases itself",
    arguments: [false, true])
  func maintain(isSealed: Bool) throws {
    for isIdle in [true, false] {
      let image = FlashImage(pageSize: 512, pageCount: 4, wordSize: 4)
      var log = FlashLog<MemoryFlash, 16>.mounted(on: image, isSealed: isSealed)
      if isIdle { log.maintain() }
      var erasedByAppend = 0
      for index in 0..<4000 {
        let before = log.statistic(4)
        let rssi = RSSI(Int8(-30 - (index * index) % 61))
        try log.add(.measured(target(UInt32(index % 7)), rssi), at: UInt64(index) * 100)
        erasedByAppend += Int(log.statistic(4) - before)
        if isIdle { log.maintain() }
      }
      #expect(isIdle ? erasedByAppend == 0 : erasedByAppend > 2)
      #expect(log.statistic(7) == 0)
    }
  }

  @Test(
    "broken pages are skipped: the log continues, counts the errors and tells how many events were lost",
    arguments: [false, true])
  func brokenPages(isSealed: Bool) throws {
    let image = FlashImage(pageSize: 512, pageCount: 6, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image, isSealed: isSealed)
    var appended = 0
    for index in 0..<700 {
      if index == 50 { image.brokenPages = [0, 2] }
      let rssi = RSSI(Int8(-30 - (index * index) % 61))
      try log.add(.measured(target(UInt32(index % 7)), rssi), at: UInt64(index) * 100)
      appended += 1
      if index % 10 == 0 { log.maintain() }
    }
    log.commit()
    let records = log.records()
    let lost = records.reduce(0) { sum, record in
      if case .dropped(let count) = record.event { sum + Int(count) } else { sum }
    }
    let readings = records.filter { if case .measured = $0.event { true } else { false } }.count
    #expect(lost > 0 && lost == Int(log.statistic(6)))
    #expect(readings + lost == appended)
    #expect(log.statistic(7) > 0)

    // All of it broken: the caller hears so, and later the log works again and tells.
    image.brokenPages = Set(0..<6)
    var refused = 0
    for index in 0..<300 {
      do throws(LogError) {
        try log.add(.detected(target(9)), at: 100_000 + UInt64(index))
      } catch {
        #expect(error == .flashFailed)
        refused += 1
      }
      if index % 10 == 9 { log.commit() }
    }
    #expect(refused > 100)
    image.brokenPages = []
    try log.add(.lost(target(9)), at: 200_000)
    log.commit()
    guard case .dropped(let count) = log.records().suffix(2).first?.event else {
      Issue.record("no count of the lost")
      return
    }
    #expect(Int(count) >= refused)
  }

  @Test(
    "a reading is taken while a page is open, and is what an appended one is",
    arguments: [false, true])
  func readings(isSealed: Bool) throws {
    let image = FlashImage(pageSize: 512, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>(flash: MemoryFlash(image))
    let isTakenUnmounted = log.take(reading: RSSI(-50), of: target(1), at: .start)
    if isSealed { log.makeTestKeys() }
    log.mount(freshEpoch: 7)
    let isTakenFirst = log.take(reading: RSSI(-50), of: target(1), at: .start)
    #expect(!isTakenUnmounted && !isTakenFirst)
    try log.append(.detected(target(1)), at: Instant(milliseconds: 10), clock: WallClock())
    let isTaken = log.take(reading: RSSI(-50), of: target(1), at: Instant(milliseconds: 20))
    try log.append(.measured(target(1), RSSI(-51)), at: Instant(milliseconds: 30), clock: WallClock())
    #expect(isTaken)
    #expect(log.statistic(0) == 3)
    #expect(log.statistic(1) == 2)
    log.commit()
    #expect(
      log.records() == [
        PlainRecord(event: .detected(target(1)), milliseconds: 10),
        PlainRecord(event: .measured(target(1), RSSI(-50)), milliseconds: 20),
        PlainRecord(event: .measured(target(1), RSSI(-51)), milliseconds: 30),
      ])
    // A flash that takes nothing any more: the reading is given back, and counts among the dropped only when
    // it is appended.
    image.brokenPages = Set(0..<4)
    var taken = 0
    while taken < 1_000,
      log.take(reading: RSSI(Int8(-40 - taken * taken % 61)), of: target(1), at: Instant(milliseconds: 40))
    {
      taken += 1
    }
    #expect(taken > 50 && taken < 1_000)
    #expect(Int(log.statistic(6)) == taken)
  }

  @Test(
    "erasing all goes page by page, the oldest first, leaves no byte, and begins a new epoch",
    arguments: [false, true])
  func eraseAll(isSealed: Bool) throws {
    let image = FlashImage(pageSize: 512, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image, freshEpoch: 7, isSealed: isSealed)
    for index in 0..<6000 {
      try log.add(.measured(target(1), RSSI(Int8(-60 - index * index % 37))), at: UInt64(index) * 1000)
    }
    let oldest = log.standing.oldest
    log.beginErasing()
    #expect(log.refusal(.detected(target(2)), at: 5_000_000) == .notMounted)
    for left in (0..<4).reversed() {
      let before = image.erasures.reduce(0, +)
      let isErased = log.eraseNext()
      #expect(isErased)
      #expect(log.pagesToErase == left && image.erasures.reduce(0, +) == before + 1)
      // What would be found after a cut is the newest part.
      let found = FlashLog<MemoryFlash, 16>.mounted(on: image.copy(), freshEpoch: 8).standing
      #expect(left == 0 ? found.epoch == 8 : found.oldest == oldest + UInt32(4 - left))
    }
    #expect(image.bytes.allSatisfy { $0 == 0xFF })
    log.mount(freshEpoch: 8)
    #expect(log.refusal(.detected(target(2)), at: 5_000_000) == .notMounted)
    log = .mounted(on: image, freshEpoch: 8, isSealed: isSealed)
    #expect(log.standing.epoch == 8 && log.standing.oldest == 1 && log.standing.newest == 0)
    #expect(log.records().isEmpty)
    try log.add(.detected(target(2)), at: 5_000_000)
    log.commit()
    #expect(log.standing.newest == 1)
    #expect(log.records() == [PlainRecord(event: .detected(target(2)), milliseconds: 5_000_000)])
    #expect(FlashLog<MemoryFlash, 16>.mounted(on: image).standing.epoch == 8)
  }

  @Test(
    "a report of lost events that is lost itself is made again, with all of them",
    arguments: [false, true])
  func lostReport(isSealed: Bool) throws {
    let image = FlashImage(pageSize: 512, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
    let all = Set(0..<4)
    image.brokenPages = all
    for time in 1...3 { #expect(log.refusal(.battery(level: 1, external: false), at: UInt64(time)) != nil) }
    image.brokenPages = []
    try log.add(.battery(level: 2, external: false), at: 1000)
    image.brokenPages = all
    log.commit()
    image.brokenPages = []
    try log.add(.battery(level: 3, external: false), at: 2000)
    log.commit()
    #expect(
      log.records().suffix(2).map(\.event) == [.dropped(count: 4), .battery(level: 3, external: false)])
    #expect(log.statistic(6) == 4)
  }

  @Test("a page of another epoch is no part of the log, whatever its number")
  func otherEpoch() throws {
    let other = FlashImage(pageSize: 256, pageCount: 3, wordSize: 4)
    var former = FlashLog<MemoryFlash, 8>.mounted(on: other, freshEpoch: 1)
    let image = FlashImage(pageSize: 256, pageCount: 3, wordSize: 4)
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, freshEpoch: 2)
    var time: UInt64 = 0
    while log.standing.newest < 2, time < 1_000_000 {
      time += 1000
      try former.add(.detected(target(UInt32(time))), at: time)
      try log.add(.detected(target(UInt32(time))), at: time)
    }
    log.commit()
    #expect(log.standing.newest == 2 && former.standing.newest == 2)
    #expect(FlashLog<MemoryFlash, 8>.mounted(on: image).standing.oldest == 1)
    image.bytes.replaceSubrange(0..<256, with: other.bytes[0..<256])
    let mixed = FlashLog<MemoryFlash, 8>.mounted(on: image).standing
    #expect(mixed.epoch == 2 && mixed.newest == 2 && mixed.oldest == 2)
  }

  @Test("what cannot be: refused with its own error")
  func refusals() throws {
    var unmounted = FlashLog<MemoryFlash, 16>(flash: MemoryFlash(pageSize: 512, pageCount: 4, wordSize: 4))
    #expect(unmounted.refusal(.detected(target(1)), at: 0) == .notMounted)
    for (pageSize, pageCount, word) in [(128, 8, 4), (512, 1, 4), (512, 8, 16), (500, 8, 4)] {
      let image = FlashImage(pageSize: pageSize, pageCount: pageCount, wordSize: word)
      var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
      #expect(log.refusal(.detected(target(1)), at: 0) == .notMounted)
    }
    var many = FlashLog<MemoryFlash, 65>.mounted(on: FlashImage(pageSize: 512, pageCount: 4, wordSize: 4))
    #expect(many.refusal(.detected(target(1)), at: 0) == .notMounted)

    var log = FlashLog<MemoryFlash, 16>.mounted(on: FlashImage(pageSize: 512, pageCount: 4, wordSize: 4))
    #expect(log.refusal(.read(target(1)), [UInt8](repeating: 0, count: 511), at: 0) == .tooLong)
    // fits no page of 512 bytes
    #expect(log.refusal(.read(target(1)), [UInt8](repeating: 0, count: 300), at: 0) == .tooLong)
    try log.add(.measured(target(1), RSSI(-3)), [UInt8](repeating: 0, count: 511), at: 0)  // has no payload
    log.commit()
    #expect(log.readRefusal(0, 0) == .gone && log.readRefusal(2, 0) == .gone)
    #expect(log.readRefusal(1, 500) == .outOfRange)
    #expect(log.readRefusal(1, -1) == .outOfRange)
    let end = log.readableBytes(sequence: 1) ?? -1
    #expect(log.readRefusal(1, end) == nil)
    #expect(log.readRefusal(1, end + 1) == .outOfRange)
  }

  @Test("statistics have names a script can rely on")
  func statistics() {
    typealias Log = FlashLog<MemoryFlash, 16>
    #expect(name(Log.statisticsName) == "log")
    #expect(
      (0..<Log.statisticsCount).map { "\(Log.statisticName($0))" } == [
        "records", "readings", "commits", "pages", "erases", "overwritten_pages", "dropped", "flash_errors",
        "expired_pages", "trimmed_pages", "capacity",
      ])
    #expect("\(Log.statisticName(11))" == "")
  }

  private func name(_ text: StaticString) -> String { "\(text)" }
}
