import HeraldHostLink

/// `contacts.graphml`: an undirected graph of everybody with contacts, and of pairs over all days of a query.
struct ContactGraph {
  private let archive: Archive
  private let people: ExchangePeople
  private var query: MeetingQuery
  private var rules: ContactRules { archive.rules }

  init(_ archive: Archive, _ people: ExchangePeople, _ query: MeetingQuery) {
    (self.archive, self.people, self.query) = (archive, people, query)
    // Each pair once, also with a person.
    self.query.personFirst = false
  }

  /// A pair over all days.
  private struct Edge {
    var seconds: Int64 = 0
    var days: Int64 = 0
    var readings: Int64?
    var bands = [Int64](repeating: 0, count: ContactRules.bandCount)

    mutating func add(_ meeting: MeetingFigures) {
      seconds = seconds.addingClamped(meeting.seconds)
      days += 1
      if let count = meeting.readings { readings = (readings ?? 0).addingClamped(count) }
      for band in bands.indices { bands[band] = bands[band].addingClamped(meeting.bands[band]) }
    }
  }

  // Gephi and igraph show `label` and use `weight` without being told.
  private static let nodeKeys = ["label", "name", "kind", "role", "place"]
  private static let edgeKeys =
    [("weight", "double"), ("minutes", "double"), ("days", "int"), ("readings", "long")]
    + (1...ContactRules.bandCount).map { ("minutes_band_\($0)", "double") }

  /// How the file begins.
  static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Bands of attenuation end at "

  private var start: String {
    let limits = rules.bandLimits.map(String.init).joined(separator: ", ")
    var text = """
      \(Self.head)\(limits) dB. -->
      <graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
      xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">

      """
    if let limit = query.within { text += "<!-- Only minutes of at most \(limit) dB. -->\n" }
    for key in Self.nodeKeys {
      text += "<key id=\"\(key)\" for=\"node\" attr.name=\"\(key)\" attr.type=\"string\"/>\n"
    }
    for (key, type) in Self.edgeKeys {
      text += "<key id=\"\(key)\" for=\"edge\" attr.name=\"\(key)\" attr.type=\"\(type)\"/>\n"
    }
    return text + "<graph id=\"contacts\" edgedefault=\"undirected\">\n"
  }

  /// Writes the file; its rows are nodes and edges. Returns also the numbers of those with a contact.
  func write(to path: String) throws(HostLinkError) -> ([ExchangeFile], Set<Int64>) {
    let file = try ReplacedFile("\(path)/contacts.graphml")
    try file.append(start)
    var edges: [MeetingKey: Edge] = [:]
    try MeetingReader(archive).figures(query, isByNumber: true) {
      (meeting: MeetingFigures) throws(HostLinkError) in
      guard people.entries[meeting.who.id] != nil, people.entries[meeting.other.id] != nil else { return }
      edges[MeetingKey(meeting.who.id, meeting.other.id, day: 0), default: Edge()].add(meeting)
    }
    let met = Set(edges.keys.flatMap { [$0.who, $0.other] })
    let nodes = people.sorted(met)
    for node in nodes { try file.append(Self.element(node)) }
    for (pair, edge) in edges.sorted(by: { ($0.key.who, $0.key.other) < ($1.key.who, $1.key.other) }) {
      try file.append(Self.element(pair, edge))
    }
    try file.append("</graph>\n</graphml>\n")
    try file.finish()
    return ([ExchangeFile(name: "contacts.graphml", rows: nodes.count + edges.count)], met)
  }

  private static func element(_ node: Who) -> String {
    let values = [node.label, node.label, node.kind.rawValue, node.role, node.place]
    return "<node id=\"\(node.id)\">"
      + zip(nodeKeys, values).map { "<data key=\"\($0)\">\(ExchangeText.xml($1))</data>" }.joined()
      + "</node>\n"
  }

  private static func element(_ pair: MeetingKey, _ edge: Edge) -> String {
    let minutes = ExchangeText.minutes(edge.seconds)
    var values: [String?] = [minutes, minutes, String(edge.days), edge.readings.map { String($0) }]
    values += edge.bands.map(ExchangeText.minutes)
    let data = zip(edgeKeys, values).compactMap { key, value in
      value.map { "<data key=\"\(key.0)\">\($0)</data>" }
    }
    return "<edge source=\"\(pair.who)\" target=\"\(pair.other)\">\(data.joined())</edge>\n"
  }
}
