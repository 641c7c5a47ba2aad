import HeraldHostLink

/// The tables and views of an archive; docs/archive.md describes them for people who write SQL.
///
/// Pages are authoritative. The tables of `derived` and `clock_finding` are made of them. All others cannot
/// be made again: `setting`, `device`, `device_power`, `device_sealing`, `clock`, `clock_correction`, `page`,
/// `sealed_page`, `refused`, `person`, `assignment` and `resolved_payload`.
enum ArchiveSchema {
  /// The version of the tables, in the setting `schema`.
  static let version: Int64 = 2

  /// The tables that are made of the pages, and their columns that name a device, if any.
  static let derived = [
    "payload", "own_payload", "read_payload", "simple_day", "who", "contact", "heard", "meeting",
    "meeting_due", "battery", "device_event", "coverage",
  ]

  /// The columns with the seconds in each band.
  static let bands = (1...ContactRules.bandCount).map { "seconds_\($0)" }

  /// Creates the tables.
  static func create(_ connection: any ArchiveConnection) throws(HostLinkError) {
    for statement in statements(connection) { try connection.execute(statement) }
  }

  /// Brings an archive of an earlier version to this one. What it did not derive is derived by the update
  /// that calls this.
  static func upgrade(_ archive: Archive) throws(HostLinkError) {
    let connection = archive.connection
    guard try archive.storedVersion() < version else { return }
    try connection.transaction { () throws(HostLinkError) in
      // Another program may have done it meanwhile.
      guard try archive.storedVersion() < version else { return }
      for view in formerViews { try connection.execute("DROP VIEW IF EXISTS \(view)") }
      for statement in coverage(connection) + views { try connection.execute(statement) }
      try connection.execute("UPDATE device SET is_unread = 1, is_stale = 1")
      try archive.set("schema", String(version))
    }
  }

  /// The views of version 1.
  private static let formerViews = ["contacts", "meetings", "directions"]

  /// Tables that archives of earlier versions do not have.
  enum LaterTable: String {
    /// The current of each device as it was at its last pull.
    case power = "device_power"
    /// Whether the log of each device was sealed at its last pull.
    case sealing = "device_sealing"
    /// Closed pages that were not opened, or not whole, as their devices wrote them.
    case sealedPages = "sealed_page"
    /// Devices whose clocks were wrong; made of the contacts.
    case clockFindings = "clock_finding"
    /// Corrections of the dates of devices; not made of anything.
    case clockCorrections = "clock_correction"
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
    case .clockFindings:
      """
      CREATE TABLE clock_finding (device_id \(integer) NOT NULL, kind \(text) NOT NULL, from_day \(integer) NOT NULL,
        to_day \(integer) NOT NULL, offset_s \(integer), met \(integer) NOT NULL, other_id \(integer))
      """
    case .clockCorrections:
      """
      CREATE TABLE clock_correction (device_id \(integer) NOT NULL, from_ms \(integer) NOT NULL, to_ms \(integer) NOT NULL,
        shift_ms \(integer) NOT NULL)
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
      statement(.clockFindings, connection),
      statement(.clockCorrections, connection),
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
    ] + coverage(connection) + views
  }

  private static func coverage(_ connection: any ArchiveConnection) -> [String] {
    let (integer, text, _) = connection.types
    return [
      """
      CREATE TABLE coverage (device_id \(integer) NOT NULL, from_ms \(integer) NOT NULL, to_ms \(integer) NOT NULL,
        state \(text) NOT NULL, PRIMARY KEY (device_id, from_ms)) \(connection.keyedTable)
      """
    ]
  }

  /// The views. They have nobody of the kind `unworn`: what was near a badge that nobody wears was near
  /// nobody.
  static var views: [String] {
    ["contacts", "meetings", "near", "directions"].map {
      "CREATE VIEW \($0) AS \(view($0, withUnworn: false))"
    }
  }

  /// The query of a view.
  static func view(_ name: String, withUnworn: Bool) -> String {
    let bands = Self.bands.map { "c.\($0)" }.joined(separator: ", ")
    func side(_ alias: String, _ name: String) -> String {
      "c.\(name)_id, \(alias).label AS \(name), "
        + ["kind", "role", "place"].map { "\(alias).\($0) AS \(name)_\($0)" }.joined(separator: ", ")
    }
    let isMeeting = name == "meetings" || name == "near"
    let (one, other) = isMeeting ? ("who", "other") : ("observer", "subject")
    let sides = "\(side("o", one)), \(side("s", other))"
    let columns =
      switch name {
      case "contacts":
        "\(sides), d.serial AS device, c.begin_ms, c.end_ms, c.seconds, c.readings, c.gaps, \(bands)"
      case "directions": "c.day, \(sides), d.serial AS device, c.seconds, c.readings, \(bands)"
      default: "c.day, \(sides), c.seconds, c.readings, c.directions, \(bands)"
      }
    let table = isMeeting ? "meeting" : name == "contacts" ? "contact" : "heard"
    var conditions = withUnworn ? [] : ["o.kind <> 'unworn'", "s.kind <> 'unworn'"]
    // The table has each pair from both sides; the side is the same in all archives of the same logs.
    if name == "meetings" { conditions.append("(o.kind, o.key) < (s.kind, s.key)") }
    return """
      SELECT \(columns) FROM \(table) c JOIN who o ON o.id = c.\(one)_id JOIN who s ON s.id = c.\(other)_id\
      \(isMeeting ? "" : " JOIN device d ON d.id = c.device_id")\
      \(conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
      """
  }
}
