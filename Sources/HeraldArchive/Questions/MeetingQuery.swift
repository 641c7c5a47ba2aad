import Foundation
import HeraldHostLink
import HeraldText

/// Which meetings of an archive are asked for.
public struct MeetingQuery: Equatable, Sendable {
  /// The first and the last day in the archive's time zone, such as 20260914; `nil` for all.
  public var days: ClosedRange<Int64>?
  /// One of the two: a person's name, a serial number, a payload's short form or hexadecimal digits, a
  /// venue's name, or an address.
  public var person: String?
  /// The role of at least one of the two.
  public var role: String?
  /// The place of at least one of the two.
  public var place: String?
  /// The minimum duration of both directions joined, in seconds.
  public var leastSeconds = 0

  /// A query for all meetings.
  public init() {}
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
    if let days = query.days {
      conditions.append("m.day BETWEEN ? AND ?")
      arguments += [.integer(days.lowerBound), .integer(days.upperBound)]
    }
    var isPerson = false
    if let person = query.person {
      let ids = try Self.ids(ofPerson: person, in: connection)
      let list = "IN (\(ids.map { _ in "?" }.joined(separator: ", ")))"
      isPerson = isTurned
      conditions.append(isTurned ? "m.who_id \(list)" : "(m.who_id \(list) OR m.other_id \(list))")
      for _ in 0..<(isTurned ? 1 : 2) { arguments += ids.map(SQLValue.integer) }
    }
    if !isPerson { conditions.append("m.who_id < m.other_id") }
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

  /// The rows of `who` that a name stands for: of the first kind that has it.
  private static func ids(ofPerson name: String, in connection: any ArchiveConnection) throws(HostLinkError)
    -> [Int64]
  {
    let name = name.precomposedStringWithCanonicalMapping
    for kind in ["person", "device", "place", "payload", "address"] {
      let ids = try connection.rows(
        "SELECT id FROM who WHERE kind = ? AND (key = ? OR label = ?) ORDER BY id",
        [.text(kind), .text(name), .text(name)]
      ).map { $0.integer(0) }
      if !ids.isEmpty { return ids }
    }
    let known = try connection.rows("SELECT label FROM who WHERE kind IN ('person', 'device') ORDER BY label")
    let nearest = NearestWord.of(name, in: known.map { $0.text(0) })
    throw HostLinkError(
      .usage, "nobody in these logs is called \(PrintableText.name(name))",
      advice: nearest.map { "is it \(PrintableText.name($0))?" }
        ?? "a person of the file of people, a serial number, a payload or an address has been heard, or has heard somebody"
    )
  }

  private static func check(_ value: String, is column: String, in connection: any ArchiveConnection)
    throws(HostLinkError)
  {
    let known = try connection.rows(
      "SELECT DISTINCT \(column) FROM who WHERE \(column) <> '' ORDER BY \(column)"
    ).map { $0.text(0) }
    guard !known.contains(value) else { return }
    throw HostLinkError(
      .usage, "nobody has the \(column) \(PrintableText.name(value))",
      advice: known.isEmpty
        ? "--people names a file with \(column)s"
        : "there are: \(known.map { PrintableText.name($0) }.joined(separator: ", "))")
  }
}
