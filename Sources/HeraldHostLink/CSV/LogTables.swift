import Foundation
import GRDB

/// The tables in the folder of a log: those that a Herald phone writes (`contacts.csv`, `statistics.csv`,
/// `detection.csv`, `battery.csv`), and `contact_events.csv`, `visits.csv`, `restarts.csv`, `messages.csv`,
/// `models.csv`, `neighbours.csv` and `motion.csv`.
///
/// Tables with one line for each record are appended to. The three others are rewritten after every change.
final class LogTables {
  /// The appended tables. The first always exists, the others only if they have a line.
  private static let growing = [
    ("contacts.csv", ContactsCSV.header), ("battery.csv", BatteryCSV.header),
    ("visits.csv", VisitsCSV.header),
    ("restarts.csv", RestartsCSV.header), ("messages.csv", MessagesCSV.header),
    ("models.csv", ModelsCSV.header),
    ("neighbours.csv", NeighboursCSV.header), ("motion.csv", MotionCSV.header),
  ]
  private static let replaced = ["statistics.csv", "detection.csv", "contact_events.csv"]

  private let folder: String
  private let device: Int64
  private var files: [AppendedFile] = []
  private var line = CSVText()

  /// The tables of a device in a folder.
  init(folder: String, device: Int64) {
    self.folder = folder
    self.device = device
  }

  /// The state of a file in the database.
  private struct Known {
    let settled: Int64
    let stamp: FileStamp
  }

  private func known(_ database: Database) throws -> [String: Known] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT name, settled_bytes, bytes, changed_ns FROM conversion_file WHERE device_id = ?",
      arguments: [device])
    return Dictionary(
      uniqueKeysWithValues: rows.map {
        (
          $0["name"],
          Known(settled: $0["settled_bytes"], stamp: FileStamp(bytes: $0["bytes"], changed: $0["changed_ns"]))
        )
      })
  }

  /// Whether all files are unchanged since the last conversion.
  func areAsLeft(_ database: Database) throws -> Bool {
    let known = try known(database)
    return (Self.growing.map(\.0) + Self.replaced).allSatisfy {
      known[$0]?.stamp == FileStamp.of("\(folder)/\($0)") ?? FileStamp(bytes: 0, changed: 0)
    }
  }

  /// Opens the appended files after the lines of settled pages. `false` if one of them has changed since:
  /// then all are rewritten.
  func open(_ database: Database, wasCutOff: Bool) throws -> Bool {
    let known = try known(database)
    files = []
    for (name, header) in Self.growing {
      guard let known = known[name] else { return false }
      let stamp = FileStamp.of("\(folder)/\(name)") ?? FileStamp(bytes: 0, changed: 0)
      guard wasCutOff ? stamp.bytes >= known.settled : stamp == known.stamp else { return false }
      files.append(AppendedFile(folder: folder, name: name, header: header, length: known.settled))
    }
    try files[0].append([])
    return true
  }

  /// Creates all appended files. Files of these names that no conversion has written stay in the folder, with
  /// `.before` behind their names.
  func begin(_ database: Database) throws {
    let known = try known(database)
    for name in Self.growing.map(\.0) + Self.replaced where known[name] == nil {
      let path = "\(folder)/\(name)"
      guard FileStamp.of(path)?.bytes ?? 0 > 0, try !LocalFile.exists("\(path).before") else { continue }
      guard rename(path, "\(path).before") == 0 else {
        throw HostLinkError.system(.storage, "\(path) cannot be kept as \(name).before", code: errno)
      }
    }
    files = Self.growing.map { AppendedFile(folder: folder, name: $0.0, header: $0.1, length: 0) }
    try files[0].append([])
  }

  // MARK: Lines

  /// Appends the lines of a fact.
  func append(_ fact: LogFact) throws {
    switch fact {
    case .event(let event):
      ContactsCSV.append(event, to: &line)
      try files[0].append(line.take())
      guard case .visited(let visit) = event.kind else { return }
      VisitsCSV.append(visit, to: &line)
      try files[2].append(line.take())
    case .battery(let level):
      BatteryCSV.append(level, to: &line)
      try files[1].append(line.take())
    case .motion(let change):
      MotionCSV.append(change, to: &line)
      try files[7].append(line.take())
    case .restart(let restart):
      RestartsCSV.append(restart, to: &line)
      try files[3].append(line.take())
    case .bytes(let bytes):
      let index: Int
      switch bytes.kind {
      case .message:
        MessagesCSV.append(bytes, to: &line)
        index = 4
      case .model:
        ModelsCSV.append(bytes, to: &line)
        index = 5
      case .observed, .own:
        NeighboursCSV.append(bytes, to: &line)
        index = 6
      }
      try files[index].append(line.take())
    }
  }

  // MARK: Files

  /// Syncs the lines of settled pages to the disk and stores the lengths of the files, which the next
  /// conversion keeps.
  func settle(_ database: Database) throws {
    for file in files {
      try file.synchronise()
      try note(file.name, settled: file.length, database)
    }
  }

  /// Syncs the rest of the files to the disk, and writes the other tables.
  func finish(_ database: Database, device record: DeviceRecord) throws {
    for file in files { try file.synchronise() }
    try writeStatistics(database)
    try writeDetection(database, record)
    try writeContactEvents(database)
    for name in Self.growing.map(\.0) + Self.replaced { try note(name, settled: nil, database) }
  }

  private func note(_ name: String, settled: Int64?, _ database: Database) throws {
    let stamp = FileStamp.of("\(folder)/\(name)") ?? FileStamp(bytes: 0, changed: 0)
    try database.execute(
      sql: """
        INSERT INTO conversion_file (device_id, name, settled_bytes, bytes, changed_ns) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET settled_bytes = COALESCE(?, settled_bytes), bytes = excluded.bytes,
          changed_ns = excluded.changed_ns
        """, arguments: [device, name, settled ?? 0, stamp.bytes, stamp.changed, settled])
  }

  private func writeStatistics(_ database: Database) throws {
    let file = try ReplacedFile("\(folder)/statistics.csv")
    try file.append(StatisticsCSV.header)
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT short, count, mean, squares, least, most FROM conversion_sign
        WHERE device_id = :device AND short NOT IN (SELECT short FROM conversion_short WHERE device_id = :device AND is_own)
        ORDER BY short
        """, arguments: ["device": device])
    while let row = try rows.next() {
      let sample = StatisticsCSV.Sample(
        count: row["count"], mean: row["mean"], squares: row["squares"], least: row["least"],
        most: row["most"])
      StatisticsCSV.append(row["short"], sample, to: &line)
      try file.append(line.take())
    }
    try file.finish()
  }

  private func writeDetection(_ database: Database, _ record: DeviceRecord) throws {
    let file = try ReplacedFile("\(folder)/detection.csv")
    func known(_ text: String) -> String { text.isEmpty ? "NULL" : text }
    let own =
      try String.fetchOne(
        database,
        sql: "SELECT short FROM conversion_short WHERE device_id = ? AND is_own ORDER BY place DESC LIMIT 1",
        arguments: [device]) ?? ""
    DetectionCSV.begin(
      name: known(record.name), system: known(record.system), version: known(record.version), own: own,
      to: &line)
    let others = try String.fetchCursor(
      database, sql: "SELECT short FROM conversion_short WHERE device_id = ? AND NOT is_own ORDER BY short",
      arguments: [device])
    while let short = try others.next() {
      if short != own { DetectionCSV.append(short, to: &line) }
      try file.append(line.take())
    }
    line.endLine()
    try file.append(line.take())
    try file.finish()
  }

  private func writeContactEvents(_ database: Database) throws {
    let file = try ReplacedFile("\(folder)/contact_events.csv")
    try file.append(ContactEventsCSV.header)
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT address, short, begin_ms, end_ms, seconds, readings FROM contact JOIN peer ON peer.id = peer_id
          LEFT JOIN payload ON payload.id = payload_id
        WHERE contact.device_id = ? ORDER BY begin_ms, contact.id
        """, arguments: [device])
    while let row = try rows.next() {
      ContactEventsCSV.append(
        id: row[0], payload: row[1] ?? "", begin: UInt64(clamping: row[2] as Int64),
        end: UInt64(clamping: row[3] as Int64),
        seconds: row[4], readings: row[5], to: &line)
      try file.append(line.take())
    }
    try file.finish()
  }
}
