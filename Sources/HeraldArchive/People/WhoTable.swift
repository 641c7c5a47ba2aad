import HeraldHostLink

/// The rows of `who`, which are looked up or created.
struct WhoTable {
  /// The maximum number of rows in memory.
  private static let mostKnown = 1 << 16

  private let connection: any ArchiveConnection
  private var known: [WhoKey: Int64] = [:]
  private var next: Int64?

  init(_ connection: any ArchiveConnection) { self.connection = connection }

  /// The number of a row.
  mutating func number(of who: WhoKey) throws(HostLinkError) -> Int64 {
    if let number = known[who] { return number }
    let kind = SQLValue.text(who.kind)
    let key = SQLValue.text(who.key)
    var found = try connection.number("SELECT id FROM who WHERE kind = ? AND key = ?", [kind, key])
    if found == nil {
      var id = next ?? 0
      if next == nil { id = (try connection.number("SELECT MAX(id) FROM who") ?? 0).addingClamped(1) }
      var role = ""
      var place = ""
      if let name = who.person,
        let row = try connection.rows("SELECT role, place FROM person WHERE name = ?", [.text(name)]).first
      {
        (role, place) = (row.text(0), row.text(1))
      }
      try connection.append(
        "who", ["id", "kind", "key", "label", "role", "place"],
        [.integer(id), kind, key, .text(who.label), .text(role), .text(place)])
      next = id.addingClamped(1)
      found = id
    }
    let number = found ?? 0
    if known.count >= Self.mostKnown { known = [:] }
    known[who] = number
    return number
  }
}
