import HeraldHostLink

/// What is recorded of those on whom an answer to a `MeetingQuery` depends.
package struct QueryCoverage: Sendable {
  /// Of those whom the query names, in its order; those without a log are left out.
  package let asked: [Coverage]
  /// By name: of those in the rows, of those whom the query selects by role or place, and of every other
  /// person of whom nothing is recorded, since that person may be missing in the rows.
  package let others: [Coverage]
  /// Whether nothing is recorded of any of those of whom there could have been a row, and there is one at
  /// least.
  package let isNobodyRecorded: Bool

  /// Reads what is recorded in the days of a query.
  /// - Parameter found: the names of those in the rows.
  package init(_ archive: Archive, _ query: MeetingQuery, found: Set<String>) throws(HostLinkError) {
    let reader = CoverageReader(archive)
    guard let time = try reader.time(of: query.days) else {
      (asked, others, isNobodyRecorded) = ([], [], false)
      return
    }
    var asked: [Coverage] = []
    for label in [query.person, query.other].compactMap(\.self) {
      if let coverage = try archive.coverage(of: label, from: time.from, to: time.to) {
        asked.append(coverage)
      }
    }
    let names = Set(asked.map(\.label))
    let all = try archive.coverages(from: time.from, to: time.to).filter { !names.contains($0.label) }
    let hasPersons = all.contains { $0.kind == .person } || asked.contains { $0.kind == .person }
    let selected = try Self.selected(query, archive.connection)
    let possible = all.filter { coverage in
      // A badge that is assigned to nobody is somebody only where nobody is assigned to any.
      (coverage.kind == .person || !hasPersons) && selected.map { $0.contains(coverage.label) } ?? true
    }
    let possibleNames = query.person == nil ? Set(possible.map(\.label)) : []
    others = all.filter { coverage in
      found.contains(coverage.label) || possibleNames.contains(coverage.label)
        || coverage.isUnrecorded && (coverage.kind == .person || !hasPersons)
    }
    isNobodyRecorded =
      query.other == nil && !possible.isEmpty && possible.allSatisfy(\.isUnrecorded)
    self.asked = asked
  }

  /// All of them, those whom the query names first.
  package var all: [Coverage] { asked + others }

  /// The names of the persons that a query selects by role or place; `nil` if it selects by neither.
  private static func selected(_ query: MeetingQuery, _ connection: any ArchiveConnection)
    throws(HostLinkError) -> Set<String>?
  {
    guard query.person == nil, query.role != nil || query.place != nil else { return nil }
    var names: Set<String> = []
    for (column, value) in [("role", query.role), ("place", query.place)] {
      guard let value else { continue }
      let rows = try connection.rows("SELECT name FROM person WHERE \(column) = ?", [.text(value)])
      names.formUnion(rows.map { $0.text(0) })
    }
    return names
  }
}
