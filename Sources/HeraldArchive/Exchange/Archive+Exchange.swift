import HeraldHostLink

/// A format of other programs for contacts.
package enum ExchangeFormat: String, CaseIterable, Sendable {
  /// SocioPatterns: a line for each pair in contact in each window of 20 s.
  case tij
  /// R's epicontacts: a table of those in contact, and one of contacts.
  case epicontacts
  /// GraphML: nodes and edges with attributes.
  case graphml
}

extension ExchangeFormat {
  /// The files.
  var tables: [TableFolder.Table] {
    own + [TableFolder.Table("coverage.csv", beginning: CoverageDays.header)]
  }

  private var own: [TableFolder.Table] {
    switch self {
    case .tij:
      [
        TableFolder.Table("tij.tsv", isOwn: TimedContacts.isTable),
        TableFolder.Table("names.csv", beginning: ExchangePeople.header),
      ]
    case .epicontacts:
      [
        TableFolder.Table("linelist.csv", beginning: ExchangePeople.header),
        TableFolder.Table("contacts.csv", beginning: CaseTables.header),
      ]
    case .graphml: [TableFolder.Table("contacts.graphml", beginning: ContactGraph.head)]
    }
  }
}

/// A file that was written for other programs.
package struct ExchangeFile: Equatable, Sendable, Encodable {
  /// The name of the file.
  package let name: String
  /// The number of its rows, or of nodes and edges.
  package let rows: Int
}

extension Archive {
  /// Writes the contacts of a query for other programs into a folder. The archive must be up to date.
  /// Everybody has the number of the archive's table `who`, in all formats. Addresses from which no payload
  /// was read are left out unless `withAddresses`: mostly those of appliances and passers-by.
  /// - Throws: `.storage` if a file cannot be written, `.usage` if the archive has no such person, role or
  ///   place, or a file would take the place of another one.
  package func exchange(
    _ query: MeetingQuery, as format: ExchangeFormat, to path: String, withAddresses: Bool = false,
    replacing replacement: Replacement = Replacement(), progress: (Int, Int) -> Void = { _, _ in }
  ) throws(HostLinkError) -> [ExchangeFile] {
    // A person, role or place that the archive does not know is said before anything is written.
    _ = try MeetingSelection(query, of: connection, isTurned: false)
    try TableFolder.prepare(path, for: format.tables, replacement)
    let people = try ExchangePeople(connection, withAddresses: withAddresses, withUnworn: query.withUnworn)
    let (files, met): ([ExchangeFile], Set<Int64>) =
      switch format {
      case .tij: try TimedContacts(self, people, query).write(to: path, progress)
      case .epicontacts: try CaseTables(self, people, query).write(to: path)
      case .graphml: try ContactGraph(self, people, query).write(to: path)
      }
    return files + [try CoverageDays(self, people, query).write(met, to: path)]
  }
}

/// Everybody in an archive, by number.
struct ExchangePeople {
  private(set) var entries: [Int64: Who] = [:]

  init(_ connection: any ArchiveConnection, withAddresses: Bool, withUnworn: Bool) throws(HostLinkError) {
    for who in try connection.rows("SELECT \(Who.columns) FROM who", []).map({ Who($0, from: 0) })
    where (withAddresses || who.kind != .address) && (withUnworn || who.kind != .unworn) {
      entries[who.id] = who
    }
  }

  /// The parties with these numbers, in ascending order.
  func sorted(_ numbers: Set<Int64>) -> [Who] { numbers.sorted().compactMap { entries[$0] } }

  /// The line of somebody in a table of names.
  static func line(_ who: Who) -> String {
    let texts = [who.label, who.kind.rawValue, who.role, who.place].map(TableText.field)
    return "\(who.id),\(texts.joined(separator: ","))\n"
  }

  /// The header of that table.
  static let header = "id,name,kind,role,place\n"

  /// Writes the table of those with these numbers.
  func write(_ numbers: Set<Int64>, to path: String, _ name: String) throws(HostLinkError)
    -> ExchangeFile
  {
    let file = try ReplacedFile("\(path)/\(name)")
    try file.append(Self.header)
    let sorted = sorted(numbers)
    for entry in sorted { try file.append(Self.line(entry)) }
    try file.finish()
    return ExchangeFile(name: name, rows: sorted.count)
  }
}
