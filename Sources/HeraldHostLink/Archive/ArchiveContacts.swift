import Foundation
import GRDB
import HeraldEmbedded

/// Finds the contacts of a device in its archive: what `ContactPeriod` makes of its dated events.
enum ArchiveContacts {
  /// Makes the device's contacts anew.
  static func find(in database: Database, device: Int64) throws {
    try database.execute(sql: "DELETE FROM contact WHERE device_id = ?", arguments: [device])
    let peers = try peers(of: device, in: database)
    let numbers = Dictionary(peers.map { ($0.value, $0.key) }) { first, _ in first }
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO contact (device_id, peer_id, payload_id, begin_ms, end_ms, readings)
        VALUES (?, ?, (SELECT id FROM payload WHERE bytes = ?), ?, ?, ?)
        """)
    for contact in ContactPeriod.all(in: try events(of: device, in: database, peers: peers)) {
      try insert.execute(
        arguments: [
          device, numbers[contact.peer], contact.payload.map { Data($0) }, Int64(clamping: contact.begin),
          Int64(clamping: contact.end), contact.readings,
        ])
    }
  }

  private static func peers(of device: Int64, in database: Database) throws -> [Int64: TargetIdentity] {
    var peers: [Int64: TargetIdentity] = [:]
    let rows = try Row.fetchCursor(
      database, sql: "SELECT id, kind, address FROM peer WHERE device_id = ?", arguments: [device])
    while let row = try rows.next() {
      peers[row["id"]] = TargetIdentity(archiveName: row["kind"], addressText: row["address"])
    }
    return peers
  }

  /// What was detected, read and measured, in the order of the log.
  private static func events(
    of device: Int64, in database: Database, peers: [Int64: TargetIdentity]
  ) throws -> [DatedEvent] {
    var payloads: [Int64: [UInt8]] = [:]
    let payloadRows = try Row.fetchCursor(database, sql: "SELECT id, bytes FROM payload")
    while let row = try payloadRows.next() {
      let bytes: Data = row["bytes"]
      payloads[row["id"]] = [UInt8](bytes)
    }
    // Epochs in the order in which they came, pages in that of the log, records in that of the page.
    let pages = try Int64.fetchAll(
      database,
      sql: """
        SELECT page.id FROM page JOIN (SELECT epoch, MIN(id) AS came FROM page WHERE device_id = :device GROUP BY epoch)
          USING (epoch) WHERE device_id = :device ORDER BY came, sequence
        """, arguments: ["device": device])
    let statement = try database.cachedStatement(
      sql: """
        SELECT id, unix_ms, peer_id, NULL AS payload_id, rssi FROM reading
          WHERE id >= :first AND id < :end AND unix_ms IS NOT NULL
        UNION ALL
        SELECT id, unix_ms, peer_id, payload_id, NULL FROM event
          WHERE id >= :first AND id < :end AND unix_ms IS NOT NULL AND kind IN ('detected', 'read')
        ORDER BY id
        """)
    var events: [DatedEvent] = []
    for page in pages {
      let first = page * ArchiveSchema.recordsPerPage
      let rows = try Row.fetchCursor(
        statement, arguments: ["first": first, "end": first + ArchiveSchema.recordsPerPage])
      while let row = try rows.next() {
        guard let peer = peers[row[2]] else { continue }
        let kind: DatedEvent.Kind
        if let rssi: Int = row[4] {
          kind = .measured(rssi: rssi, txPower: nil)
        } else if let payload: Int64 = row[3] {
          kind = .read(payloads[payload] ?? [])
        } else {
          kind = .detected
        }
        let date: Int64 = row[1]
        events.append(DatedEvent(unixMilliseconds: UInt64(clamping: date), peer: peer, kind: kind))
      }
    }
    return events
  }
}
