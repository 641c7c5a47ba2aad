import GRDB

/// Undoes the changes made by the open page (the page that the device was still writing), so that its longer
/// form can be interpreted later.
///
/// While the open page is interpreted, triggers record for each changed row an SQL statement that restores
/// it.
enum OpenPageUndo {
  /// The tables that depend on all earlier records.
  private static let tables = [
    "person", "person_address", "contact", "contact_window", "conversion_total", "conversion_peer",
    "conversion_sign",
    "conversion_short",
  ]

  /// Starts recording changes.
  static func begin(_ database: Database) throws {
    for table in tables {
      let columns = try database.columns(in: table).map(\.name)
      let key = try database.primaryKey(table).columns
      func condition(_ row: String) -> String {
        key.map { "'\($0) = ' || quote(\(row).\($0))" }.joined(separator: " || ' AND ' || ")
      }
      let values = columns.map { "quote(OLD.\($0))" }.joined(separator: " || ', ' || ")
      let changes = columns.map { "'\($0) = ' || quote(OLD.\($0))" }.joined(separator: " || ', ' || ")
      let undo = [
        "INSERT": "'DELETE FROM \(table) WHERE ' || \(condition("NEW"))",
        "UPDATE": "'UPDATE \(table) SET ' || \(changes) || ' WHERE ' || \(condition("NEW"))",
        "DELETE":
          "'INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (' || \(values) || ')'",
      ]
      for (action, sql) in undo {
        try database.execute(
          sql: """
            CREATE TEMP TRIGGER undo_\(action)_\(table) AFTER \(action) ON main.\(table)
            BEGIN INSERT INTO conversion_undo (device_id, sql) VALUES (0, \(sql)); END
            """)
      }
    }
  }

  /// Stops recording; the recorded changes are those of the open page of this device.
  static func end(_ database: Database, device: Int64) throws {
    for table in tables {
      for action in ["INSERT", "UPDATE", "DELETE"] {
        try database.execute(sql: "DROP TRIGGER temp.undo_\(action)_\(table)")
      }
    }
    try database.execute(
      sql: "UPDATE conversion_undo SET device_id = ? WHERE device_id = 0", arguments: [device])
  }

  /// Reverts all changes recorded for a device.
  static func undo(_ database: Database, device: Int64) throws {
    while let row = try Row.fetchOne(
      database, sql: "SELECT id, sql FROM conversion_undo WHERE device_id = ? ORDER BY id DESC LIMIT 1",
      arguments: [device])
    {
      try database.execute(sql: row["sql"])
      try database.execute(sql: "DELETE FROM conversion_undo WHERE id = ?", arguments: [row["id"] as Int64])
    }
  }
}
