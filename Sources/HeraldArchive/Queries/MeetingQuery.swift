import Foundation
import HeraldHostLink
import HeraldText

/// Which meetings of an archive are asked for.
package struct MeetingQuery: Equatable, Sendable {
  /// The first and the last day in the archive's time zone, such as 20260914; `nil` for all.
  package var days: ClosedRange<Int64>?
  /// One of the two parties: a person's name, a serial number, a payload's short form or hexadecimal digits,
  /// a venue's name, or an address.
  package var person: String?
  /// The role of at least one of the two.
  package var role: String?
  /// The place of at least one of the two.
  package var place: String?
  /// The other one of the two, with `person`.
  package var other: String?
  /// The minimum duration of both directions joined, in seconds.
  package var leastSeconds = 0
  /// The greatest attenuation of a minute that counts, in dB; `nil` for any strength, up to a whole room.
  package var within: Int?
  /// Whether badges that nobody wears are somebody.
  package var withUnworn = false
  /// Whether `person` is the first of the two; otherwise that is the one with the lower number.
  var personFirst = true
  /// The row of `who` of one of the two, instead of `person`.
  var personNumber: Int64?

  /// Whether the query says which of the two is the first.
  var hasFirst: Bool { personNumber != nil || person != nil && personFirst }

  /// A query for all meetings.
  package init() {}
}

/// The meetings of a query, as a part of a statement: each pair of a day once.
struct MeetingSelection {
  /// `FROM` and `WHERE`; the meeting is `m`, the rows of `who` are `w` and `o`.
  let sql: String
  let arguments: [SQLValue]

  /// A selection of the meetings of a query. `isTurned` says whether the person of the query, if there is
  /// one, is `w`; otherwise `w` has the lower number.
  /// - Throws: `.usage` if the archive knows no such person, role or place.
  init(_ query: MeetingQuery, of connection: any ArchiveConnection, isTurned: Bool) throws(HostLinkError) {
    var conditions = ["m.seconds >= ?"]
    var arguments: [SQLValue] = [.integer(Int64(query.leastSeconds))]
    if !query.withUnworn { conditions += ["w.kind <> 'unworn'", "o.kind <> 'unworn'"] }
    if let days = query.days {
      conditions.append("m.day BETWEEN ? AND ?")
      arguments += [.integer(days.lowerBound), .integer(days.upperBound)]
    }
    var isPerson = false
    if let person = query.person {
      let ids = try Self.ids(ofPerson: person, query, in: connection)
      let list = "IN (\(ids.map { _ in "?" }.joined(separator: ", ")))"
      isPerson = isTurned
      conditions.append(isTurned ? "m.who_id \(list)" : "(m.who_id \(list) OR m.other_id \(list))")
      for _ in 0..<(isTurned ? 1 : 2) { arguments += ids.map(SQLValue.integer) }
    }
    if let number = query.personNumber {
      conditions.append("m.who_id = ?")
      arguments.append(.integer(number))
      isPerson = true
    }
    if !isPerson { conditions.append("m.who_id < m.other_id") }
    if let other = query.other {
      let ids = try Self.ids(ofPerson: other, query, in: connection)
      conditions.append("m.other_id IN (\(ids.map { _ in "?" }.joined(separator: ", ")))")
      arguments += ids.map(SQLValue.integer)
    }
    for (column, value) in [("role", query.role), ("place", query.place)] {
      guard let value else { continue }
      try Self.check(value, is: column, in: connection)
      conditions.append("(w.\(column) = ? OR o.\(column) = ?)")
      arguments += [.text(value), .text(value)]
    }
    sql = """
      FROM meeting m JOIN who w ON w.id = m.who_id JOIN who o ON o.id = m.other_id
      WHERE \(conditions.joined(separator: " AND "))
      """
    self.arguments = arguments
  }

  /// No row of `who` has this number.
  private static let nobody: Int64 = -1

  /// The rows of `who` that a name stands for: of the first kind that has it. A person or a device that met
  /// nobody has no row.
  private static func ids(ofPerson name: String, _ query: MeetingQuery, in connection: any ArchiveConnection)
    throws(HostLinkError) -> [Int64]
  {
    let name = name.precomposedStringWithCanonicalMapping
    let text = SQLValue.text(name)
    var unworn: [Int64] = []
    if query.withUnworn {
      unworn = try connection.rows(
        "SELECT id FROM who WHERE kind = 'unworn' AND (label = ? OR key = ? OR key LIKE ? || ' %') ORDER BY id",
        [text, text, text]
      ).map { $0.integer(0) }
    }
    for kind in ["person", "device", "place", "payload", "address"] {
      let ids = try connection.rows(
        "SELECT id FROM who WHERE kind = ? AND (key = ? OR label = ?) ORDER BY id", [.text(kind), text, text]
      ).map { $0.integer(0) }
      if !ids.isEmpty { return ids + unworn }
    }
    if !unworn.isEmpty { return unworn }
    if try isKnown(text, in: connection) { return [nobody] }
    throw HostLinkError(
      .unrecorded, "nobody in these logs is called \(PrintableText.name(name))",
      advice: try nearest(to: name, in: connection).map { "is it \(PrintableText.name($0))?" }
        ?? "`herald-host archive show --parties` lists everybody who was received, or has received somebody")
  }

  /// Whether the archive has a person or a log of a name.
  private static func isKnown(_ name: SQLValue, in connection: any ArchiveConnection) throws(HostLinkError)
    -> Bool
  {
    for (table, column) in [("person", "name"), ("device", "serial")] {
      let count = try connection.number("SELECT COUNT(*) FROM \(table) WHERE \(column) = ?", [name])
      if count ?? 0 > 0 { return true }
    }
    return false
  }

  /// The name of a person or device that is most like another name.
  private static func nearest(to name: String, in connection: any ArchiveConnection) throws(HostLinkError)
    -> String?
  {
    let known = try connection.rows(
      """
      SELECT label FROM who WHERE kind IN ('person', 'device') UNION SELECT name FROM person
      UNION SELECT serial FROM device ORDER BY 1
      """)
    return NearestWord.of(name, in: known.map { $0.text(0) })
  }

  private static func check(_ value: String, is column: String, in connection: any ArchiveConnection)
    throws(HostLinkError)
  {
    let known = try connection.rows(
      """
      SELECT \(column) FROM who WHERE \(column) <> '' UNION SELECT \(column) FROM person WHERE \(column) <> ''
      ORDER BY 1
      """
    ).map { $0.text(0) }
    guard !known.contains(value) else { return }
    throw HostLinkError(
      .usage, "nobody has the \(column) \(PrintableText.name(value))",
      advice: known.isEmpty
        ? "--people names a file with \(column)s"
        : "there are: \(known.map { PrintableText.name($0) }.joined(separator: ", "))")
  }
}
