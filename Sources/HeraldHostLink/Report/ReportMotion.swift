import GRDB
import HeraldEmbedded

/// When a device was worn and when it lay, by its motion sensor. Its size is bounded for any log.
struct ReportMotion {
  /// The maximum number of times of lying that are listed: the first ones.
  static let mostSpans = 50

  /// The total times in milliseconds.
  private(set) var worn: UInt64 = 0
  private(set) var lying: UInt64 = 0
  /// The times of lying, in milliseconds since 1970-01-01T00:00:00Z, and how many there are.
  private(set) var spans: [(begin: UInt64, end: UInt64)] = []
  private(set) var spanCount = 0

  /// Whether the log has a time for which the state is known.
  var isEmpty: Bool { worn == 0 && lying == 0 }

  /// No times.
  init() {}

  /// Queries the times for a device. A state lasts until the next one, or until the last record of its
  /// start-up.
  init(_ database: Database, device: Int64) throws {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT event.boot_id, unix_ms, value FROM event JOIN boot ON boot.id = boot_id
        WHERE device_id = ? AND kind = ? AND unix_ms IS NOT NULL ORDER BY event.boot_id, event.id
        """, arguments: [device, EventColumns.Kind.motion.rawValue])
    var last: (boot: Int64, date: UInt64, state: MotionState)?
    while let row = try rows.next() {
      let boot: Int64 = row[0]
      let date = UInt64(clamping: row[1] as Int64)
      guard let state = UInt8(exactly: row[2] as Int64).flatMap(MotionState.init) else { continue }
      if let last {
        try add(last.state, last.date, last.boot == boot ? date : Self.end(of: last.boot, database))
      }
      last = (boot, date, state)
    }
    if let last { try add(last.state, last.date, Self.end(of: last.boot, database)) }
  }

  private mutating func add(_ state: MotionState, _ begin: UInt64, _ end: UInt64) throws {
    guard end > begin else { return }
    switch state {
    case .unknown: return
    case .worn: worn += end - begin
    case .lying:
      lying += end - begin
      spanCount += 1
      if spans.count < Self.mostSpans { spans.append((begin, end)) }
    }
  }

  /// The date of the last record of a start-up.
  private static func end(of boot: Int64, _ database: Database) throws -> UInt64 {
    var end: Int64 = 0
    for table in DatabaseSchema.records {
      let last = try Int64.fetchOne(
        database, sql: "SELECT MAX(unix_ms) FROM \(table) WHERE boot_id = ?", arguments: [boot])
      end = max(end, last ?? 0)
    }
    return UInt64(clamping: end)
  }
}
