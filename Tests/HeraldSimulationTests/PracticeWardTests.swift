import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import Testing

@testable import HeraldSimulation

/// The logs of the practice ward have the faults of which its truth tells, and no other.
@Suite("The practice ward")
struct PracticeWardTests {
  /// 2026-09-14 00:00:00 UTC, a Monday.
  private static let monday: UInt64 = 1_789_344_000_000
  private static let hour: UInt64 = 3_600_000

  private static func ward(badges: Int = 12, days: Int = 5, seed: UInt64 = 1) throws -> PracticeWard {
    var setting = PracticeWard.Setting(begin: monday)
    (setting.badges, setting.days, setting.seed) = (badges, days, seed)
    return try PracticeWard(setting)
  }

  /// The ward of 12 badges and five days, and that of three.
  private static let five = Result { try ward() }
  private static let three = Result { try ward(days: 3) }

  /// The records of a badge with the dates of its clock; 0 before there was one in the page.
  private static func records(_ badge: PracticeWard.Badge) -> [(date: UInt64, event: LogEvent)] {
    var all: [(date: UInt64, event: LogEvent)] = []
    var payload = [UInt8](repeating: 0, count: LogEvent.maximumBytes)
    for page in badge.pages {
      guard var decoder = LogPageDecoder(page.bytes.span) else { continue }
      var boot: UInt32?
      var start: UInt64?
      while true {
        var buffer = payload.mutableSpan
        guard let record = decoder.next(payload: &buffer) else { break }
        let header = decoder.header
        if boot != header.boot {
          boot = header.boot
          start = header.unixMilliseconds == 0 ? nil : header.unixMilliseconds - header.uptime.milliseconds
        }
        if case .clockSet(let date, _) = record.event { start = date - record.at.milliseconds }
        all.append((start.map { $0 + record.at.milliseconds } ?? 0, record.event))
      }
      let ending = decoder.ending
      #expect(ending == .complete)
    }
    return all
  }

  private static func readings(_ badge: PracticeWard.Badge) -> [(date: UInt64, rssi: Int8)] {
    records(badge).compactMap { record in
      guard case .measured(_, let rssi) = record.event else { return nil }
      return (record.date, rssi.rawValue)
    }
  }

  @Test("The same setting gives the same bytes, another seed others")
  func deterministic() throws {
    let (one, same) = (try Self.ward(badges: 9, days: 3), try Self.ward(badges: 9, days: 3))
    let other = try Self.ward(badges: 9, days: 3, seed: 2)
    #expect(one.badges.map { $0.pages.map(\.bytes) } == same.badges.map { $0.pages.map(\.bytes) })
    #expect(one.badges.map(\.accessKey) == same.badges.map(\.accessKey))
    #expect(one.badges.map(\.serial) != other.badges.map(\.serial))
    #expect(one.badges.map { $0.pages.map(\.bytes) } != other.badges.map { $0.pages.map(\.bytes) })
  }

  @Test("Serial numbers, payloads, epochs and keys differ; the keys are in the nodes' settings")
  func distinct() throws {
    let ward = try Self.ward(badges: 24, days: 3)
    #expect(ward.badges.count == 24 && ward.people.count == 23)
    #expect(Set(ward.people.map(\.name)).count == 23)
    #expect(Set(ward.badges.map(\.serial)).count == 24 && Set(ward.badges.map(\.payload)).count == 24)
    #expect(Set(ward.badges.map(\.epoch)).count == 24 && Set(ward.badges.map(\.accessKey)).count == 24)
    for badge in ward.badges {
      #expect(badge.serial.count == 16 && badge.payload.count == 13 && badge.accessKey.count == 32)
      let flash = FlashImage(pageSize: 4096, pageCount: 2, wordSize: 4)
      flash.bytes = badge.settingsFlash
      var settings = SettingsStore(flash: MemoryFlash(flash))
      var key = [UInt8](repeating: 0, count: 32)
      var room = key.mutableSpan
      let isThere = settings.copyAccessKey(into: &room)
      #expect(isThere && key == badge.accessKey)
    }
  }

  @Test("The flash of a node has the log of the folder")
  func node() throws {
    let badge = try Self.ward(badges: 9, days: 3).badges[4]
    let flash = FlashImage(pageSize: 4096, pageCount: badge.logFlash.count / 4096, wordSize: 4)
    flash.bytes = badge.logFlash
    var log = FlashLog<MemoryFlash, 64>(flash: MemoryFlash(flash))
    log.mount(freshEpoch: 0)
    let pages = try log.committedPages().map(\.bytes)
    #expect(pages == badge.pages.map(\.bytes))
  }

  @Test(
    "One badge is flat from Tuesday 11:00 to Friday 05:40, at low charge before, and no other has such a gap")
  func flat() throws {
    let ward = try Self.five.get()
    let truth = ward.truth
    #expect(ward.people[truth.flat.person].name == "Ada")
    #expect(
      truth.flatTime == Self.monday + 35 * Self.hour..<Self.monday + 101 * Self.hour + 40 * 60_000)
    for (number, badge) in ward.badges.enumerated() {
      let dates = Self.records(badge).map(\.date).filter { $0 > 0 }
      let longest = zip(dates, dates.dropFirst()).map { $1 - min($0, $1) }.max() ?? 0
      if number == truth.flat.badge {
        #expect(longest > 66 * Self.hour + 2_400_000 && longest < 68 * Self.hour)
      } else {
        #expect(longest <= Self.hour, "\(number)")
      }
      let lowest = Self.records(badge).compactMap { record -> UInt8? in
        if case .battery(let level, _) = record.event { level } else { nil }
      }.min()
      #expect(number == truth.flat.badge ? lowest == 2 : lowest ?? 0 >= 50, "\(number)")
    }
  }

  @Test("The covered badge receives a third of what any other receives, at most")
  func covered() throws {
    let ward = try Self.five.get()
    #expect(ward.people[ward.truth.covered.person].name == "Finn")
    let counts = ward.badges.map { Self.readings($0).count }
    let covered = counts[ward.truth.covered.badge]
    #expect(covered > 0)
    for (number, count) in counts.enumerated() where number != ward.truth.covered.badge {
      #expect(count > 3 * covered, "\(number): \(count), \(covered)")
    }
  }

  @Test("The clock of the fast badge is 3 h 20 min ahead; the others are right")
  func fast() throws {
    let ward = try Self.three.get()
    #expect(ward.people[ward.truth.fast.person].name == "Dan" && ward.truth.fastBy == 12_000_000)
    for (number, badge) in ward.badges.enumerated() {
      let last = Self.records(badge).last { $0.date > 0 }?.date ?? 0
      let end = Self.monday + 48 * Self.hour + 22 * Self.hour + 30 * 60_000
      if number == ward.truth.fast.badge {
        #expect(last > end + 2 * Self.hour)
      } else {
        #expect(last <= end, "\(number)")
      }
    }
  }

  @Test("Three badges lie in a box at night, one without a motion sensor: as near as badges can be")
  func boxed() throws {
    let ward = try Self.three.get()
    #expect(ward.truth.boxed.map { ward.people[$0.person].name } == ["Ben", "Cleo", "Hugo"])
    #expect(ward.truth.boxed.map { ward.badges[$0.badge].hasMotionSensor } == [true, true, false])
    // From 23:00 to 05:00 nobody is on duty.
    let night = Self.monday + 23 * Self.hour..<Self.monday + 29 * Self.hour
    for (number, badge) in ward.badges.enumerated() {
      let found = Self.readings(badge).filter { night.contains($0.date) }
      if ward.truth.boxed.contains(where: { $0.badge == number }) {
        // Two others, three windows a minute, of which 7 % are missed.
        #expect(found.count > 1900 && found.count <= 2160, "\(number)")
        #expect(found.allSatisfy { $0.rssi > -55 })
      } else {
        #expect(found.isEmpty, "\(number)")
      }
      let moves = Self.records(badge).contains { if case .motion = $0.event { true } else { false } }
      #expect(moves == badge.hasMotionSensor)
    }
  }

  @Test(
    "People are in people.csv: one line, a line for each shift without a motion sensor, two badges in turn")
  func people() throws {
    let ward = try Self.three.get()
    let lines = ward.peopleTable { "\(($0 - Self.monday) / Self.hour)h" }.split(separator: "\n")
    func serial(_ badge: Int) -> String { ward.badges[badge].serial }
    #expect(lines[0] == "serial,name,role,place,from,to")
    #expect(lines[1] == "\(serial(0)),Ada,nurse,Ward 1,,")
    #expect(lines[7] == "\(serial(6)),Gina,nurse,Ward 2,,24h")
    #expect(
      lines[8...10] == [
        "\(serial(7)),Hugo,nurse,Ward 2,13h,22h", "\(serial(7)),Hugo,nurse,Ward 2,37h,46h",
        "\(serial(7)),Hugo,nurse,Ward 2,61h,70h",
      ])
    #expect(lines.last == "\(serial(11)),Gina,nurse,Ward 2,24h,")
  }

  @Test("The truth about pairs: who shares a shift and a ward meets, who does not share one does not")
  func together() throws {
    let ward = try Self.three.get()
    func minutes(_ one: Int, _ other: Int) -> Int {
      ward.truth.together.filter { $0.people == [one, other] }.reduce(0) { $0 + $1.inOneRoom }
    }
    // Ada and Cleo have the early shift of ward 1, Gina that of ward 2.
    #expect(minutes(0, 2) > 60 && minutes(0, 6) == 0)
    #expect(ward.truth.together.allSatisfy { $0.near <= $0.inOneRoom && $0.inOneRoom > 0 })
    #expect(WardHistory.decimalLogarithm(1) == 0)
    #expect(abs(WardHistory.decimalLogarithm(0.15) + 0.823_908_740_944_3) < 1e-9)
    #expect(abs(WardHistory.decimalLogarithm(6) - 0.778_151_250_383_6) < 1e-9)
  }

  @Test("A peer is detected once, lost once after 15 minutes of silence, and detected again when it returns")
  func lost() throws {
    var log = BadgeLog(epoch: 1, pageCount: 4)
    let address = TargetIdentity(kind: .randomAddress, high: 0x4000, low: 7)
    try log.start(at: 5000, date: Self.monday)
    for time in [UInt64(60_000), 1_500_000, 4_000_000] {
      try log.receive(3, from: address, payload: [1, 2, 3], rssi: -60, at: time)
      for minute in 1...20 { try log.loseSilentPeers(at: time + UInt64(minute) * 60_000) }
    }
    let page = try log.pages()[0].bytes
    guard var decoder = LogPageDecoder(page.span) else {
      Issue.record("the page has no header")
      return
    }
    var buffer = [UInt8](repeating: 0, count: LogEvent.maximumBytes)
    var events: [String] = []
    while true {
      var room = buffer.mutableSpan
      guard let record = decoder.next(payload: &room) else { break }
      events.append("\(record.event)".prefix { $0 != "(" } + " \(record.at.milliseconds / 1000)")
    }
    #expect(
      events == [
        "started 0", "clockSet 0", "detected 55", "read 55", "measured 55", "lost 955", "detected 1495",
        "read 1495", "measured 1495", "lost 2395", "detected 3995", "read 3995", "measured 3995", "lost 4895",
      ])
  }
}
