import Foundation
import GRDB
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@testable import HeraldHostLink

/// Pages of a device's log, put into a page folder and asked for with SQL of the test's own.
@Suite("Log database")
struct LogDatabaseTests {
  typealias Log = FlashLog<MemoryFlash, 16>
  let start = LoggedMeeting.start
  let peer = LoggedMeeting.peer
  let payload = LoggedMeeting.payload

  /// Keeps every page of a log in the folder of a device.
  private func store(_ log: inout Log, in folder: PageStore) throws {
    try log.store(in: folder)
    let epoch = log.committedStatus().epoch
    try folder.updateDevice {
      $0.serial = "A1"
      $0.note(epoch: epoch)
    }
  }

  private func rows(_ logDatabase: LogDatabase, _ sql: String) throws -> [[String]] {
    try logDatabase.asking { database in
      try Row.fetchAll(database, sql: sql).map { row in row.databaseValues.map { "\($0)" } }
    }
  }

  @Test("HP-46 What a page tells is in the tables, and dated, before the clock was set too")
  func tables() throws {
    var log = Log.fresh()
    let clock = try log.appendMeeting(offering: payload)
    try log.append(.received(peer), [1, 2, 3], at: 3500, clock)
    try log.append(.measured(peer, RSSI(-48)), at: 4010, clock)
    try log.append(.battery(level: 93, external: false), at: 5000, clock)
    try log.append(.visited(peer, firstReceived: 4, lastReceived: 1), at: 6000, clock)
    let folder = TemporaryFolder()
    let pages = try PageStore(path: folder.path, create: true)
    try store(&log, in: pages)
    let logDatabase = try LogDatabase(path: folder.path + "/" + LogDatabase.fileName)
    let change = try logDatabase.add(pages)
    #expect(change == LogDatabase.Change(newPages: 1, knownPages: 0, records: 11, readings: 2, refused: []))

    #expect(try rows(logDatabase, "SELECT serial FROM device") == [["\"A1\""]])
    #expect(
      try rows(logDatabase, "SELECT kind, address FROM peer") == [["\"random\"", "\"7B:AC:AC:34:E9:4A\""]])
    #expect(
      try rows(logDatabase, "SELECT unix_ms - \(start), uptime_ms, rssi FROM reading ORDER BY id") == [
        ["2500", "2500", "-47"], ["4010", "4010", "-48"],
      ])
    #expect(
      try rows(
        logDatabase,
        "SELECT unix_ms - \(start), kind, value, hex(data), short FROM event LEFT JOIN payload ON payload.id = payload_id ORDER BY event.id"
      ) == [
        ["0", "\"started\"", "0", "\"\"", "NULL"],
        ["10", "\"own_payload\"", "NULL", "\"\"", "\"AADSAp\""],
        ["1000", "\"detected\"", "NULL", "\"\"", "NULL"],
        ["2000", "\"clock_set\"", "\(start + 2000)", "\"\"", "NULL"],
        ["2510", "\"tx_power\"", "8", "\"\"", "NULL"],
        ["3000", "\"read\"", "NULL", "\"\"", "\"AADSAp\""],
        ["3500", "\"message\"", "NULL", "\"010203\"", "NULL"],
      ])
    #expect(
      try rows(logDatabase, "SELECT unix_ms - \(start), level, is_external FROM battery") == [
        ["5000", "93", "0"]
      ])
    #expect(
      try rows(logDatabase, "SELECT unix_ms - \(start), first_seconds_before, last_seconds_before FROM visit")
        == [
          ["6000", "4", "1"]
        ])
    #expect(
      try rows(
        logDatabase,
        "SELECT begin_ms - \(start), end_ms - \(start), readings, short FROM contact JOIN payload ON payload.id = payload_id"
      ) == [
        ["1000", "4010", "2", "\"AADSAp\""]
      ])
  }

  @Test("The same pages again change nothing; a page that has grown takes the place of what it was")
  func again() throws {
    var log = Log.fresh()
    let clock = WallClock()
    for number in 0..<6000 {
      try log.append(
        .measured(peer, RSSI(Int8(-40 - number * number * 7 % 83))), at: UInt64(number) * 1000, clock)
    }
    let folder = TemporaryFolder()
    let pages = try PageStore(path: folder.path, create: true)
    try store(&log, in: pages)
    let logDatabase = try LogDatabase(path: folder.path + "/" + LogDatabase.fileName)
    let first = try logDatabase.add(pages)
    #expect(first.newPages > 1 && first.readings == 6000)
    let all = "SELECT id, boot_id, peer_id, uptime_ms, unix_ms, rssi FROM reading ORDER BY id"
    let before = try rows(logDatabase, all)
    #expect(try logDatabase.add(pages) == LogDatabase.Change(knownPages: first.newPages))
    #expect(try rows(logDatabase, all) == before)
    // Opened anew, it is the same.
    #expect(try rows(try LogDatabase(path: logDatabase.path), all) == before)

    for number in 6000..<6010 {
      try log.append(.measured(peer, RSSI(-60)), at: UInt64(number) * 1000, clock)
    }
    try store(&log, in: pages)
    let second = try logDatabase.add(pages)
    #expect(second.newPages <= 2 && second.knownPages >= first.newPages - 1)
    #expect(
      try rows(logDatabase, "SELECT COUNT(*), COUNT(DISTINCT uptime_ms), MAX(uptime_ms) FROM reading") == [
        ["6010", "6010", "6009000"]
      ])
  }

  @Test("What had no date gets one when a later page tells it")
  func dateLater() throws {
    var log = Log.fresh()
    var clock = WallClock()
    try log.append(.measured(peer, RSSI(-47)), at: 500, clock)
    let folder = TemporaryFolder()
    let pages = try PageStore(path: folder.path, create: true)
    try store(&log, in: pages)
    let logDatabase = try LogDatabase(path: folder.path + "/" + LogDatabase.fileName)
    _ = try logDatabase.add(pages)
    #expect(try rows(logDatabase, "SELECT unix_ms FROM reading") == [["NULL"]])
    #expect(try rows(logDatabase, "SELECT COUNT(*) FROM contact") == [["0"]])
    for number in 0..<1500 {
      try log.append(.measured(peer, RSSI(Int8(-40 - number % 50))), at: 600, clock)
    }
    clock.set(unixMilliseconds: start, at: Instant(milliseconds: 1000), source: .host)
    try log.append(.clockSet(unixMilliseconds: start, source: .host), at: 1000, clock)
    try store(&log, in: pages)
    _ = try logDatabase.add(pages)
    #expect(try rows(logDatabase, "SELECT unix_ms - \(start) FROM reading ORDER BY id LIMIT 1") == [["-500"]])
    #expect(try rows(logDatabase, "SELECT COUNT(*) FROM reading WHERE unix_ms IS NULL") == [["0"]])
    #expect(try rows(logDatabase, "SELECT begin_ms - \(start), readings FROM contact") == [["-500", "1501"]])
  }

  @Test("Two devices share a database; their rows are kept apart")
  func twoDevices() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let logDatabase = try LogDatabase(path: folder.path + "/" + LogDatabase.fileName)
    for serial in ["A1", "B2"] {
      var log = Log.fresh()
      var clock = WallClock()
      clock.set(unixMilliseconds: start, at: .start, source: .host)
      try log.append(.read(peer), payload, at: 100, clock)
      try log.append(.measured(peer, RSSI(serial == "A1" ? -40 : -80)), at: 200, clock)
      let pages = try PageStore(path: folder.path + "/" + serial, create: true)
      try store(&log, in: pages)
      try pages.updateDevice { $0.serial = serial }
      _ = try logDatabase.add(pages)
    }
    let sql =
      "SELECT serial, rssi FROM reading JOIN boot ON boot.id = boot_id JOIN device ON device.id = device_id ORDER BY serial"
    #expect(try rows(logDatabase, sql) == [["\"A1\"", "-40"], ["\"B2\"", "-80"]])
    #expect(try rows(logDatabase, "SELECT COUNT(*) FROM payload") == [["1"]])
    #expect(try rows(logDatabase, "SELECT COUNT(*) FROM contact") == [["2"]])
  }

  @Test(
    "Files that are no page of the log are named and left out; a database of a later version is refused, and left alone"
  )
  func refusals() throws {
    let folder = TemporaryFolder()
    let pages = try PageStore(path: folder.path, create: true)
    try pages.store([1, 2, 3], as: PageName(epoch: 7, sequence: 1, isOpen: false))
    let path = folder.path + "/" + LogDatabase.fileName
    do {
      let logDatabase = try LogDatabase(path: path)
      #expect(try logDatabase.add(pages).refused == ["00000007-0000000001.page"])
      try logDatabase.asking { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')") }
    }
    let error = #expect(throws: HostLinkError.self) { try LogDatabase(path: path) }
    #expect(error?.cause == .storage && error?.advice?.contains("later version") == false)
    #expect(error?.what.contains("later version") == true)
    let broken = folder.path + "/broken.sqlite"
    try Data("this is not a database, by far".utf8).write(to: URL(fileURLWithPath: broken))
    #expect(throws: HostLinkError.self) { try LogDatabase(path: broken) }
  }

  @Test("The database file has mode 0600")
  func permissions() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let path = folder.path + "/" + LogDatabase.fileName
    _ = try LogDatabase(path: path)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }
}

/// docs/archive.md is what people write their SQL by.
@Suite("Log database: what is written of its tables")
struct DatabaseDocumentTests {
  @Test("Every table but those of conversions, with every column, in their order")
  func tables() throws {
    let documented = try Self.documented("| table of a log | columns |")
    let database = try DatabaseQueue()
    try DatabaseSchema.migrator.migrate(database)
    let real = try database.read { database in
      var tables: [String: [String]] = [:]
      for table in try String.fetchAll(
        database,
        sql: """
          SELECT name FROM sqlite_schema
          WHERE type = 'table' AND name NOT LIKE 'grdb%' AND name NOT LIKE 'conversion%'
          """)
      {
        tables[table] = try database.columns(in: table).map(\.name)
      }
      return tables
    }
    #expect(documented == real)
  }
  @Test("Every exported file with every column, in the order they have, and nothing else")
  func exports() throws {
    let real = Dictionary(uniqueKeysWithValues: ExportTable.all.map { ($0.name, $0.columns.map(\.name)) })
    #expect(try Self.documented("| file of log export | columns |") == real)
  }

  /// The last cell of each row of the table with this heading, as names, by the first cell.
  private static func documented(_ heading: String) throws -> [String: [String]] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("docs/archive.md"), encoding: .utf8)
    let section = try #require(text.range(of: heading))
    var documented: [String: [String]] = [:]
    for line in text[section.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .dropFirst(2)
    {
      guard line.hasPrefix("| `") else { break }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      // What is in parentheses are values or units.
      let columns = cells[cells.count - 1].replacing(#/ \([^)]*\)/#, with: "")
      documented[cells[0].trimmingCharacters(in: ["`"])] = columns.split(separator: ", ").map {
        $0.trimmingCharacters(in: ["`"])
      }
    }
    return documented
  }
}
