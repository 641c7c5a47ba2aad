import GRDB
import HeraldEmbedded

/// Attributes readings to persons, from an interpreted database: by the payload last read from the address
/// before the reading, or else the first one after it. `InterpretationState` applies the same rule while it
/// counts readings.
final class ReadingAttribution {
  struct Owner {
    let isHearsay: Bool
    /// The number of the person; `nil` if the address has no payload of its own.
    let person: Int64?
    /// The first record for which the owner may differ.
    let end: Int64
  }

  private static let most = 8192
  private let database: Database
  private let device: Int64
  private var known: [Int64: Owner] = [:]

  init(_ database: Database, device: Int64) throws {
    self.database = database
    self.device = device
  }

  /// The owner of a reading, by the numbers of the peer and the record.
  func owner(of peer: Int64, at record: Int64) throws -> Owner {
    if let owner = known[peer], record < owner.end { return owner }
    let kind = try String.fetchOne(database, sql: "SELECT kind FROM peer WHERE id = ?", arguments: [peer])
    func read(_ order: String) throws -> Row? {
      try Row.fetchOne(
        database,
        sql:
          "SELECT id, payload_id FROM event WHERE peer_id = ? AND kind = '\(EventColumns.Kind.read.rawValue)' AND id \(order) LIMIT 1",
        arguments: [peer, record])
    }
    let next = try read("> ? ORDER BY id")
    let payload: Int64? = try (read("< ? ORDER BY id DESC") ?? next)?["payload_id"]
    let person = try Int64.fetchOne(
      database,
      sql:
        "SELECT id FROM person WHERE device_id = ? AND (payload_id = ? OR (payload_id IS NULL AND peer_id = ?))",
      arguments: [device, payload, peer])
    let owner = Owner(
      isHearsay: kind == TargetIdentity.Kind.shared.databaseName, person: person,
      end: next?["id"] ?? .max)
    if known.count >= Self.most { known = [:] }
    known[peer] = owner
    return owner
  }
}
