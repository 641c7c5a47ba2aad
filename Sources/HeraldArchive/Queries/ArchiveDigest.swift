import HeraldCrypto
import HeraldEmbedded
import HeraldHostLink

/// The digest of an archive.
enum ArchiveDigest {
  /// The SHA-256, in hexadecimal digits, of what the archive's contents follow from: its pages, the dates and
  /// persons of its devices, resolved payloads, corrected clocks and rules. It is the same for the same logs
  /// in SQLite and PostgreSQL, in whatever order they were added.
  static func of(_ archive: Archive) throws(HostLinkError) -> String {
    let connection = archive.connection
    var sum = SHA256()
    func add(_ sql: String) throws(HostLinkError) {
      sum.update(Array((sql + "\0").utf8).span)
      try connection.query(sql, []) { (row: SQLRow) throws(HostLinkError) in
        for value in row.values {
          let bytes: [UInt8] =
            switch value {
            case .blob(let bytes): bytes
            case .text(let text): Array(text.utf8)
            case .integer(let number): Array(String(number).utf8)
            case .null: []
            }
          sum.update(Array("\(bytes.count):".utf8).span)
          sum.update(bytes.span)
        }
      }
    }
    try add(
      """
      SELECT d.serial, p.epoch, p.sequence, p.is_open, p.sha256 FROM page p JOIN device d ON d.id = p.device_id
      ORDER BY d.serial, p.epoch, p.sequence, p.is_open
      """)
    try add(
      """
      SELECT d.serial, c.epoch, c.boot, c.uptime_ms, c.unix_ms, c.source FROM clock c
        JOIN device d ON d.id = c.device_id ORDER BY d.serial, c.epoch, c.boot, c.uptime_ms, c.unix_ms
      """)
    try add(
      """
      SELECT a.serial, p.name, p.role, p.place, a.from_ms, a.to_ms FROM assignment a
        JOIN person p ON p.id = a.person_id ORDER BY a.serial, a.from_ms, p.name
      """)
    try add("SELECT bytes, serial, from_ms, to_ms FROM resolved_payload ORDER BY bytes, serial")
    if try connection.hasTable(ArchiveSchema.LaterTable.clockCorrections.rawValue) {
      try add(
        """
        SELECT d.serial, c.from_ms, c.to_ms, c.shift_ms FROM clock_correction c JOIN device d ON d.id = c.device_id
        ORDER BY d.serial, c.from_ms
        """)
    }
    try add(
      "SELECT name, value FROM setting WHERE name IN ('band_limits', 'assumed_power', 'window', 'zone') ORDER BY name"
    )
    var digest: [32 of UInt8] = .init(repeating: 0)
    sum.finish(into: &digest)
    return digest.indices.map { digest[$0] }.hexadecimal
  }
}
