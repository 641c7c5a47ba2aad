import HeraldHostLink

/// `contacts.graphml`: an undirected graph of everybody with contacts, and of pairs over all days of a query.
struct ContactGraph {
  private let connection: any ArchiveConnection
  private let people: ExchangePeople
  private let selection: MeetingSelection
  private let rules: ContactRules

  init(
    _ connection: any ArchiveConnection, _ people: ExchangePeople, _ selection: MeetingSelection,
    _ rules: ContactRules
  ) {
    self.connection = connection
    self.people = people
    self.selection = selection
    self.rules = rules
  }

  private static let nodeKeys = ["name", "kind", "role", "place"]
  private static let edgeKeys =
    [("minutes", "double"), ("days", "int"), ("readings", "long")]
    + (1...ContactRules.bandCount).map { ("minutes_band_\($0)", "double") }

  private var start: String {
    let limits = rules.bandLimits.map(String.init).joined(separator: ", ")
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- Bands of attenuation end at \(limits) dB. -->
      <graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
      xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">

      """
    for key in Self.nodeKeys {
      text += "<key id=\"\(key)\" for=\"node\" attr.name=\"\(key)\" attr.type=\"string\"/>\n"
    }
    for (key, type) in Self.edgeKeys {
      text += "<key id=\"\(key)\" for=\"edge\" attr.name=\"\(key)\" attr.type=\"\(type)\"/>\n"
    }
    return text + "<graph id=\"contacts\" edgedefault=\"undirected\">\n"
  }

  /// Writes the file; its rows are nodes and edges.
  func write(to path: String) throws(HostLinkError) -> ExchangeFile {
    let file = try ReplacedFile("\(path)/contacts.graphml")
    try file.append(start)
    var met: Set<Int64> = []
    try connection.query("SELECT DISTINCT m.who_id, m.other_id \(selection.sql)", selection.arguments) {
      (row: SQLRow) throws(HostLinkError) in
      let pair = [row.integer(0), row.integer(1)]
      if pair.allSatisfy({ people.entries[$0] != nil }) { met.formUnion(pair) }
    }
    let nodes = people.sorted(met)
    for node in nodes { try file.append(Self.element(node)) }
    let sums = (["seconds", "readings"] + ArchiveSchema.bands).map { "SUM(m.\($0))" }.joined(separator: ", ")
    var edges = 0
    try connection.query(
      """
      SELECT m.who_id, m.other_id, COUNT(*), \(sums) \(selection.sql)
      GROUP BY m.who_id, m.other_id ORDER BY m.who_id, m.other_id
      """, selection.arguments
    ) { (row: SQLRow) throws(HostLinkError) in
      guard people.entries[row.integer(0)] != nil, people.entries[row.integer(1)] != nil else { return }
      edges += 1
      try file.append(Self.element(row))
    }
    try file.append("</graph>\n</graphml>\n")
    try file.finish()
    return ExchangeFile(name: "contacts.graphml", rows: nodes.count + edges)
  }

  private static func element(_ node: Who) -> String {
    let values = [node.label, node.kind.rawValue, node.role, node.place]
    return "<node id=\"\(node.id)\">"
      + zip(nodeKeys, values).map { "<data key=\"\($0)\">\(ExchangeText.xml($1))</data>" }.joined()
      + "</node>\n"
  }

  private static func element(_ row: SQLRow) -> String {
    var values = [ExchangeText.minutes(row.integer(3)), String(row.integer(2)), String(row.integer(4))]
    values += (0..<ContactRules.bandCount).map { ExchangeText.minutes(row.integer(5 + $0)) }
    return "<edge source=\"\(row.integer(0))\" target=\"\(row.integer(1))\">"
      + zip(edgeKeys, values).map { "<data key=\"\($0.0)\">\($1)</data>" }.joined() + "</edge>\n"
  }
}
