import HeraldHostLink

/// The tables and views of an archive; docs/archive.md describes them for people who write SQL.
///
/// Pages are authoritative: `device`, `device_power`, `device_sealing`, `clock`, `page` and `sealed_page`
/// cannot be made again, every other table can.
enum ArchiveSchema {
  /// The version of the tables, in the setting `schema`.
  static let version: Int64 = 1

  /// The tables that are made of the pages, and their columns that name a device, if any.
  static let derived = [
    "payload", "own_payload", "read_payload", "simple_day", "who", "contact", "heard", "meeting",
    "meeting_due", "battery",
    "device_event",
  ]

  /// The columns with the seconds in each band.
  static let bands = (1...ContactRules.bandCount).map { "seconds_\($0)" }

  /// Creates the tables.
  static func create(_ connection: any ArchiveConnection) throws(HostLinkError) {
    for statement in statements(connection) { try connection.execute(statement) }
  }

  /// Tables that archives of earlier versions do not have.
  enum LaterTable: String {
    /// The current of each device as it was at its last pull.
    case power = "device_power"
    /// Whether the log of each device was sealed at its last pull.
    case sealing = "device_sealing"
    /// Closed pages that were not opened, or not whole, as their devices wrote them.
    case sealedPages = "sealed_page"
  }

  /// Creates a table if an archive does not have it. Returns whether it did.
  static func ensure(_ table: LaterTable, _ connection: any ArchiveConnection) throws(HostLinkError) -> Bool {
    if try connection.hasTable(table.rawValue) { return true }
    try connection.execute(statement(table, connection))
    return false
  }

  private static func statement(_ table: LaterTable, _ connection: any ArchiveConnection) -> String {
    let (integer, text, blob) = connection.types
    return switch table {
    case .power:
      """
      CREATE TABLE device_power (device_id \(integer) PRIMARY KEY, unix_ms \(integer) NOT NULL, board \(text) NOT NULL,
        nanoamperes \(integer), not_known \(text) NOT NULL)
      """
    case .sealing:
      """
      CREATE TABLE device_sealing (device_id \(integer) PRIMARY KEY, unix_ms \(integer) NOT NULL,
        is_sealed \(integer) NOT NULL, owner_key \(text) NOT NULL)
      """
    case .sealedPages:
      """
      CREATE TABLE sealed_page (device_id \(integer) NOT NULL, epoch \(integer) NOT NULL, sequence \(integer) NOT NULL,
        sha256 \(blob) NOT NULL, size \(integer) NOT NULL, bytes \(blob) NOT NULL,
        PRIMARY KEY (device_id, epoch, sequence))
      """
    }
  }

  private static func statements(_ connection: any ArchiveConnection) -> [String] {
    let (integer, text, blob) = connection.types
    let keyed = connection.keyedTable
    let bands = bands.map { "\($0) \(integer) NOT NULL" }.joined(separator: ", ")
    let key = "\(integer) PRIMARY KEY"
    return [
      "CREATE TABLE setting (name \(text) PRIMARY KEY, value \(text) NOT NULL)",
      """
      CREATE TABLE device (id \(key), serial \(text) NOT NULL UNIQUE, name \(text) NOT NULL,
        system \(text) NOT NULL, version \(text) NOT NULL, epochs \(text) NOT NULL,
        is_unread \(integer) NOT NULL, is_stale \(integer) NOT NULL, readings \(integer) NOT NULL,
        undated \(integer) NOT NULL, lost \(integer) NOT NULL, first_ms \(integer), last_ms \(integer))
      """,
      """
      CREATE TABLE clock (device_id \(integer) NOT NULL, epoch \(integer) NOT NULL, boot \(integer) NOT NULL,
        uptime_ms \(integer) NOT NULL, unix_ms \(integer) NOT NULL, source \(text) NOT NULL)
      """,
      "CREATE INDEX clock_by_device ON clock (device_id)",
      statement(.power, connection),
      statement(.sealing, connection),
      statement(.sealedPages, connection),
      """
      CREATE TABLE page (id \(key), device_id \(integer) NOT NULL, epoch \(integer) NOT NULL,
        sequence \(integer) NOT NULL, is_open \(integer) NOT NULL,
        sha256 \(blob) NOT NULL, size \(integer) NOT NULL, bytes \(blob) NOT NULL,
        UNIQUE (device_id, epoch, sequence))
      """,
      """
      CREATE TABLE refused (device_id \(integer) NOT NULL, epoch \(integer) NOT NULL, sequence \(integer) NOT NULL,
        sha256 \(blob) NOT NULL, reason \(text) NOT NULL)
      """,
      """
      CREATE TABLE person (id \(key), name \(text) NOT NULL UNIQUE, role \(text) NOT NULL, place \(text) NOT NULL)
      """,
      """
      CREATE TABLE assignment (serial \(text) NOT NULL, person_id \(integer) NOT NULL,
        from_ms \(integer) NOT NULL, to_ms \(integer) NOT NULL)
      """,
      "CREATE TABLE payload (id \(key), bytes \(blob) NOT NULL UNIQUE, short \(text) NOT NULL, family \(text) NOT NULL)",
      """
      CREATE TABLE own_payload (device_id \(integer) NOT NULL, payload_id \(integer) NOT NULL,
        from_ms \(integer) NOT NULL, to_ms \(integer) NOT NULL)
      """,
      "CREATE INDEX own_payload_by_device ON own_payload (device_id)",
      "CREATE INDEX own_payload_by_payload ON own_payload (payload_id)",
      """
      CREATE TABLE read_payload (device_id \(integer) NOT NULL, payload_id \(integer) NOT NULL,
        PRIMARY KEY (payload_id, device_id)) \(keyed)
      """,
      "CREATE INDEX read_payload_by_device ON read_payload (device_id)",
      // Not derived from the pages: secrets are needed, which are not kept. By the bytes, as the numbers of
      // `payload` are made again.
      """
      CREATE TABLE resolved_payload (bytes \(blob) NOT NULL, serial \(text) NOT NULL, from_ms \(integer) NOT NULL,
        to_ms \(integer) NOT NULL, PRIMARY KEY (bytes, serial)) \(keyed)
      """,
      "CREATE INDEX resolved_payload_by_serial ON resolved_payload (serial)",
      """
      CREATE TABLE simple_day (device_id \(integer) NOT NULL, day \(integer) NOT NULL,
        PRIMARY KEY (device_id, day)) \(keyed)
      """,
      """
      CREATE TABLE who (id \(key), kind \(text) NOT NULL, key \(text) NOT NULL, label \(text) NOT NULL, role \(text) NOT NULL,
        place \(text) NOT NULL, UNIQUE (kind, key))
      """,
      "CREATE INDEX who_by_label ON who (label)",
      """
      CREATE TABLE contact (observer_id \(integer) NOT NULL, begin_ms \(integer) NOT NULL,
        subject_id \(integer) NOT NULL, device_id \(integer) NOT NULL, end_ms \(integer) NOT NULL,
        seconds \(integer) NOT NULL, readings \(integer) NOT NULL, gaps \(integer) NOT NULL, \(bands),
        PRIMARY KEY (device_id, begin_ms, observer_id, subject_id)) \(keyed)
      """,
      """
      CREATE TABLE heard (day \(integer) NOT NULL, observer_id \(integer) NOT NULL, subject_id \(integer) NOT NULL,
        device_id \(integer) NOT NULL, seconds \(integer) NOT NULL, readings \(integer) NOT NULL, \(bands),
        windows \(blob) NOT NULL, PRIMARY KEY (observer_id, day, subject_id, device_id)) \(keyed)
      """,
      """
      CREATE TABLE meeting (day \(integer) NOT NULL, who_id \(integer) NOT NULL, other_id \(integer) NOT NULL,
        seconds \(integer) NOT NULL, readings \(integer) NOT NULL, directions \(integer) NOT NULL, \(bands),
        PRIMARY KEY (who_id, day, other_id)) \(keyed)
      """,
      "CREATE INDEX meeting_by_day ON meeting (day, who_id)",
      """
      CREATE TABLE meeting_due (who_id \(integer) NOT NULL, other_id \(integer) NOT NULL, day \(integer) NOT NULL,
        device_id \(integer) NOT NULL, PRIMARY KEY (who_id, other_id, day, device_id)) \(keyed)
      """,
      "CREATE INDEX meeting_due_by_other ON meeting_due (other_id)",
      "CREATE INDEX meeting_due_by_device ON meeting_due (device_id)",
      """
      CREATE TABLE battery (device_id \(integer) NOT NULL, unix_ms \(integer) NOT NULL, level \(integer) NOT NULL,
        is_external \(integer) NOT NULL)
      """,
      "CREATE INDEX battery_by_device ON battery (device_id)",
      """
      CREATE TABLE device_event (device_id \(integer) NOT NULL, unix_ms \(integer), kind \(text) NOT NULL,
        value \(integer) NOT NULL)
      """,
      "CREATE INDEX device_event_by_device ON device_event (device_id)",
    ] + views
  }

  private static var views: [String] {
    let qualified = Self.bands.map { "c.\($0)" }.joined(separator: ", ")
    return [
      """
      CREATE VIEW contacts AS
        SELECT c.observer_id, o.label AS observer, o.kind AS observer_kind, o.role AS observer_role,
          o.place AS observer_place, c.subject_id, s.label AS subject, s.kind AS subject_kind,
          s.role AS subject_role, s.place AS subject_place, d.serial AS device, c.begin_ms, c.end_ms, c.seconds,
          c.readings, c.gaps, \(qualified)
        FROM contact c JOIN who o ON o.id = c.observer_id JOIN who s ON s.id = c.subject_id
          JOIN device d ON d.id = c.device_id
      """,
      """
      CREATE VIEW meetings AS
        SELECT c.day, c.who_id, w.label AS who, w.kind AS who_kind, w.role AS who_role, w.place AS who_place,
          c.other_id, o.label AS other, o.kind AS other_kind, o.role AS other_role, o.place AS other_place,
          c.seconds, c.readings, c.directions, \(qualified)
        FROM meeting c JOIN who w ON w.id = c.who_id JOIN who o ON o.id = c.other_id
      """,
      """
      CREATE VIEW directions AS
        SELECT c.day, c.observer_id, o.label AS observer, o.kind AS observer_kind, o.role AS observer_role,
          o.place AS observer_place, c.subject_id, s.label AS subject, s.kind AS subject_kind,
          s.role AS subject_role, s.place AS subject_place, d.serial AS device, c.seconds, c.readings,
          \(qualified)
        FROM heard c JOIN who o ON o.id = c.observer_id JOIN who s ON s.id = c.subject_id
          JOIN device d ON d.id = c.device_id
      """,
    ]
  }
}
