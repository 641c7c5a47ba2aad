import Foundation
import GRDB
import HeraldEmbedded
import HeraldText

/// A person with contacts, as shown in a report.
struct ReportPerson {
  /// A contact, in milliseconds since 1970-01-01T00:00:00Z.
  struct Contact {
    let begin: UInt64
    let end: UInt64
    /// The duration of the contact in seconds; see `ContactDuration`.
    let seconds: Int
    let readings: Int
  }

  /// The displayed name: a venue's name, the short form of the payload, or the address.
  let name: String
  /// The kind of the payload; empty if none was read.
  let kind: String
  /// The number of contacts, and the drawn ones, which are the longest.
  let contactCount: Int
  let contacts: [Contact]
  let begin: UInt64
  let end: UInt64
  /// The total duration of all contacts in seconds; see `ContactDuration`.
  let seconds: Int
  let readings: Int
  let strongest: Int?
  /// For each column of a chart, the number of readings of each RSSI, indexed by its bit pattern.
  fileprivate(set) var columns: [Int: [UInt32]] = [:]
}

/// An interval without any record between two records, in milliseconds since 1970-01-01T00:00:00Z.
struct ReportGap: Equatable {
  let begin: UInt64
  let end: UInt64
}

/// The content of a report, queried from a database. Its size is bounded for any log.
struct ReportContent {
  /// The minimum interval without a record that is shown, in milliseconds; the same interval ends a contact.
  static let gap = ContactPeriod.silence
  /// The maximum number of persons with a row, of persons with an RSSI chart, and of bars in a row.
  static let mostPeople = 60
  static let mostCharts = 12
  private static let mostBars = 500
  /// Time steps in which readings are counted: hours, days, weeks, years. The first whose number does not
  /// exceed the maximum is used.
  private static let steps: [(name: String, length: UInt64)] = [
    ("hour", 3_600_000), ("day", 86_400_000), ("week", 604_800_000), ("year", 31_536_000_000),
  ]
  private static let mostSteps: UInt64 = 9000
  private static let mostLevels = 20_000

  /// Persons with contacts, the longest total duration first.
  private(set) var people: [ReportPerson] = []
  /// The total number of persons.
  private(set) var peopleCount = 0
  private(set) var gaps: [ReportGap] = []
  /// Readings per time step.
  private(set) var rates: [(begin: UInt64, readings: Int)] = []
  private(set) var step = ReportContent.steps[0]
  private(set) var batteries: [BatteryLevel] = []
  /// The first and the last date of the log; both 0 if no record has a date.
  private(set) var begin: UInt64 = 0
  private(set) var end: UInt64 = 0
  private(set) var readings = 0
  private(set) var restarts = 0
  private(set) var motion = ReportMotion()

  /// Queries the content for a device from a database.
  init(_ logDatabase: LogDatabase, serial: String) throws(HostLinkError) {
    self = try logDatabase.asking { database in
      var content = ReportContent()
      try content.read(database, serial: serial)
      return content
    }
  }

  private init() {}

  private mutating func read(_ database: Database, serial: String) throws {
    let device =
      try Int64.fetchOne(database, sql: "SELECT id FROM device WHERE serial = ?", arguments: [serial]) ?? 0
    restarts =
      try Int.fetchOne(
        database,
        sql:
          "SELECT COUNT(*) FROM event JOIN boot ON boot.id = boot_id WHERE device_id = ? AND kind = ?",
        arguments: [device, EventColumns.Kind.restarted.rawValue]) ?? 0
    try findEnds(database, device)
    guard end > 0 else { return }
    step = Self.steps.first { (end - begin) / $0.length < Self.mostSteps } ?? Self.steps[Self.steps.count - 1]
    let ids = try findPeople(database, device)
    try readBattery(database, device)
    motion = try ReportMotion(database, device: device)
    try readRecords(database, device, ids)
  }

  private mutating func findEnds(_ database: Database, _ device: Int64) throws {
    for table in DatabaseSchema.records {
      let row = try Row.fetchOne(
        database,
        sql:
          "SELECT MIN(unix_ms), MAX(unix_ms) FROM \(table) JOIN boot ON boot.id = boot_id WHERE device_id = ?",
        arguments: [device])
      guard let row, let first = row[0] as Int64?, let last = row[1] as Int64? else { continue }
      begin = min(end == 0 ? .max : begin, UInt64(clamping: first))
      end = max(end, UInt64(clamping: last))
    }
  }

  /// Finds the persons with the longest contacts; returns their numbers.
  private mutating func findPeople(_ database: Database, _ device: Int64) throws -> [Int64] {
    peopleCount =
      try Int.fetchOne(
        database, sql: "SELECT COUNT(DISTINCT person_id) FROM contact WHERE device_id = ?",
        arguments: [device]) ?? 0
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT person.id, SUM(seconds) AS near, person.readings, levels, bytes, address, COUNT(*), MIN(begin_ms), MAX(end_ms)
        FROM contact JOIN person ON person.id = person_id LEFT JOIN payload ON payload.id = person.payload_id
          LEFT JOIN peer ON peer.id = person.peer_id
        WHERE contact.device_id = ? GROUP BY person.id ORDER BY near DESC, person.readings DESC, COALESCE(short, address), person.id
        LIMIT ?
        """, arguments: [device, Self.mostPeople])
    for row in rows {
      let contacts = try Row.fetchAll(
        database,
        sql: """
          SELECT begin_ms, end_ms, seconds, readings FROM
            (SELECT * FROM contact WHERE person_id = ? ORDER BY seconds DESC, begin_ms LIMIT ?) ORDER BY begin_ms
          """, arguments: [row[0] as Int64, Self.mostBars]
      ).map {
        ReportPerson.Contact(
          begin: UInt64(clamping: $0[0] as Int64), end: UInt64(clamping: $0[1] as Int64), seconds: $0[2],
          readings: $0[3])
      }
      let (name, kind) = Self.words((row[4] as Data?).map { [UInt8]($0) }, address: row[5] ?? "")
      people.append(
        ReportPerson(
          name: name, kind: kind, contactCount: row[6], contacts: contacts,
          begin: UInt64(clamping: row[7] as Int64),
          end: UInt64(clamping: row[8] as Int64), seconds: row[1], readings: row[2],
          strongest: SignalLevels.summary(SignalLevels.counts(row[3]))?.strongest))
    }
    return rows.map { $0[0] }
  }

  private static func words(_ payload: [UInt8]?, address: String) -> (name: String, kind: String) {
    guard let payload else { return (address, "") }
    let description = PayloadDescription(payload)
    if let premises = description?.premises, !premises.isEmpty {
      return (PrintableText.of(premises, limit: 24), description?.family ?? "")
    }
    return (ShortPayload.text(payload), description?.family ?? "")
  }

  private mutating func readBattery(_ database: Database, _ device: Int64) throws {
    // Of more levels than can be drawn, every n-th.
    let count =
      try Int.fetchOne(
        database,
        sql:
          "SELECT COUNT(*) FROM battery JOIN boot ON boot.id = boot_id WHERE device_id = ? AND unix_ms IS NOT NULL",
        arguments: [device]) ?? 0
    let every = count / Self.mostLevels + 1
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT unix_ms, level, is_external FROM battery JOIN boot ON boot.id = boot_id
        WHERE device_id = ? AND unix_ms IS NOT NULL ORDER BY battery.id
        """, arguments: [device])
    var place = 0
    while let row = try rows.next() {
      if place % every == 0 {
        batteries.append(
          BatteryLevel(
            unixMilliseconds: UInt64(clamping: row[0] as Int64), level: Double(row[1] as Int64),
            isExternal: row[2]))
      }
      place += 1
    }
  }

  // MARK: Records

  private mutating func readRecords(_ database: Database, _ device: Int64, _ ids: [Int64]) throws {
    let axis = ReportCharts.axis(begin: begin, end: end)
    var activity = ActivitySpans(gap: Self.gap)
    var counts: [UInt64: Int] = [:]
    let charts = people.indices.filter { people[$0].readings > 0 }.prefix(Self.mostCharts)
    let chartOf = Dictionary(uniqueKeysWithValues: charts.map { (ids[$0], $0) })
    let owners = try ReadingAttribution(database, device: device)
    let rows = try NumberStatement(
      database,
      sql: """
        SELECT reading.id, unix_ms, peer_id, rssi FROM reading
        WHERE unix_ms IS NOT NULL AND boot_id IN (SELECT id FROM boot WHERE device_id = \(device)) ORDER BY id
        """)
    while try rows.step() {
      let date = UInt64(clamping: rows.number(1))
      activity.add(date)
      let owner = try owners.owner(of: rows.number(2), at: rows.number(0))
      guard !owner.isHearsay else { continue }
      readings += 1
      counts[date / step.length, default: 0] += 1
      guard let chart = owner.person.flatMap({ chartOf[$0] }) else { continue }
      let level = Int(UInt8(bitPattern: Int8(clamping: rows.number(3))))
      people[chart].columns[Int(axis.x(date)), default: [UInt32](repeating: 0, count: 256)][level] += 1
    }
    rates = counts.sorted { $0.key < $1.key }.map { ($0.key * step.length, $0.value) }
    for table in DatabaseSchema.records where table != "reading" {
      let dates = try NumberStatement(
        database,
        sql: """
          SELECT unix_ms FROM \(table) WHERE unix_ms IS NOT NULL
            AND boot_id IN (SELECT id FROM boot WHERE device_id = \(device)) ORDER BY id
          """)
      while try dates.step() { activity.add(UInt64(clamping: dates.number(0))) }
    }
    gaps = activity.gaps
  }
}

/// Formats times as text.
enum ReportText {
  /// A duration in milliseconds as text.
  static func duration(_ milliseconds: UInt64) -> String { DurationText.of(seconds: milliseconds / 1000) }

  /// The begin and end dates, in UTC.
  static func dates(_ begin: UInt64, _ end: UInt64) -> String {
    "\(UTCTimestamp.seconds(begin)) to \(UTCTimestamp.seconds(end))"
  }

  /// The begin and end dates, and the duration.
  static func span(_ begin: UInt64, _ end: UInt64) -> String {
    "\(dates(begin, end)) (\(duration(end - begin)))"
  }
}
