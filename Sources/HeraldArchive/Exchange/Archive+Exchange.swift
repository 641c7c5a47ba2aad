import HeraldHostLink

extension Archive {
  /// A format of other programs.
  public enum ExchangeFormat: String, CaseIterable, Sendable {
    /// SocioPatterns: a line for each pair in contact in each window of 20 s.
    case tij
    /// R's epicontacts: a table of those in contact, and one of contacts.
    case epicontacts
    /// GraphML: nodes and edges with attributes.
    case graphml
  }

  /// A file that was written.
  public struct ExchangeFile: Equatable, Sendable, Encodable {
    /// Its name.
    public let name: String
    /// The number of its rows, or of nodes and edges.
    public let rows: Int
  }

  /// Writes files for other programs into a folder. The archive must be up to date. Everybody has the number
  /// of the archive's table `who`, in all formats. Addresses from which no payload was read are left out
  /// unless `withAddresses`: mostly those of appliances and passers-by.
  /// - Throws: `.storage` if a file cannot be written.
  public func exchange(
    as format: ExchangeFormat, to path: String, withAddresses: Bool = false,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(HostLinkError) -> [ExchangeFile] {
    try PrivateFolder.make(path)
    let people = try ExchangePeople(connection, withAddresses: withAddresses)
    switch format {
    case .tij: return try TimedContacts(self, people).write(to: path, progress)
    case .epicontacts: return try CaseTables(connection, people).write(to: path)
    case .graphml: return [try ContactGraph(connection, people, rules).write(to: path)]
    }
  }
}

/// Everybody in an archive, by number.
struct ExchangePeople {
  /// Somebody, or something.
  struct Entry: Equatable {
    let number: Int64
    let kind: String
    let label: String
    let role: String
    let place: String

    /// The role, or else the kind.
    var status: String { role.isEmpty ? kind : role }
  }

  private(set) var entries: [Int64: Entry] = [:]

  init(_ connection: any ArchiveConnection, withAddresses: Bool) throws(HostLinkError) {
    var entries: [Int64: Entry] = [:]
    try connection.query("SELECT id, kind, label, role, place FROM who ORDER BY id", []) {
      (row: SQLRow) throws(HostLinkError) in
      guard withAddresses || row.text(1) != "address" else { return }
      let number = row.integer(0)
      entries[number] = Entry(
        number: number, kind: row.text(1), label: row.text(2), role: row.text(3), place: row.text(4))
    }
    self.entries = entries
  }

  /// Those with these numbers, in ascending order.
  func sorted(_ numbers: Set<Int64>) -> [Entry] { numbers.sorted().compactMap { entries[$0] } }

  /// The line of somebody in a table of names.
  static func line(_ entry: Entry) -> String {
    let texts = [entry.label, entry.kind, entry.role, entry.place].map(ExchangeText.csv)
    return "\(entry.number),\(texts.joined(separator: ","))\n"
  }

  /// The header of that table.
  static let header = "id,name,kind,role,place\n"

  /// Writes the table of those with these numbers.
  func write(_ numbers: Set<Int64>, to path: String, _ name: String) throws(HostLinkError)
    -> Archive.ExchangeFile
  {
    let file = try ReplacedFile("\(path)/\(name)")
    try file.append(Self.header)
    let sorted = sorted(numbers)
    for entry in sorted { try file.append(Self.line(entry)) }
    try file.finish()
    return Archive.ExchangeFile(name: name, rows: sorted.count)
  }
}
