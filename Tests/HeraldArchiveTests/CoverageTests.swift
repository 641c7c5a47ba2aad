import Foundation
import HeraldEmbedded
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// What is recorded of whom: "no data" is not "nobody".
@Suite("Coverage")
struct CoverageTests {
  private static let hour: Int64 = 3_600_000
  private static let day = 24 * hour
  /// 2026-09-14T00:00:00Z.
  private static let midnight = Int64(mondayMorning) - 7 * hour

  /// `state hours` of each interval of somebody in some time, which begins and ends with a day of UTC.
  private func told(_ archive: Archive, _ label: String, days: Int64 = 1) throws -> [String] {
    let coverage = try #require(
      try archive.coverage(of: label, from: Self.midnight, to: Self.midnight + days * Self.day))
    #expect(coverage.intervals.first?.from == coverage.from && coverage.intervals.last?.to == coverage.to)
    #expect(zip(coverage.intervals, coverage.intervals.dropFirst()).allSatisfy { $0.to == $1.from })
    return coverage.intervals.map { interval in
      let minutes = (interval.length + 30_000) / 60_000
      return "\(interval.state.rawValue) \(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }
  }

  @Test("A badge that was flat for three days shows its gap, whatever was logged after it")
  func flat() throws {
    let folder = try ContactsFolder()
    var badge = try LoggingBadge("A1", payload: fixedPayload(1))
    try badge.measure(1, -60, at: after(3600))
    // On Thursday at 17:00 it is put into the dock.
    try badge.restart(at: after(3 * 86_400 + 36_000))
    try badge.measure(1, -60, at: after(3 * 86_400 + 36_300))
    let archive = try Archive.of([try badge.pull(into: folder)])
    #expect(
      try told(archive, "A1", days: 4) == [
        "not_provisioned 7:00", "recorded 1:00", "without_power 81:00", "recorded 0:05", "not_collected 6:55",
      ])
    let tuesday = try #require(
      try archive.coverage(of: "A1", from: Self.midnight + Self.day, to: Self.midnight + 2 * Self.day))
    #expect(tuesday.isUnrecorded && tuesday.recorded == 0 && tuesday.asked == Self.day)
    #expect(tuesday.gaps.map(\.state) == [.withoutPower])
    // Five minutes in the dock are not a day.
    let thursday = try #require(
      try archive.coverage(of: "A1", from: Self.midnight + 3 * Self.day, to: Self.midnight + 4 * Self.day))
    #expect(thursday.isUnrecorded)
    let days = try CoverageReader(archive).recordedDays()
    #expect(days.map { LocalDays.text(ofDay: $0.lowerBound) } == "2026-09-14")
    #expect(days.map { LocalDays.text(ofDay: $0.upperBound) } == "2026-09-17")
  }

  @Test("A badge that ran and received nobody is recorded; a restart by a fault is no loss of power")
  func quiet() throws {
    let folder = try ContactsFolder()
    var badge = try LoggingBadge("A1", payload: fixedPayload(1))
    // Nothing for four hours but this reading: its clock went on.
    try badge.measure(1, -60, at: after(4 * 3600))
    try badge.restart(at: after(6 * 3600), reason: 3)
    try badge.measure(1, -60, at: after(7 * 3600))
    let archive = try Archive.of([try badge.pull(into: folder)])
    #expect(try told(archive, "A1") == ["not_provisioned 7:00", "recorded 7:00", "not_collected 10:00"])
  }

  @Test("Worn, lying, and what nobody can say")
  func motion() throws {
    let folder = try ContactsFolder()
    var badge = try LoggingBadge("A1", payload: fixedPayload(1))
    try badge.move(.worn, at: after(600))
    try badge.move(.lying, at: after(3600))
    try badge.move(.worn, at: after(3 * 3600))
    try badge.move(.unknown, at: after(4 * 3600))
    try badge.measure(1, -60, at: after(5 * 3600))
    let archive = try Archive.of([try badge.pull(into: folder)])
    #expect(
      try told(archive, "A1") == [
        "not_provisioned 7:00", "recorded 0:10", "worn 0:50", "lying 2:00", "worn 1:00", "recorded 1:00",
        "not_collected 12:00",
      ])
    let coverage = try #require(
      try archive.coverage(of: "A1", from: Self.midnight, to: Self.midnight + Self.day))
    #expect(coverage.milliseconds(.worn) == 110 * 60_000 && coverage.milliseconds(.lying) == 2 * Self.hour)
  }

  @Test("A start whose clock was never set is time without a date, before the next start with one")
  func undated() throws {
    let folder = try ContactsFolder()
    var badge = try LoggingBadge("A1", payload: fixedPayload(1))
    try badge.measure(1, -60, at: after(3600))
    try badge.restart(at: after(4 * 3600), hasDate: false)
    try badge.measure(1, -60, at: after(6 * 3600))
    try badge.restart(at: after(9 * 3600))
    try badge.measure(1, -60, at: after(10 * 3600))
    let archive = try Archive.of([try badge.pull(into: folder)])
    #expect(
      try told(archive, "A1") == [
        "not_provisioned 7:00", "recorded 1:00", "without_power 6:00", "without_date 2:00", "recorded 1:00",
        "not_collected 7:00",
      ])
  }

  @Test("Missing pages are dropped time, and so is what was before the first page")
  func missingPages() throws {
    let folder = try ScratchFolder()
    var device = try LoggingDevice("ONE")
    for hour in 0..<8 { try device.measureMuch(2, -60, from: UInt64(hour) * 3_600_000, count: 900) }
    let names = try device.pull(to: folder.path + "/one")
    #expect(names.count > 4)
    // The page in the middle, and the first one.
    for index in [0, names.count / 2] {
      try FileManager.default.removeItem(atPath: "\(folder.path)/one/pages/\(names[index].fileName)")
    }
    let archive = try Archive.of([folder.path + "/one"])
    let coverage = try #require(
      try archive.coverage(
        of: "ONE", from: Int64(shiftBegin) - Self.hour, to: Int64(shiftBegin) + 9 * Self.hour))
    #expect(
      coverage.intervals.map(\.state) == [.dropped, .recorded, .dropped, .recorded, .notCollected])
    #expect(coverage.intervals.first?.from == coverage.from)
    #expect(coverage.milliseconds(.recorded) > 3 * Self.hour)
  }

  @Test("A clock that is set three days ahead covers no time between, and one set back covers time once")
  func clockJumps() throws {
    let folder = try ContactsFolder()
    var badge = try LoggingBadge("A1", payload: fixedPayload(1))
    try badge.set(clock: after(3600 + 3 * 86_400), at: after(3600))
    try badge.measure(1, -60, at: after(2 * 3600))
    try badge.set(clock: after(2 * 3600), at: after(2 * 3600))
    try badge.measure(1, -60, at: after(3 * 3600))
    let archive = try Archive.of([try badge.pull(into: folder)])
    let coverage = try #require(
      try archive.coverage(of: "A1", from: Self.midnight, to: Self.midnight + 4 * Self.day))
    #expect(abs(coverage.recorded - 3 * Self.hour) < 1000)
  }

  @Test("A person is covered by what was assigned, and by the better of two devices")
  func persons() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try one.move(.lying, at: after(0))
    try one.measure(1, -60, at: after(5 * 3600))
    var two = try LoggingBadge("B2", payload: fixedPayload(2), from: after(3600))
    try two.measure(1, -60, at: after(3 * 3600))
    let people = """
      serial,name,from,to
      A1,Anna,2026-09-14 07:00,2026-09-14 11:00
      B2,Anna,2026-09-14 08:00,2026-09-14 09:00
      C3,Cem,,

      """
    let archive = try Archive.of([try one.pull(into: folder), try two.pull(into: folder)], people: people)
    #expect(
      try told(archive, "Anna") == [
        "without_device 7:00", "lying 1:00", "recorded 1:00", "lying 2:00", "without_device 13:00",
      ])
    // Of a badge without a log nothing was collected; of somebody unknown there is no answer.
    #expect(try told(archive, "Cem") == ["not_collected 24:00"])
    #expect(try ["Cem", "A1", "Dora"].map(CoverageReader(archive).knows) == [true, true, false])
    #expect(try archive.coverage(of: "Dora", from: 0, to: 1) == nil)
    var query = MeetingQuery()
    query.person = "Cem"
    #expect(try archive.figures(query).isEmpty)
    query.person = "Annna"
    let error = #expect(throws: HostLinkError.self) { try archive.figures(query) }
    #expect(error?.cause == .unrecorded && error?.cause.exitStatus == 12 && error?.advice == "is it Anna?")
    let all = try archive.coverages(from: Self.midnight, to: Self.midnight + Self.day)
    #expect(all.map(\.label) == ["Anna", "Cem"])
  }

  /// Two badges that receive each other every 15 s for five hours, and a third that receives the first one.
  private func box(_ folder: borrowing ContactsFolder, motion: Bool) throws -> [String] {
    func log(_ badge: inout LoggingBadge, _ peers: [UInt8]) throws {
      for peer in peers { try badge.read(UInt32(peer), fixedPayload(peer), at: after(0)) }
      if motion { try badge.move(.worn, at: after(0)) }
    }
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try log(&one, [2])
    var two = try LoggingBadge("B2", payload: fixedPayload(2))
    try log(&two, [1])
    var three = try LoggingBadge("C3", payload: fixedPayload(3))
    try log(&three, [1])
    for index in 0..<1200 {
      let at = after(Double(index) * 15 + 1)
      // They are put into a box after the first hour; C3 is worn beside it.
      if motion, index == 240 {
        try one.move(.lying, at: at)
        try two.move(.lying, at: at)
      }
      try one.measure(2, -40, at: at)
      try two.measure(1, -40, at: at)
      try three.measure(1, -50, at: at)
    }
    return [try one.pull(into: folder), try two.pull(into: folder), try three.pull(into: folder)]
  }

  @Test("Badges in a box are nobody's contacts, for what they receive and for who receives them")
  func boxedBadges() throws {
    let folder = try ContactsFolder()
    let people = "serial,name,role\nA1,Anna,nurse\nB2,Ben,nurse\nC3,Cem,nurse\n"
    let archive = try Archive.of(try box(folder, motion: true), people: people)
    #expect(
      try archive.told().sorted() == [
        "person Anna + person Ben: 3600 s, 3600/3600", "person Anna + person Cem: 3600 s, 0/3600",
      ])
    // Anna's and Ben's badges together, and Cem beside Anna's: 4 hours each.
    let left = try archive.unwornFigures(MeetingQuery())
    #expect(left.map(\.seconds) == [14_400, 14_400])
    var query = MeetingQuery()
    (query.person, query.withUnworn) = ("Cem", true)
    #expect(
      try archive.told(query) == [
        "person Cem + unworn Anna: 14400 s, 14400/0", "person Cem + person Anna: 3600 s, 3600/0",
      ])
    // So it is in SQL and in exports.
    for view in ["meetings", "near", "contacts", "directions"] {
      let sides = view == "meetings" || view == "near" ? ("who", "other") : ("observer", "subject")
      let rows = try archive.connection.rows(
        "SELECT COUNT(*) FROM \(view) WHERE \(sides.0)_kind <> 'person' OR \(sides.1)_kind <> 'person'")
      #expect(rows.map { $0.integer(0) } == [0], "\(view)")
    }
    query.role = "nurse"
    #expect(try archive.told(query).count == 2)
  }

  @Test("Without a motion sensor, shifts of the file of people say when nobody wears a badge")
  func shifts() throws {
    let folder = try ContactsFolder()
    let people = """
      serial,name,from,to
      A1,Anna,2026-09-14 07:00,2026-09-14 08:00
      B2,Ben,2026-09-14 07:00,2026-09-14 09:00

      """
    let archive = try Archive.of(try box(folder, motion: false), people: people)
    #expect(
      try archive.told().sorted() == [
        "person Anna + device C3: 3600 s, 0/3600", "person Anna + person Ben: 3600 s, 3600/3600",
      ])
    #expect(try archive.unwornFigures(MeetingQuery()).map(\.seconds).sorted() == [3600, 10_800, 14_400])
  }

  @Test("A badge that is received by others and receives nobody is named, and the reverse")
  func oneSided() throws {
    let folder = try ContactsFolder()
    // C3 receives both others, and neither of them receives C3.
    var folders: [String] = []
    for (serial, own, peers) in [("A1", 1, [2]), ("B2", 2, [1]), ("C3", 3, [1, 2])]
      as [(String, UInt8, [UInt8])]
    {
      var badge = try LoggingBadge(serial, payload: fixedPayload(own))
      for peer in peers { try badge.read(UInt32(peer), fixedPayload(peer), at: after(0)) }
      for index in 0..<1200 {
        for peer in peers { try badge.measure(UInt32(peer), -40, at: after(Double(index) * 15 + 1)) }
      }
      folders.append(try badge.pull(into: folder))
    }
    let archive = try Archive.of(folders)
    let shares = try CoverageReader(archive).directionShares(days: 0...99_991_231)
    #expect(shares.map(\.who.label) == ["A1", "B2", "C3"])
    #expect(shares.map(\.heardSeconds) == [18_000, 18_000, 36_000])
    #expect(shares.map(\.wasHeardSeconds) == [36_000, 36_000, 0])
    #expect(shares.map(\.isOneSided) == [false, false, true])
    #expect(shares.last?.finding == "the badge was covered, or transmits seldom: look at its battery")
  }

  @Test("An archive of an earlier version gets its coverage by an update, and loses nothing")
  func upgrade() throws {
    let folder = try ContactsFolder()
    let file = folder.path + "/a.sqlite"
    let archive = try newArchive(file)
    _ = try archive.add(folders: try box(folder, motion: true))
    try archive.update()
    let rows = try archive.allRows()
    for view in ["contacts", "meetings", "near", "directions"] {
      try archive.connection.execute("DROP VIEW \(view)")
    }
    try archive.connection.execute("DROP TABLE coverage")
    try archive.connection.execute("CREATE VIEW meetings AS SELECT * FROM meeting")
    try archive.connection.execute("UPDATE setting SET value = '1' WHERE name = 'schema'")
    let again = try Archive.open(file, create: false)
    #expect(try again.isUpdateDue())
    try again.update()
    #expect(try again.allRows() == rows && !again.isUpdateDue())
  }

  @Test("The table of minutes that all else is made of, and what is recorded, as files")
  func files() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try one.read(2, fixedPayload(2), at: after(0))
    for (seconds, rssi) in [(1, -50), (31, -54), (61, -70), (181, -60)] as [(Double, Int8)] {
      try one.measure(2, rssi, at: after(seconds))
    }
    var two = try LoggingBadge("B2", payload: fixedPayload(2))
    let archive = try Archive.of([try one.pull(into: folder), try two.pull(into: folder)])
    var selection = ExportSelection()
    selection.tables = ["minutes", "coverage", "contacts"]
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: "\(folder.path)/out/\(name).csv", encoding: .utf8)
    }
    let export = try archive.export(as: .csv, to: folder.path + "/out", selection)
    #expect(export.tables.map(\.name) == ["contacts", "coverage", "minutes"])
    let minutes = try text("minutes").split(separator: "\n").map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      return [fields[0], fields[2], fields[7], fields[12], fields[13], fields[14]].joined(separator: " ")
    }
    #expect(
      minutes.map { $0.replacing("\"", with: "") } == [
        "day observer subject minute_ms windows attenuation", "20260914 A1 B2 \(mondayMorning) 3 50",
        "20260914 A1 B2 \(mondayMorning + 60_000) 1 70", "20260914 A1 B2 \(mondayMorning + 180_000) 1 60",
      ])
    #expect(try text("coverage").contains(",recorded\n") || text("coverage").contains(",\"recorded\"\n"))
    // Within 60 dB the contact has a gap, and the minute at 70 dB does not count.
    selection.within = 60
    _ = try archive.export(as: .csv, to: folder.path + "/out", selection)
    let contacts = try text("contacts").split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(contacts.count == 2)
    #expect(
      contacts.last?[11...15].joined(separator: ",") == "\(mondayMorning),\(mondayMorning + 210_000),90,,1")
    #expect(try text("minutes").split(separator: "\n").count == 3)
  }

  @Test("coverage.csv beside contacts for other programs, byte by byte")
  func coverageDays() throws {
    let folder = try ContactsFolder()
    let people = "serial,name\nA1,Anna\nB2,Ben\nC3,Cem\nD4,Dora\n"
    let archive = try Archive.of(try box(folder, motion: true), people: people)
    var query = MeetingQuery()
    query.days = 20_260_914...20_260_914
    _ = try archive.exchange(query, as: .epicontacts, to: folder.path + "/out")
    let numbers = try archive.parties().filter { $0.kind == .person }.map { "\($0.id)" }
    let text = try String(contentsOfFile: folder.path + "/out/coverage.csv", encoding: .utf8)
    #expect(
      text == """
        id,name,kind,date,minutes_worn,minutes_recorded,minutes_lying,minutes_without_date,minutes_dropped,\
        minutes_not_collected,minutes_without_power,minutes_not_provisioned,minutes_without_device
        \(numbers[0]),Anna,person,2026-09-14,60.02,0,239.75,0,0,720.22,0,420,0
        \(numbers[1]),Ben,person,2026-09-14,60.02,0,239.75,0,0,720.22,0,420,0
        \(numbers[2]),Cem,person,2026-09-14,299.77,0,0,0,0,720.22,0,420,0
        ,Dora,person,2026-09-14,0,0,0,0,0,1440,0,0,0

        """)
  }
}
