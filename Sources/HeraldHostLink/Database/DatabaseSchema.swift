import GRDB

/// The tables of a database, by schema version. docs/archive.md describes them for SQL queries.
///
/// A released version is never changed: every change is a separate migration, so that a database of any
/// version can be migrated to the newest.
enum DatabaseSchema {
  /// Migrates a database of any version to the newest.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      for statement in version1 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("2") { database in
      for statement in version2 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("3") { database in
      for statement in version3 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("4") { database in
      for statement in version4 { try database.execute(sql: statement) }
    }
    return migrator
  }

  /// A record's number is the page's number times this, plus the record's index in the page. Its order is
  /// that of the log.
  static let recordsPerPage: Int64 = 1 << 20

  /// The tables that hold records of pages, each with `boot_id`, `uptime_ms` and `unix_ms`.
  static let records = ["reading", "event", "battery", "visit"]

  private static let version1 = [
    """
    CREATE TABLE device (
      id INTEGER PRIMARY KEY,
      serial TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      system TEXT NOT NULL,
      version TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE boot (
      id INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device,
      epoch INTEGER NOT NULL,
      number INTEGER NOT NULL,
      UNIQUE (device_id, epoch, number)
    ) STRICT
    """,
    """
    CREATE TABLE page (
      id INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device,
      epoch INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      is_open INTEGER NOT NULL,
      sha256 BLOB NOT NULL,
      records INTEGER NOT NULL,
      ending TEXT NOT NULL CHECK (ending IN ('complete', 'open', 'torn', 'malformed')),
      UNIQUE (device_id, epoch, sequence)
    ) STRICT
    """,
    """
    CREATE TABLE clock (
      id INTEGER PRIMARY KEY,
      boot_id INTEGER NOT NULL REFERENCES boot,
      page_id INTEGER REFERENCES page,
      uptime_ms INTEGER NOT NULL,
      start_ms INTEGER NOT NULL,
      source TEXT NOT NULL CHECK (source IN ('device', 'host'))
    ) STRICT
    """,
    """
    CREATE TABLE peer (
      id INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device,
      kind TEXT NOT NULL,
      address TEXT NOT NULL,
      UNIQUE (device_id, kind, address)
    ) STRICT
    """,
    """
    CREATE TABLE payload (
      id INTEGER PRIMARY KEY,
      bytes BLOB NOT NULL UNIQUE,
      short TEXT NOT NULL,
      family TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE reading (
      id INTEGER PRIMARY KEY,
      boot_id INTEGER NOT NULL REFERENCES boot,
      peer_id INTEGER NOT NULL REFERENCES peer,
      uptime_ms INTEGER NOT NULL,
      unix_ms INTEGER,
      rssi INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE event (
      id INTEGER PRIMARY KEY,
      boot_id INTEGER NOT NULL REFERENCES boot,
      peer_id INTEGER REFERENCES peer,
      uptime_ms INTEGER NOT NULL,
      unix_ms INTEGER,
      kind TEXT NOT NULL,
      payload_id INTEGER REFERENCES payload,
      system TEXT,
      value INTEGER,
      data BLOB
    ) STRICT
    """,
    """
    CREATE TABLE battery (
      id INTEGER PRIMARY KEY,
      boot_id INTEGER NOT NULL REFERENCES boot,
      uptime_ms INTEGER NOT NULL,
      unix_ms INTEGER,
      level INTEGER NOT NULL,
      is_external INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE visit (
      id INTEGER PRIMARY KEY,
      boot_id INTEGER NOT NULL REFERENCES boot,
      peer_id INTEGER NOT NULL REFERENCES peer,
      uptime_ms INTEGER NOT NULL,
      unix_ms INTEGER,
      first_seconds_before INTEGER NOT NULL,
      last_seconds_before INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE contact (
      id INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device,
      peer_id INTEGER NOT NULL REFERENCES peer,
      payload_id INTEGER REFERENCES payload,
      begin_ms INTEGER NOT NULL,
      end_ms INTEGER NOT NULL,
      readings INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX contact_by_time ON contact (device_id, begin_ms)",
  ]

  /// From this version on, contacts are updated page by page, and persons have a table. Both are rebuilt from
  /// the records at the next conversion.
  private static let version2 = [
    "DROP TABLE contact",
    """
    CREATE TABLE person (
      id INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device,
      payload_id INTEGER REFERENCES payload,
      peer_id INTEGER REFERENCES peer,
      readings INTEGER NOT NULL,
      levels BLOB NOT NULL
    ) STRICT
    """,
    "CREATE UNIQUE INDEX person_by_payload ON person (device_id, payload_id) WHERE payload_id IS NOT NULL",
    "CREATE UNIQUE INDEX person_by_peer ON person (peer_id) WHERE peer_id IS NOT NULL",
    """
    CREATE TABLE person_address (
      person_id INTEGER NOT NULL REFERENCES person,
      peer_id INTEGER NOT NULL REFERENCES peer,
      PRIMARY KEY (person_id, peer_id)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE contact (
      id INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device,
      person_id INTEGER NOT NULL REFERENCES person,
      peer_id INTEGER NOT NULL REFERENCES peer,
      payload_id INTEGER REFERENCES payload,
      begin_ms INTEGER NOT NULL,
      end_ms INTEGER NOT NULL,
      seconds INTEGER NOT NULL,
      readings INTEGER NOT NULL,
      heard_ms INTEGER NOT NULL,
      windows INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX contact_by_time ON contact (device_id, begin_ms)",
    "CREATE INDEX contact_by_person ON contact (person_id, begin_ms)",
    """
    CREATE TABLE contact_window (
      contact_id INTEGER NOT NULL REFERENCES contact,
      word INTEGER NOT NULL,
      bits INTEGER NOT NULL,
      PRIMARY KEY (contact_id, word)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX clock_by_page ON clock (page_id)",
    "CREATE INDEX event_read ON event (peer_id, id) WHERE kind = 'read'",
    // The following tables hold the progress of the conversion.
    """
    CREATE TABLE conversion (
      device_id INTEGER PRIMARY KEY,
      device TEXT NOT NULL DEFAULT '',
      pages INTEGER NOT NULL DEFAULT 0,
      last_page_id INTEGER NOT NULL DEFAULT 0,
      open_page_id INTEGER NOT NULL DEFAULT 0,
      open_sha256 BLOB NOT NULL DEFAULT X'',
      is_stale INTEGER NOT NULL DEFAULT 0,
      is_writing INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """,
    """
    CREATE TABLE conversion_total (
      device_id INTEGER PRIMARY KEY,
      own_length INTEGER NOT NULL DEFAULT 0,
      starts INTEGER NOT NULL DEFAULT 0,
      events INTEGER NOT NULL DEFAULT 0,
      readings INTEGER NOT NULL DEFAULT 0,
      undated INTEGER NOT NULL DEFAULT 0,
      dropped INTEGER NOT NULL DEFAULT 0,
      unbelievable INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """,
    """
    CREATE TABLE conversion_page (
      device_id INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      is_open INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      changed_ns INTEGER NOT NULL,
      is_page INTEGER NOT NULL,
      PRIMARY KEY (device_id, epoch, sequence)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE conversion_boot (
      boot_id INTEGER PRIMARY KEY,
      first_page_id INTEGER NOT NULL,
      last_page_id INTEGER NOT NULL
    ) STRICT
    """,
    """
    INSERT INTO conversion_boot SELECT boot_id, MIN(id) / 1048576, MAX(id) / 1048576 FROM (
      SELECT boot_id, id FROM reading UNION ALL SELECT boot_id, id FROM event UNION ALL SELECT boot_id, id FROM battery
      UNION ALL SELECT boot_id, id FROM visit
    ) GROUP BY boot_id
    """,
    """
    CREATE TABLE conversion_file (
      device_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      settled_bytes INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      changed_ns INTEGER NOT NULL,
      PRIMARY KEY (device_id, name)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE conversion_peer (
      peer_id INTEGER PRIMARY KEY,
      payload_id INTEGER,
      tx_power INTEGER,
      tx_start INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE conversion_sign (
      device_id INTEGER NOT NULL,
      short TEXT NOT NULL,
      last_ms INTEGER NOT NULL,
      count INTEGER NOT NULL,
      mean REAL NOT NULL,
      squares REAL NOT NULL,
      least REAL NOT NULL,
      most REAL NOT NULL,
      PRIMARY KEY (device_id, short)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE conversion_short (
      device_id INTEGER NOT NULL,
      is_own INTEGER NOT NULL,
      short TEXT NOT NULL,
      place INTEGER NOT NULL,
      PRIMARY KEY (device_id, is_own, short)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE TABLE conversion_undo (id INTEGER PRIMARY KEY, device_id INTEGER NOT NULL, sql TEXT NOT NULL) STRICT",
  ]

  /// A fingerprint that identifies an unchanged folder without a query for each page. A migration that
  /// requires a new interpretation of the records sets `folder` to `NULL`.
  private static let version3 = [
    "ALTER TABLE conversion ADD COLUMN folder BLOB NOT NULL DEFAULT X''",
    "ALTER TABLE conversion ADD COLUMN folder_pages INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX conversion_page_refused ON conversion_page (device_id) WHERE NOT is_page",
    "CREATE INDEX page_malformed ON page (device_id, id) WHERE ending = 'malformed'",
  ]

  /// The form of these files has changed: the next conversion takes them for files that were changed since,
  /// and writes all files again.
  private static let version4 = [
    """
    UPDATE conversion_file SET settled_bytes = 9223372036854775807, changed_ns = -1
    WHERE bytes > 0 AND name IN ('contact_events.csv', 'messages.csv', 'neighbours.csv', 'restarts.csv')
    """
  ]
}
