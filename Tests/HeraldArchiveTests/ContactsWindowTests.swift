import HeraldHostLink
import Testing

@testable import HeraldArchive

private let minute: Int64 = 60_000
private let direction = Direction(observer: 0, subject: 1)

/// The contacts and days of signs at seconds after 2026-09-14T07:00:00Z, with attenuations in dB.
private func scan(
  _ signs: [(seconds: Double, attenuation: Int16)], window: Int = 30, days: LocalDays = .utc
) -> (contacts: [ScannedContact], days: [ScannedDay]) {
  var rules = ContactRules()
  rules.window = window
  var scan = ContactScan(rules, days)
  scan.add(
    signs.map { Sign(date: Int64(after($0.seconds)), attenuation: $0.attenuation) }, of: direction)
  scan.finish()
  return (scan.contacts, scan.takeDays())
}

@Suite("Contacts: windows, gaps, medians and bands")
struct ContactsWindowTests {
  @Test("Windows of 30 s and of 20 s begin with each minute of UTC")
  func windows() {
    let edges: [(Double, Int16)] = [(0, 60), (29.99, 60), (90, 60), (119.99, 60), (120, 60), (180.5, 60)]
    let half = scan(edges).days[0].windows.minutes
    // Minute 0: the first half; minute 1: the second; minutes 2 and 3: the first.
    #expect(half.map(\.windows) == [1, 2, 1, 1])
    let thirds: [(Double, Int16)] = [(0, 60), (19.99, 60), (80, 60), (99.99, 60), (160, 60), (220, 60)]
    #expect(scan(thirds, window: 20).days[0].windows.minutes.map(\.windows) == [1, 2, 4, 4])
    #expect(scan(edges).contacts[0].windows == 4)
    // Four windows of 30 s, 180.5 s from the first sign to the last.
    #expect(scan(edges).contacts[0].seconds == 120)
    #expect(scan(thirds, window: 20).contacts[0].seconds == 80)
  }

  @Test("A contact is at most one window longer than from its begin to its end")
  func shortContact() {
    // Two windows, but only 1 s apart: 1 + 30 s.
    #expect(scan([(29.5, 60), (30.5, 60)]).contacts[0].seconds == 31)
    #expect(scan([(19.5, 60), (20.5, 60)], window: 20).contacts[0].seconds == 21)
    #expect(scan([(5, 60)]).contacts[0].seconds == 30)
  }

  @Test("A gap is at least one whole window without a sign")
  func gaps() {
    #expect(scan([(10, 60), (31, 60)]).contacts[0].gaps == 0)
    #expect(scan([(10, 60), (59, 60), (61, 60)]).contacts[0].gaps == 0)
    #expect(scan([(10, 60), (61, 60)]).contacts[0].gaps == 1)
    #expect(scan([(10, 60), (300, 60), (700, 60)]).contacts[0].gaps == 2)
    // With 20 s there may be one within a minute.
    #expect(scan([(5, 60), (45, 60)], window: 20).contacts[0].gaps == 1)
    #expect(scan([(5, 60), (25, 60), (45, 60)], window: 20).contacts[0].gaps == 0)
  }

  @Test("More than 15 minutes of silence end a contact, 15 minutes do not")
  func silence() {
    #expect(scan([(0, 60), (900, 60)]).contacts.count == 1)
    let two = scan([(0, 60), (900.01, 60)]).contacts
    #expect(two.map(\.begin) == [Int64(mondayMorning), Int64(mondayMorning) + 900_010])
    #expect(two.map(\.end) == [Int64(mondayMorning), Int64(mondayMorning) + 900_010])
  }

  @Test("The attenuation of a minute is the lower median of its measurements")
  func medians() {
    #expect(scan([(0, 70), (1, 50), (2, 60)]).days[0].windows.minutes.map(\.attenuation) == [60])
    #expect(scan([(0, 70), (1, 50), (2, 60), (3, 90)]).days[0].windows.minutes.map(\.attenuation) == [60])
    #expect(scan([(0, 70), (1, 50)]).days[0].windows.minutes.map(\.attenuation) == [50])
    // A detection or a read is a sign, and no measurement.
    #expect(scan([(0, Sign.none), (1, 50)]).days[0].windows.minutes.map(\.attenuation) == [50])
    let unmeasured = scan([(0, Sign.none)])
    #expect(unmeasured.days[0].windows.minutes.map(\.attenuation) == [nil])
    #expect(unmeasured.contacts[0].bands == [0, 0, 0, 0] && unmeasured.contacts[0].seconds == 30)
  }

  @Test("A limit belongs to the band below it")
  func bandLimits() throws {
    let bands = ContactBands.standard
    #expect([0, 55, 56, 63, 64, 73, 74, 126].map(bands.band) == [0, 0, 1, 1, 2, 2, 3, 3])
    // One minute each of 55, 56, 63, 64, 73 and 74 dB, of which both windows have a sign.
    let signs = [55, 56, 63, 64, 73, 74].enumerated().flatMap { index, level -> [(Double, Int16)] in
      [(Double(index) * 60, Int16(level)), (Double(index) * 60 + 30, Int16(level))]
    }
    let found = scan(signs)
    #expect(found.contacts[0].bands == [60, 120, 120, 60])
    #expect(bands.seconds(of: found.days[0].windows) == [60, 120, 120, 60])
    #expect(
      try ContactBands(limits: [60], weights: [1, 0]).seconds(of: found.days[0].windows) == [120, 240])
  }

  @Test("Weighted minutes: 1 × 1.5 + 2 × 1 + 5 × 0.4 + 1 × 0")
  func weights() throws {
    #expect(ContactBands.standard.weightedMinutes([60, 120, 300, 60]) == 5.5)
    #expect(try ContactBands(limits: [60], weights: [2, 0.5]).weightedMinutes([60, 120]) == 3)
    #expect(try ContactBands(limits: [60], weights: nil).weightedMinutes([60, 120]) == nil)
    #expect(throws: HostLinkError.self) { try ContactBands(limits: [63, 55], weights: nil) }
    #expect(throws: HostLinkError.self) { try ContactBands(limits: [], weights: nil) }
    #expect(throws: HostLinkError.self) { try ContactBands(limits: [55, 55, 73], weights: nil) }
    #expect(throws: HostLinkError.self) { try ContactBands(limits: [0], weights: nil) }
    #expect(throws: HostLinkError.self) { try ContactBands(limits: [127], weights: nil) }
    #expect(throws: HostLinkError.self) { try ContactBands(limits: [55, 63, 73], weights: [1, 1, 1]) }
    #expect(throws: HostLinkError.self) { try ContactBands(limits: [60], weights: [-1, 1]) }
    #expect(throws: HostLinkError.self) { try ContactBands(limits: [60], weights: [.nan, 1]) }
  }

  @Test("The bytes of a day of windows, of 30 s and of 20 s")
  func bytes() {
    var half = DayWindows()
    half.append(.init(number: 1000, windows: 3, attenuation: 60))
    half.append(.init(number: 1001, windows: 3, attenuation: nil))
    half.append(.init(number: 1003, windows: 1, attenuation: 0))
    // 1000 × 4 + 3 = 31 × 128 + 35; the next minute with both windows; 2 × 4 + 1.
    #expect(half.bytes == [0xBC, 0xA3, 0x1F, 0x7F, 0x80, 0x09])
    #expect(DayWindows(half.bytes) == half)
    var third = DayWindows(length: 20)
    third.append(.init(number: 1000, windows: 7, attenuation: 60))
    third.append(.init(number: 1001, windows: 7, attenuation: 126))
    third.append(.init(number: 1003, windows: 5, attenuation: 0))
    // 1000 × 8 + 7 = 62 × 128 + 71; 2 × 8 + 5.
    #expect(third.bytes == [0xBC, 0xC7, 0x3E, 0x7E, 0x80, 0x15])
    #expect(DayWindows(third.bytes, length: 20) == third)
  }

  @Test("Bytes of a damaged archive end the day, and nothing else")
  func hostileBytes() {
    #expect(DayWindows([]).minutes.isEmpty)
    // No window; a varint that does not end; a minute that is too late.
    for bytes: [UInt8] in [[0x80, 0x04], [0x80] + Array(repeating: 0xFF, count: 12), [0x80, 0xFF]] {
      _ = DayWindows(bytes).minutes
      _ = DayWindows(bytes, length: 20).periods
    }
    #expect(DayWindows([0x80, 0x04]).minutes.isEmpty)
    var state: UInt64 = 1
    for _ in 0..<2000 {
      var bytes: [UInt8] = []
      for _ in 0..<16 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(UInt8(truncatingIfNeeded: state >> 33))
      }
      for length in [20, 30] {
        let day = DayWindows(bytes, length: length)
        #expect(day.minutes.allSatisfy { $0.windows > 0 && $0.windows < (length == 20 ? 8 : 4) })
        #expect(zip(day.minutes, day.minutes.dropFirst()).allSatisfy { $0.number <= $1.number })
      }
    }
  }

  @Test("Joined, a minute has the windows of both directions and the least of their medians")
  func union() {
    var one = DayWindows()
    one.append(.init(number: 10, windows: 1, attenuation: 70))
    one.append(.init(number: 12, windows: 2, attenuation: nil))
    var other = DayWindows()
    other.append(.init(number: 10, windows: 2, attenuation: 60))
    other.append(.init(number: 11, windows: 3, attenuation: 80))
    other.append(.init(number: 12, windows: 2, attenuation: 50))
    let joined = DayWindows.union([one, other]).minutes
    #expect(joined.map(\.number) == [10, 11, 12])
    #expect(joined.map(\.windows) == [3, 3, 2])
    #expect(joined.map(\.attenuation) == [60, 80, 50])
    // 60 dB: 2 windows, 80 dB: 2, 50 dB: 1: the third of 50, 60, 60, 80, 80.
    #expect(DayWindows.union([one, other]).medianAttenuation == 60)
    #expect(DayWindows.union([one, other]).seconds == 150)
  }

  @Test("Periods of joined windows: begin, end, gaps, and the silence between two")
  func periods() {
    var day = DayWindows()
    day.append(.init(number: 100, windows: 2, attenuation: 60))
    day.append(.init(number: 101, windows: 1, attenuation: 60))
    day.append(.init(number: 103, windows: 1, attenuation: 60))
    // From the end of the last window, 103.5 min, to 118.5 min are 15 minutes; from 119 to 134.5 min are
    // more.
    day.append(.init(number: 118, windows: 2, attenuation: 60))
    day.append(.init(number: 134, windows: 2, attenuation: 60))
    let periods = day.periods
    #expect(periods.map(\.begin) == [100 * minute + 30_000, 134 * minute + 30_000])
    #expect(periods.map(\.end) == [119 * minute, 135 * minute])
    #expect(periods.map(\.gaps) == [2, 0])
    #expect(periods.map(\.windows.seconds) == [120, 30])
  }

  @Test("Rules that cannot be are refused")
  func rules() throws {
    var rules = ContactRules()
    try rules.check()
    rules.window = 20
    try rules.check()
    for change: (inout ContactRules) -> Void in [
      { $0.window = 15 }, { $0.window = 0 }, { $0.bandLimits = [55, 63] }, { $0.bandLimits = [73, 63, 55] },
      { $0.bandLimits = [55, 63, 200] }, { $0.assumedPower = 21 }, { $0.assumedPower = -128 },
    ] {
      var rules = ContactRules()
      change(&rules)
      #expect(throws: HostLinkError.self) { try rules.check() }
    }
  }
}

@Suite("Contacts: civil days")
struct ContactsDayTests {
  private let berlin: LocalDays

  init() throws { berlin = try LocalDays(zone: "Europe/Berlin") }

  private func date(_ text: String) throws -> Int64 { Int64(try #require(UTCTimestamp.parse(text))) }

  @Test("Midnight divides minutes between two days, and does not end a contact")
  func midnight() throws {
    // Berlin's midnight between 14 and 15 September 2026 is 22:00 UTC.
    let midnight = try date("2026-09-14 22:00:00")
    var scan = ContactScan(ContactRules(), berlin)
    scan.add(
      [-40_000, -10_000, 0, 35_000].map { Sign(date: midnight + $0, attenuation: 60) }, of: direction)
    scan.finish()
    let days = scan.takeDays()
    #expect(days.map { LocalDays.text(ofDay: $0.day) } == ["2026-09-14", "2026-09-15"])
    #expect(days.map(\.windows.seconds) == [60, 60])
    #expect(scan.contacts.map(\.begin) == [midnight - 40_000] && scan.contacts[0].windows == 4)
  }

  @Test(
    "The days on which clocks change have 23 and 25 hours",
    arguments: [
      ("2026-03-28", "2026-03-27 23:00:00", 24), ("2026-03-29", "2026-03-28 23:00:00", 23),
      ("2026-03-30", "2026-03-29 22:00:00", 24), ("2026-10-25", "2026-10-24 22:00:00", 25),
      ("2026-10-26", "2026-10-25 23:00:00", 24),
    ])
  func changes(day: String, begin: String, hours: Int64) throws {
    let number = try #require(LocalDays.day(day))
    let first = try date(begin)
    #expect(berlin.begin(ofDay: number) == first)
    #expect(berlin.begin(ofDay: number + 1) - berlin.begin(ofDay: number) == hours * 3_600_000)
    #expect(berlin.day(of: first) == number && berlin.day(of: first - 1) == number - 1)
    #expect(LocalDays.day(ofNumber: LocalDays.number(ofDay: number)) == number)
  }

  @Test("The hour that there is twice is twice as long")
  func hourTwice() throws {
    // 02:00 to 03:00 in Berlin on 25 October 2026, first in summer time, then in winter time.
    let begin = try date("2026-10-25 00:00:00")
    var scan = ContactScan(ContactRules(), berlin)
    scan.add((0..<240).map { Sign(date: begin + $0 * 30_000, attenuation: 50) }, of: direction)
    scan.finish()
    let days = scan.takeDays()
    #expect(days.count == 1 && days[0].windows.seconds == 7200)
    #expect(berlin.text(of: begin) == "2026-10-25 02:00:00+0200")
    #expect(berlin.text(of: begin + 3_600_000) == "2026-10-25 02:00:00+0100")
    #expect(try LocalDays(zone: "America/New_York").text(of: begin) == "2026-10-24 20:00:00-0400")
    #expect(try LocalDays(zone: "Asia/Kathmandu").text(of: begin) == "2026-10-25 05:45:00+0545")
  }

  @Test("Dates of clocks that were never set, and of those that are far ahead, have days, too")
  func wrongClocks() throws {
    for text in ["1970-01-01", "2038-01-19", "2106-02-07", "9999-12-31"] {
      let day = try #require(LocalDays.day(text))
      #expect(LocalDays.text(ofDay: day) == text)
      let begin = berlin.begin(ofDay: day)
      #expect(berlin.day(of: begin) == day && berlin.day(of: begin - 1) == day - 1)
    }
    #expect(LocalDays.day("2026-02-30") == nil && LocalDays.day("14.09.2026") == nil)
    #expect(LocalDays.day("2026-9-14") == nil && LocalDays.day("") == nil)
  }
}
