import GRDB

/// An exported table. It is flat, so that it can be used without the others, and each column has one type.
struct ExportTable {
  /// The type of a column's values other than null.
  enum Kind {
    /// Text of devices and peers.
    case text
    /// A word of this program, or an address.
    case word
    /// A whole number.
    case number
    /// A boolean, stored as 0 or 1.
    case truth
    /// Bytes, written as hexadecimal digits.
    case bytes
    /// Milliseconds since 1970-01-01T00:00:00Z, written as a date in UTC.
    case date
  }

  /// A column of the exported table.
  struct Column {
    let name: String
    let kind: Kind

    init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
  }

  /// The name of the file, without its extension.
  let name: String
  /// The columns, in their order in the file.
  let columns: [Column]
  /// The query for the rows, with the columns in the same order.
  let sql: String

  /// All exported tables; docs/archive.md describes them.
  static let all = [devices, pages, readings, events, batteries, visits, contacts]

  /// The device, boot and time of a record; every query begins with these columns.
  private static let position = [
    Column("device", .text), Column("epoch", .number), Column("boot", .number), Column("uptime_ms", .number),
    Column("time", .date),
  ]
  private static let peer = [Column("peer_kind", .word), Column("peer", .word)]

  private static let devices = ExportTable(
    name: "devices",
    columns: [
      Column("device", .text), Column("name", .text), Column("system", .text), Column("version", .text),
    ],
    sql: "SELECT serial, name, system, version FROM device ORDER BY id")

  private static let pages = ExportTable(
    name: "pages",
    columns: [
      Column("device", .text), Column("epoch", .number), Column("sequence", .number),
      Column("is_open", .truth),
      Column("records", .number), Column("ending", .word), Column("sha256", .bytes),
    ],
    sql: """
      SELECT serial, epoch, sequence, is_open, records, ending, sha256
      FROM page JOIN device ON device.id = device_id ORDER BY page.id
      """)

  private static let readings = ExportTable(
    name: "readings", columns: position + peer + [Column("rssi", .number)],
    sql: """
      SELECT serial, epoch, number, uptime_ms, unix_ms, kind, address, rssi
      FROM reading JOIN boot ON boot.id = boot_id JOIN device ON device.id = boot.device_id
        JOIN peer ON peer.id = peer_id
      ORDER BY reading.id
      """)

  private static let events = ExportTable(
    name: "events",
    columns: position + [Column("event", .word)] + peer + [
      Column("payload", .bytes), Column("system", .word), Column("value", .number), Column("data", .bytes),
    ],
    sql: """
      SELECT serial, epoch, number, uptime_ms, unix_ms, event.kind, peer.kind, address, bytes, event.system, value, data
      FROM event JOIN boot ON boot.id = boot_id JOIN device ON device.id = boot.device_id
        LEFT JOIN peer ON peer.id = peer_id LEFT JOIN payload ON payload.id = payload_id
      ORDER BY event.id
      """)

  private static let batteries = ExportTable(
    name: "batteries", columns: position + [Column("level", .number), Column("is_external", .truth)],
    sql: """
      SELECT serial, epoch, number, uptime_ms, unix_ms, level, is_external
      FROM battery JOIN boot ON boot.id = boot_id JOIN device ON device.id = boot.device_id ORDER BY battery.id
      """)

  private static let visits = ExportTable(
    name: "visits",
    columns: position + peer + [
      Column("first_seconds_before", .number), Column("last_seconds_before", .number),
    ],
    sql: """
      SELECT serial, epoch, number, uptime_ms, unix_ms, kind, address, first_seconds_before, last_seconds_before
      FROM visit JOIN boot ON boot.id = boot_id JOIN device ON device.id = boot.device_id
        JOIN peer ON peer.id = peer_id
      ORDER BY visit.id
      """)

  private static let contacts = ExportTable(
    name: "contacts",
    columns: [Column("device", .text)] + peer + [
      Column("payload", .bytes), Column("payload_short", .text), Column("payload_family", .word),
      Column("begin", .date), Column("end", .date), Column("seconds", .number), Column("readings", .number),
    ],
    sql: """
      SELECT serial, kind, address, bytes, short, family, begin_ms, end_ms, seconds, readings
      FROM contact JOIN device ON device.id = contact.device_id JOIN peer ON peer.id = peer_id
        LEFT JOIN payload ON payload.id = payload_id
      ORDER BY contact.device_id, begin_ms, contact.id
      """)
}
