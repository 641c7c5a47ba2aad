import Foundation
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// The error that something throws.
private func failure(_ body: () throws -> Void) -> HostLinkError? {
  do { try body() } catch { return error as? HostLinkError }
  return nil
}

private func date(_ text: String) throws -> Int64 { Int64(try #require(UTCTimestamp.parse(text))) }

/// Time zones as the C library knows them: names, paths, rules, and the file of this computer.
@Suite struct ZoneTests {
  private let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

  private func computer(
    _ folder: borrowing ScratchFolder, environment: String? = nil, name: String? = nil
  ) throws -> ZoneName {
    var zone = ZoneName()
    zone.environment = environment
    zone.localTime = folder.path + "/localtime"
    zone.nameFile = folder.path + "/timezone"
    if let name { try Data(name.utf8).write(to: URL(fileURLWithPath: zone.nameFile)) }
    return zone
  }

  private func copy(_ zone: String, to folder: borrowing ScratchFolder) throws {
    try FileManager.default.copyItem(
      atPath: "/usr/share/zoneinfo/" + zone, toPath: folder.path + "/localtime")
  }

  @Test(arguments: [
    ("Europe/Berlin", "Europe/Berlin"), (":Europe/Berlin", "Europe/Berlin"),
    (":/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
    ("/usr/share/zoneinfo/Asia/Kathmandu", "Asia/Kathmandu"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3"), ("<+03>-3", "<+03>-3"),
    ("", "UTC"), ("UTC", "UTC"), ("UTC0", "UTC"), ("Etc/UTC", "UTC"), (":Etc/UTC", "UTC"),
  ])
  func environmentNamesAZone(value: String, zone: String) throws {
    let folder = try ScratchFolder()
    #expect(try computer(folder, environment: value).system() == zone)
  }

  @Test(arguments: [
    "Europe/Atlantis", "CET", "CET-1CEST,M13.5.0,M10.5.0/3", "CET-1CEST,M3.5.0", "/etc/passwd", "/dev/zero",
    "/none",
    "../../../etc/passwd", "W. Europe Standard Time", "UTC+", "<+03", "A-1",
  ])
  func aZoneThatCannotBeUnderstoodIsAnErrorThatAsksForOne(value: String) throws {
    // The database has a file CET in some versions.
    guard ZoneName().file(named: value) == nil else { return }
    let folder = try ScratchFolder()
    let error = failure { _ = try computer(folder, environment: value).system() }
    #expect(error?.cause == .usage && error?.what.contains("TZ is \"\(value)\"") == true)
    #expect(error?.advice?.contains("--zone") == true)
    #expect(failure { _ = try LocalDays(zone: value) }?.advice?.contains("--zone") == true)
  }

  @Test func aLinkHasTheNameOfItsZone() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/localtime", withDestinationPath: "/usr/share/zoneinfo/Australia/Lord_Howe")
    #expect(try computer(folder).system() == "Australia/Lord_Howe")
  }

  @Test func aLinkToAZoneThatIsNotInstalledIsNamed() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/localtime", withDestinationPath: "../usr/share/zoneinfo/Europe/Atlantis")
    let error = failure { _ = try computer(folder).system() }
    #expect(error?.what.contains("zoneinfo/Europe/Atlantis\"") == true)
    #expect(error?.advice?.contains("--zone") == true)
  }

  @Test func aLinkToUTCNeedsNoDatabase() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/localtime", withDestinationPath: "/usr/share/zoneinfo/Etc/UTC")
    var zone = try computer(folder)
    zone.folders = [folder.path]
    #expect(try zone.system() == "UTC")
  }

  @Test func aCopiedFileHasTheNameOrTheRuleOfItsZone() throws {
    let folder = try ScratchFolder()
    try copy("Europe/Berlin", to: folder)
    #expect(try computer(folder).system() == berlin)
    #expect(try computer(folder, name: "Europe/Berlin\n").system() == "Europe/Berlin")
    // The name of another zone does not count.
    #expect(try computer(folder, name: "Europe/London\n").system() == berlin)
    #expect(try computer(folder, environment: folder.path + "/localtime").system() == berlin)
  }

  @Test func aCopiedFileWhoseRuleIsNotThatOfFormerYearsHasToBeNamed() throws {
    // Mexico abolished daylight-saving time in 2022.
    let folder = try ScratchFolder()
    try copy("America/Mexico_City", to: folder)
    #expect(failure { _ = try computer(folder).system() }?.advice?.contains("--zone") == true)
    #expect(try computer(folder, name: "America/Mexico_City").system() == "America/Mexico_City")
  }

  @Test func withoutAFileTheZoneIsUTC() throws {
    let folder = try ScratchFolder()
    #expect(try computer(folder).system() == "UTC")
  }

  @Test func whatIsNoFileOfAZoneIsRefusedInBoundedTime() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/localtime"
    let berlin = try #require(ZoneFile.bytes(ofFile: "/usr/share/zoneinfo/Europe/Berlin"))
    #expect(ZoneFile(berlin) != nil)
    for bytes in [
      [], Array("TZif2".utf8), Array(berlin.dropLast(9)), Array(berlin.prefix(200)),
      berlin + Array(repeating: 0, count: 1 << 16),
    ] {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(failure { _ = try computer(folder).system() } != nil)
    }
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(failure { _ = try computer(folder).system() } != nil)
  }

  @Test func noBytesTrap() throws {
    let berlin = try #require(ZoneFile.bytes(ofFile: "/usr/share/zoneinfo/Europe/Berlin"))
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<3000 {
      var bytes = berlin
      for _ in 0...Int.random(in: 0...3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      guard let file = ZoneFile(bytes) else { continue }
      let days = LocalDays(zone: "", file)
      for date in [Int64.min, 0, 1_800_000_000_000, .max] { #expect(days.text(of: date).count == 24) }
    }
  }

  /// The C library's offsets, as `date` prints them.
  private func offsets(_ zone: String, _ moments: [Int64]) throws -> [Int64] {
    let folder = try ScratchFolder()
    let input = folder.path + "/moments"
    try Data(moments.map { "@\($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: input))
    let date = Process()
    date.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    date.arguments = ["TZ=\(zone)", "date", "-f", input, "+%::z"]
    let pipe = Pipe()
    date.standardOutput = pipe
    try date.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    date.waitUntilExit()
    // A zone has few offsets: each is read once.
    var known: [Substring: Int64] = [:]
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
      if let seconds = known[line] { return seconds }
      let parts = line.dropFirst().split(separator: ":").compactMap { Int64($0) }
      let seconds = parts.reduce(0) { $0 * 60 + $1 }
      known[line] = line.hasPrefix("-") ? -seconds : seconds
      return known[line] ?? 0
    }
  }

  @Test(
    "offsets from UTC are those of the C library",
    arguments: [
      "Europe/Berlin", "Europe/Dublin", "Europe/Moscow", "Africa/Casablanca", "Africa/Cairo",
      "America/Santiago",
      "America/Havana", "America/New_York", "America/Nuuk", "America/Asuncion", "America/St_Johns",
      "Asia/Beirut",
      "Asia/Gaza", "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Tehran", "Antarctica/Troll",
      "Australia/Lord_Howe",
      "Australia/Sydney", "Pacific/Apia", "Pacific/Chatham", "Pacific/Kiritimati", "Etc/GMT+12",
      "CET-1CEST,M3.5.0,M10.5.0/3", "IST-2IDT,M3.4.4/26,M10.5.0",
      "XXX3YYY,J60/0,J300/4", "XXX3YYY,59,299/25", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
      "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "ABC-1:02:03", "<-04>4<-03>,M9.1.6/24,M4.1.6/24",
    ])
  func offsetsAreThoseOfTheCLibrary(zone: String) throws {
    let days = try LocalDays(zone: zone)
    // 1970 to 2470: the rules of 400 years are repeated from then on.
    var moments = Array(stride(from: Int64(0), to: 15_778_800_000, by: 700_001))
    var found = moments.map { days.offset(at: $0 * 1000) }
    for index in 1..<moments.count where found[index - 1] != found[index] {
      var (low, high) = (moments[index - 1], moments[index])
      let before = found[index - 1]
      while high - low > 1 {
        let middle = (low + high) / 2
        if days.offset(at: middle * 1000) == before { low = middle } else { high = middle }
      }
      moments += [low, high]
      found += [low, high].map { days.offset(at: $0 * 1000) }
    }
    let expected = try offsets(zone, moments)
    #expect(expected.count == moments.count)
    if found != expected {
      let wrong = zip(moments, zip(found, expected)).filter { $1.0 != $1.1 }
      Issue.record("\(zone): \(wrong.prefix(3))")
    }
  }

  @Test func daylightSavingTimeMayLastAllYear() throws {
    // The example of RFC 9636, 3.3.1; the C library has standard time in the first hours of each year.
    let days = try LocalDays(zone: "EST5EDT,0/0,J365/25")
    for year in [1971, 1982, 2026, 2100] {
      #expect(days.offset(at: try date("\(year)-01-01 02:30:00")) == -4 * 3600)
      #expect(days.offset(at: try date("\(year)-07-01 00:00:00")) == -4 * 3600)
    }
  }

  @Test func rulesOfFarYearsGoOn() throws {
    let days = try LocalDays(zone: "Europe/Berlin")
    #expect(days.text(of: try date("2100-07-01 00:00:00")) == "2100-07-01 02:00:00+0200")
    #expect(days.text(of: try date("2099-12-31 23:30:00")) == "2100-01-01 00:30:00+0100")
    #expect(days.text(of: try date("9999-07-01 00:00:00")) == "9999-07-01 02:00:00+0200")
  }
}

/// Local times on days on which clocks are set.
@Suite struct ClockChangeTests {
  @Test(
    "a time that a day has twice is printed with its distance from UTC",
    arguments: [
      ("Europe/Berlin", "2026-10-25 00:30:00", "2026-10-25 02:30:00 +02:00"),
      ("Europe/Berlin", "2026-10-25 01:30:00", "2026-10-25 02:30:00 +01:00"),
      ("Europe/Berlin", "2026-10-25 22:59:59", "2026-10-25 23:59:59 +01:00"),
      ("Europe/Berlin", "2026-10-24 21:59:59", "2026-10-24 23:59:59"),
      ("Europe/Berlin", "2026-10-25 23:00:00", "2026-10-26 00:00:00"),
      ("Europe/Berlin", "2026-03-29 01:00:00", "2026-03-29 03:00:00 +02:00"),
      ("Australia/Lord_Howe", "2026-04-04 14:45:00", "2026-04-05 01:45:00 +11:00"),
      ("Australia/Lord_Howe", "2026-04-04 15:15:00", "2026-04-05 01:45:00 +10:30"),
      ("UTC", "2026-10-25 01:30:00", "2026-10-25 01:30:00"),
    ])
  func printed(zone: String, utc: String, local: String) throws {
    let days = try LocalDays(zone: zone)
    let moment = try date(utc)
    #expect(days.localTime(of: moment) == local)
    #expect(ReportText.moment(moment, days) == String(local.prefix(16)) + local.dropFirst(19))
  }

  @Test func aDayBeginsWhereItsMidnightIsSkipped() throws {
    let days = try LocalDays(zone: "America/Santiago")
    let begin = days.begin(ofDay: try #require(LocalDays.day("2026-09-06")))
    #expect(begin == (try date("2026-09-06 04:00:00")))
    #expect(days.text(of: begin) == "2026-09-06 01:00:00-0300")
    #expect(days.text(of: begin - 1000) == "2026-09-05 23:59:59-0400")
  }

  @Test func noDateTraps() throws {
    let days = try LocalDays(zone: "Asia/Kathmandu")
    for number in [Int64.min, .min + 1, -1, .max - 1, .max] {
      _ = (days.text(of: number), days.localTime(of: number), days.day(of: number))
      _ = (days.begin(ofDay: number), LocalDays.text(ofDay: number), LocalDays.number(ofDay: number))
      _ = ReportText.moment(number, days)
    }
  }

  private static let people = """
    serial,name,role,place,from,to
    F1EE700001,Ada,nurse,W1,2026-10-25 00:00,2026-10-25 02:30
    F1EE700001,Ben,nurse,W1,2026-10-25 02:30,
    F1EE700002,Cleo,nurse,W1,2026-03-29 02:30,
    F1EE700003,Dora,nurse,W1,,2026-10-25 02:30 +01:00
    F1EE700003,Emil,nurse,W1,2026-10-25 02:30+0100,

    """

  @Test func peopleWithDatesThatAreAmbiguousOrSkipped() throws {
    let file = try PeopleFile(Array(Self.people.utf8), days: try LocalDays(zone: "Europe/Berlin"))
    let first = try date("2026-10-25 00:30:00")
    #expect(file.entries[0].to == first - 1 && file.entries[1].from == first)
    #expect(file.entries[2].from == (try date("2026-03-29 01:00:00")))
    let second = try date("2026-10-25 01:30:00")
    #expect(file.entries[3].to == second - 1 && file.entries[4].from == second)
    #expect(
      file.notes == [
        "line 2: clocks showed 2026-10-25 02:30 twice; 2026-10-25 02:30 +02:00 is taken, the second is 2026-10-25 02:30 +01:00",
        "line 3: clocks showed 2026-10-25 02:30 twice; 2026-10-25 02:30 +02:00 is taken, the second is 2026-10-25 02:30 +01:00",
        "line 4: clocks were set forward past 2026-03-29 02:30; 2026-03-29 03:00 +02:00 is taken",
      ])
  }
}

/// The time zone of an archive.
@Suite struct ArchiveZoneTests {
  @Test func anArchiveHasTheZoneThatIsGiven() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a.sqlite"
    let rule = "CET-1CEST,M3.5.0,M10.5.0/3"
    #expect(try Archive.open(path, create: true, zone: rule).rules.zone == rule)
    #expect(try Archive.open(path, create: false).days.zone == rule)
    let error = failure { _ = try Archive.open(path, create: false, zone: "Europe/London") }
    #expect(error?.what == "\(path) counts days in \(rule), not in Europe/London")
    #expect(
      try Archive.open(path, create: false, zone: "Europe/London", isZoneReplaced: true).rules.zone
        == "Europe/London")
  }

  @Test func anArchiveWithAZoneThatThisComputerDoesNotKnowIsOpenedWithAnother() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a.sqlite"
    let archive = try Archive.open(path, create: true, zone: "UTC")
    try archive.connection.execute("UPDATE setting SET value = 'Europe/Atlantis' WHERE name = 'zone'")
    #expect(failure { _ = try Archive.open(path, create: false) }?.advice?.contains("--zone") == true)
    #expect(
      try Archive.open(path, create: false, zone: "Europe/Berlin", isZoneReplaced: true).rules.zone
        == "Europe/Berlin")
  }
}
