import Foundation
import GRDB
import HeraldEmbedded

/// A record other than a reading, as stored in the database.
struct StoredRecord {
  /// The record's number; see `DatabaseSchema.recordsPerPage`.
  let id: Int64
  /// The date in milliseconds since 1970-01-01T00:00:00Z; `nil` if unknown.
  let date: UInt64?
  /// The number of its start-up.
  let boot: Int64
  /// The number of its peer, if any.
  let peer: Int64?
  /// The number of its payload, if any.
  let payload: Int64?
  /// The bytes of the event, unless they are a payload.
  let bytes: [UInt8]
  /// The event.
  let columns: EventColumns
}

/// Inserts records other than readings into a database, and reads them.
struct StoredRecords {
  private let insertEvent: Statement
  private let insertBattery: Statement
  private let insertVisit: Statement

  init(_ database: Database) throws {
    insertEvent = try database.cachedStatement(
      sql: """
        INSERT INTO event (id, boot_id, peer_id, uptime_ms, unix_ms, kind, payload_id, system, value, data)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    insertBattery = try database.cachedStatement(
      sql:
        "INSERT INTO battery (id, boot_id, uptime_ms, unix_ms, level, is_external) VALUES (?, ?, ?, ?, ?, ?)")
    insertVisit = try database.cachedStatement(
      sql: """
        INSERT INTO visit (id, boot_id, peer_id, uptime_ms, unix_ms, first_seconds_before, last_seconds_before)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
  }

  /// Inserts a record; `uptime` is in milliseconds.
  func add(_ record: StoredRecord, uptime: Int64) throws {
    let columns = record.columns
    let date = record.date.map { Int64(clamping: $0) }
    switch columns.kind {
    case .battery:
      try insertBattery.execute(arguments: [
        record.id, record.boot, uptime, date, columns.value, columns.second,
      ])
    case .visit:
      try insertVisit.execute(arguments: [
        record.id, record.boot, record.peer, uptime, date, columns.second, columns.value,
      ])
    default:
      let data: Data? = if case .data = columns.bytes { Data(record.bytes) } else { nil }
      try insertEvent.execute(arguments: [
        record.id, record.boot, record.peer, uptime, date, columns.kind.rawValue, record.payload,
        columns.system?.databaseName, columns.value, data,
      ])
    }
  }

  /// The records of a page other than readings, in the order of the page; at most as many as a page may
  /// contain.
  static func all(of page: Int64, _ database: Database) throws -> [StoredRecord] {
    let first = page * DatabaseSchema.recordsPerPage
    let rows = try Row.fetchAll(
      database, sql: Self.select, arguments: ["first": first, "end": first + DatabaseSchema.recordsPerPage])
    return rows.compactMap { row in
      EventColumns(kind: row[4], system: row[6], value: row[7], second: row[9]).map {
        StoredRecord(
          id: row[0], date: (row[2] as Int64?).map { UInt64(clamping: $0) }, boot: row[1], peer: row[3],
          payload: row[5], bytes: [UInt8]((row[8] as Data?) ?? Data()), columns: $0)
      }
    }
  }

  private static let select = """
    SELECT id, boot_id, unix_ms, peer_id, kind, payload_id, system, value, data, NULL
      FROM event WHERE id >= :first AND id < :end
    UNION ALL
    SELECT id, boot_id, unix_ms, NULL, '\(EventColumns.Kind.battery.rawValue)', NULL, NULL, level, NULL, is_external
      FROM battery WHERE id >= :first AND id < :end
    UNION ALL
    SELECT id, boot_id, unix_ms, peer_id, '\(EventColumns.Kind.visit.rawValue)', NULL, NULL, last_seconds_before, NULL,
      first_seconds_before
      FROM visit WHERE id >= :first AND id < :end
    ORDER BY id
    """
}
