import GRDB

/// The tables of an archive, version by version. docs/archive.md describes them for who asks questions in SQL.
///
/// A version that has been released is never changed: what is new is a migration of its own, so that an archive of any
/// age becomes one of today.
enum ArchiveSchema {
  /// Brings a database of any version up to the newest.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      for statement in version1 { try database.execute(sql: statement) }
    }
    return migrator
  }

  /// A record's number is its page's times this, plus its place within the page: whoever sorts by it has the order of a page.
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
}
