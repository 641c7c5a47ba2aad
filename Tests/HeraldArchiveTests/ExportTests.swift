import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import HeraldParquet
import HeraldSimulation
import Testing

@testable import HeraldArchive

@Suite final class ExportTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/herald-export-\(UUID().uuidString)"
  /// 2026-09-14T22:00:00Z.
  private static let evening: UInt64 = 1_789_423_200_000
  private static let hour: UInt64 = 3_600_000
  private static let one = TargetIdentity(kind: .randomAddress, high: 0x4000, low: 1)
  private static let other = TargetIdentity(kind: .publicAddress, high: 0x0A0B, low: 0x0C0D_0E0F)

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Writes the folder of a device: events at uptimes in milliseconds, and the date of its start-up, if any.
  private func write(
    _ serial: String, startedAt date: UInt64?, _ events: [(at: UInt64, event: LogEvent, bytes: [UInt8])]
  ) throws {
    var log = FlashLog<MemoryFlash, 64>(
      flash: MemoryFlash(FlashImage(pageSize: 4096, pageCount: 64, wordSize: 4)))
    log.mount(freshEpoch: 7)
    var clock = WallClock()
    if let date { clock.set(unixMilliseconds: date, at: .start, source: .host) }
    for (at, event, bytes) in events {
      if case .clockSet(let date, let source) = event {
        clock.set(unixMilliseconds: date, at: Instant(milliseconds: at), source: source)
      }
      try log.append(event, bytes: bytes.span, at: Instant(milliseconds: at), clock: clock)
    }
    log.commit()
    let path = "\(folder)/logs/\(serial.replacing("/", with: "_"))"
    try FileManager.default.createDirectory(atPath: path + "/pages", withIntermediateDirectories: true)
    for page in try log.committedPages() {
      let name = PageName(epoch: 7, sequence: page.sequence, isOpen: page.isOpen)
      try Data(page.bytes).write(to: URL(fileURLWithPath: "\(path)/pages/\(name.fileName)"))
    }
    var record = DeviceRecord()
    record.serial = serial
    record.note(epoch: 7)
    try JSONEncoder().encode(record).write(to: URL(fileURLWithPath: path + "/device.json"))
  }

  private func archive(zone: String = "UTC", people: String? = nil) throws -> Archive {
    var rules = ContactRules()
    rules.zone = zone
    let archive = try Archive(try SQLiteConnection(), newRules: rules)
    _ = try archive.add(folders: try PageStoreSearch.folders(in: [folder + "/logs"]))
    if let people { try archive.label(try PeopleFile(Array(people.utf8), days: archive.days)) }
    try archive.update()
    return archive
  }

  private func export(_ archive: Archive) throws -> (Archive.Export, files: [String]) {
    let export = try archive.exportParquet(to: folder + "/out")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder + "/out/readings")
    return (export, files.filter { $0.hasSuffix(".parquet") }.sorted())
  }

  private static func measured(_ at: UInt64, _ target: TargetIdentity = one, _ rssi: Int8 = -50) -> (
    UInt64, LogEvent, [UInt8]
  ) { (at, .measured(target, RSSI(rssi)), []) }

  @Test("Readings have their date, address, transmit power, and the persons at both ends")
  func readings() throws {
    let payload: [UInt8] = [0x10, 0x3A, 0x03, 0, 0, 0x42]
    try write("B", startedAt: Self.evening, [(0, .ownPayload, payload)])
    try write(
      "A", startedAt: Self.evening,
      [
        Self.measured(1000, Self.one, -40), (1000, .read(Self.one), payload),
        (2000, .txPower(Self.one, 8), []),
        Self.measured(3000, Self.one, -41), Self.measured(4000, Self.other, -90),
        Self.measured(Self.hour * 2, Self.one, -42),
      ])
    let archive = try archive(people: "serial,name,from,to\nA,Ann,,\nB,Bob,2026-09-14,2026-09-14\n")
    let id = try #require(try archive.connection.number("SELECT id FROM device WHERE serial = 'A'"))
    let pages = try archive.pages(of: id)
    let scan = try Archive.scan(pages, try archive.deviceClocks.clock(of: id))
    var collector = ReadingCollector(
      scan, try archive.context(of: id, try archive.assignments()), .min ... .max)
    var visit = PageVisit()
    var rows: [DecodedReading] = []
    for (index, page) in pages.enumerated() { collector.add(page, index: index, &visit) { rows.append($0) } }
    let begin = Int64(Self.evening)
    #expect(rows.map(\.date) == [begin + 1000, begin + 3000, begin + 4000, begin + 7_200_000])
    #expect(rows.map(\.rssi) == [-40, -41, -90, -42])
    #expect(rows.map(\.power) == [8, 8, nil, 8])
    #expect(rows.map { collector.whos[Int($0.observer)].label } == ["Ann", "Ann", "Ann", "Ann"])
    // What was read later tells whose address it was; on the next day nobody wears the badge.
    #expect(
      rows.map { collector.whos[Int($0.subject)] } == [
        .person("Bob"), .person("Bob"), .address(Self.other), .unworn("B", "Bob"),
      ])
  }

  @Test("A clock that is set back and forth makes one file for each day, and loses no reading")
  func clockJumps() throws {
    let day: UInt64 = 24 * Self.hour
    try write(
      "A/../b", startedAt: nil,
      [
        Self.measured(1000), (2000, .clockSet(unixMilliseconds: Self.evening, source: .host), []),
        Self.measured(3000),
        (4000, .clockSet(unixMilliseconds: Self.evening + 3 * day, source: .host), []), Self.measured(5000),
        (6000, .clockSet(unixMilliseconds: Self.evening, source: .host), []), Self.measured(7000),
      ])
    try write("C", startedAt: nil, [Self.measured(1000), Self.measured(2000)])
    let (export, files) = try export(try archive())
    let table = try #require(export.tables.first)
    #expect(table.name == "readings" && table.rows + export.leftOut == 6 && export.leftOut == 2)
    #expect(table.files == files.count && Set(files).count == files.count)
    // The serial number is one name of a folder; the device without a date has no file.
    #expect(files.allSatisfy { $0.hasSuffix("/log=sn-A%2f..%2fb/data.parquet") }, "\(files)")
  }

  @Test("Where clocks are put back across midnight, the day that is over is not written again")
  func repeatedMidnight() throws {
    // In Newfoundland 2010-11-07T00:01 was followed by 2010-11-06T23:01, at 02:31 UTC.
    let change: UInt64 = 1_289_097_060_000
    try write(
      "A", startedAt: change - 300_000,
      [Self.measured(0), Self.measured(270_000), Self.measured(330_000), Self.measured(2 * Self.hour)])
    let archive = try archive(zone: "America/St_Johns")
    #expect(archive.days.day(of: Int64(change) - 1) == archive.days.day(of: Int64(change)) + 1)
    let (export, files) = try export(archive)
    #expect(export.tables.first?.rows == 4 && export.leftOut == 0)
    #expect(files == ["day=20101106/log=sn-A/data.parquet", "day=20101107/log=sn-A/data.parquet"])
    #expect(export.tables.filter { $0.name == "contacts" }.map(\.rows) == [2])
  }

  @Test("A device has files of a limited number of days, the first ones")
  func manyDays() throws {
    try write("A", startedAt: Self.evening, (0..<5).map { Self.measured($0 * 24 * Self.hour) })
    let archive = try archive()
    let id = try #require(try archive.connection.number("SELECT id FROM device"))
    let input = try archive.input(of: id, try archive.assignments())
    let pages = try archive.pages(of: id)
    let written = try ReadingPartitions(
      pages, try Archive.scan(pages, input.clock), input.context, to: try ExportFolder(folder + "/out"),
      mostDays: 3)
    #expect(written.days == [20_710, 20_711, 20_712] && written.readings == 3 && written.leftOut == 2)
    #expect(ReadingPartitions.mostDays == 3653)
  }

  @Test("An export replaces what was there, and removes what the archive has no more")
  func replaces() throws {
    try write("A", startedAt: Self.evening, [Self.measured(1000), Self.measured(Self.hour * 3)])
    let archive = try archive()
    _ = try export(archive)
    for stale in [
      "readings/day=20260914/log=sn-B", "readings/day=20260914/device=A", "readings/day=19700101/log=sn-A",
      "meetings/day=19700101",
    ] {
      let path = "\(folder)/out/\(stale)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data("stale".utf8).write(to: URL(fileURLWithPath: path + "/data.parquet"))
    }
    let (_, files) = try export(archive)
    #expect(files == ["day=20260914/log=sn-A/data.parquet", "day=20260915/log=sn-A/data.parquet"])
    #expect(!FileManager.default.fileExists(atPath: folder + "/out/meetings/day=19700101"))
  }

  @Test("A folder with other files is refused, and one that another program writes to")
  func refuses() throws {
    try write("A", startedAt: Self.evening, [Self.measured(1000)])
    let archive = try archive()
    try FileManager.default.createDirectory(atPath: folder + "/mine", withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/mine/notes.txt"))
    let usage = #expect(throws: HostLinkError.self) { try archive.exportParquet(to: self.folder + "/mine") }
    #expect(usage?.cause == .usage)
    // What an export leaves that was killed at once.
    try FileManager.default.createDirectory(atPath: folder + "/out", withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: folder + "/out/_herald.json.part"))
    _ = try export(archive)
    let descriptor = open(folder + "/out", O_RDONLY)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let busy = #expect(throws: HostLinkError.self) { try archive.exportParquet(to: self.folder + "/out") }
    #expect(busy?.cause == .busy)
  }

  @Test("A file that cannot be written is an error that names it")
  func cannotBeWritten() throws {
    try write("A", startedAt: Self.evening, [Self.measured(1000)])
    let archive = try archive()
    let path = folder + "/out/readings/day=20260914/log=sn-A"
    try FileManager.default.createDirectory(
      atPath: path + "/.data.parquet.part", withIntermediateDirectories: true)
    try Data("{}".utf8).write(to: URL(fileURLWithPath: folder + "/out/_herald.json"))
    let error = #expect(throws: HostLinkError.self) { try archive.exportParquet(to: self.folder + "/out") }
    #expect(error?.cause == .storage && error?.what.contains(path) == true && error?.advice != nil)
  }

  @Test(
    "Dates outside the years 1970 to 9999 are no value, or the nearest where there has to be one",
    arguments: [
      (Int64.min, SQLValue.null, SQLValue.integer(0)), (-1, .null, .integer(0)),
      (0, .integer(0), .integer(0)),
      (253_402_300_799_999, .integer(253_402_300_799_999), .integer(253_402_300_799_999)),
      (253_402_300_800_000, .null, .integer(253_402_300_799_999)),
      (Int64.max, .null, .integer(253_402_300_799_999)),
    ])
  func dates(moment: Int64, optional: SQLValue, required: SQLValue) throws {
    let devices = try #require(ArchiveTable.all(ExportSelection()).first { $0.name == "devices" })
    let contacts = try #require(ArchiveTable.all(ExportSelection()).first { $0.name == "contacts" })
    for (table, name, expected) in [(devices, "first_ms", optional), (contacts, "begin_ms", required)] {
      let column = try #require(table.columns.firstIndex { $0.name == name })
      let values = table.columns.map { _ in SQLValue.integer(moment) }
      #expect(table.value(of: SQLRow(values: values), column) == expected)
    }
  }

  @Test("The tables of an export have the columns of the archive's views")
  func columns() throws {
    try write("A", startedAt: Self.evening, [Self.measured(1000)])
    let archive = try archive(people: "serial,name\nA,Ann\n")
    for name in ["contacts", "meetings", "directions"] {
      let table = try #require(ArchiveTable.all(ExportSelection()).first { $0.name == name })
      let columns = try archive.connection.rows("PRAGMA table_info(\(name))").map { $0.text(1) }
      #expect(table.columns.map(\.name) == columns)
    }
  }

  @Test(
    "Days as numbers",
    arguments: [
      (20_260_914, 20_710), (19_700_101, 0), (99_991_231, 2_932_896), (20_260_931, nil), (19_691_231, nil),
      (0, nil),
      (Int64.min, nil), (123_456_789, nil),
    ] as [(Int64, Int64?)])
  func dayNumbers(number: Int64, day: Int64?) { #expect(LocalDays.day(ofNumber: number) == day) }
}
