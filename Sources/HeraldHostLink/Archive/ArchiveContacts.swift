import GRDB
import HeraldEmbedded

/// Finds the contacts of a device in its archive: what `ContactPeriod` makes of its dated events. Peers and payloads are their numbers here.
enum ArchiveContacts {
  /// Makes the device's contacts anew.
  static func find(in database: Database, device: Int64) throws {
    try database.execute(sql: "DELETE FROM contact WHERE device_id = ?", arguments: [device])
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO contact (device_id, peer_id, payload_id, begin_ms, end_ms, readings) VALUES (?, ?, ?, ?, ?, ?)
        """)
    for contact in try search(in: database, device: device).contacts {
      try insert.execute(
        arguments: [
          device, contact.peer, contact.payload, Int64(clamping: contact.begin), Int64(clamping: contact.end),
          contact.readings,
        ])
    }
  }

  /// Goes through what was detected, read and measured, in the order of the log.
  private static func search(in database: Database, device: Int64) throws -> ContactSearch<Int64, Int64> {
    // What somebody told of a peer is no contact with it.
    let hearsay = try Set(
      Int64.fetchAll(
        database, sql: "SELECT id FROM peer WHERE device_id = ? AND kind = ?",
        arguments: [device, TargetIdentity.Kind.shared.archiveName]))
    let pages = try pagesInOrder(in: database, device: device)
    let events = try NumberStatement(
      database,
      sql: """
        SELECT id, unix_ms, peer_id, payload_id FROM event
        WHERE id >= ? AND id < ? AND unix_ms IS NOT NULL AND kind IN ('detected', 'read') ORDER BY id
        """)
    let readings = try NumberStatement(
      database,
      sql:
        "SELECT id, unix_ms, peer_id FROM reading WHERE id >= ? AND id < ? AND unix_ms IS NOT NULL ORDER BY id"
    )
    var attribution = PayloadAttribution<Int64, Int64>()
    for page in pages {
      begin(events, page)
      while try events.step() {
        if !events.isNull(3) { attribution.willRead(events.number(3), of: events.number(2)) }
      }
    }
    var search = ContactSearch(attribution)
    for page in pages {
      begin(events, page)
      begin(readings, page)
      var hasEvent = try events.step()
      var hasReading = try readings.step()
      while hasEvent || hasReading {
        if hasReading, !hasEvent || readings.number(0) < events.number(0) {
          let peer = readings.number(2)
          if !hearsay.contains(peer) {
            search.heard(peer, at: UInt64(clamping: readings.number(1)), isReading: true)
          }
          hasReading = try readings.step()
        } else {
          let peer = events.number(2)
          if !events.isNull(3) {
            search.read(events.number(3), of: peer)
          } else if !hearsay.contains(peer) {
            search.heard(peer, at: UInt64(clamping: events.number(1)), isReading: false)
          }
          hasEvent = try events.step()
        }
      }
    }
    return search
  }

  private static func begin(_ statement: NumberStatement, _ page: Int64) {
    statement.bind(page * ArchiveSchema.recordsPerPage, at: 1)
    statement.bind((page + 1) * ArchiveSchema.recordsPerPage, at: 2)
  }

  /// Epochs in the order in which they came, pages in that of the log.
  private static func pagesInOrder(in database: Database, device: Int64) throws -> [Int64] {
    try Int64.fetchAll(
      database,
      sql: """
        SELECT page.id FROM page JOIN (SELECT epoch, MIN(id) AS came FROM page WHERE device_id = :device GROUP BY epoch)
          USING (epoch) WHERE device_id = :device ORDER BY came, sequence
        """, arguments: ["device": device])
  }
}
