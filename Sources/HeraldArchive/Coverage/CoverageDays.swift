import HeraldHostLink

/// `coverage.csv`, which stands beside contacts in formats of other programs: what is recorded of everybody on
/// each day of a query.
struct CoverageDays {
  private let archive: Archive
  private let people: ExchangePeople
  private let query: MeetingQuery

  init(_ archive: Archive, _ people: ExchangePeople, _ query: MeetingQuery) {
    (self.archive, self.people, self.query) = (archive, people, query)
  }

  /// The header of the file.
  static let header =
    "id,name,kind,date," + CoverageState.allCases.map { "minutes_\($0.rawValue)" }.joined(separator: ",")
    + "\n"

  /// Writes the file: of those with a contact, and of the person of the query; of all if it names nobody.
  func write(_ met: Set<Int64>, to path: String) throws(HostLinkError) -> ExchangeFile {
    let file = try ReplacedFile("\(path)/coverage.csv")
    try file.append(Self.header)
    var rows = 0
    if let time = try CoverageReader(archive).time(of: query.days) {
      var numbers: [String: Int64] = [:]
      for who in people.entries.values where who.kind == .person || who.kind == .device {
        numbers[who.label] = who.id
      }
      for coverage in try archive.coverages(from: time.from, to: time.to) {
        let number = numbers[coverage.label]
        let isAsked = query.person == nil && query.role == nil && query.place == nil
        guard isAsked || coverage.label == query.person || number.map(met.contains) ?? false else { continue }
        for (day, part) in CoverageReader(archive).days(of: coverage) {
          let minutes = CoverageState.allCases.map { ExchangeText.minutes(part.milliseconds($0) / 1000) }
          try file.append(
            "\(number.map { String($0) } ?? ""),\(TableText.field(coverage.label)),\(coverage.kind.rawValue),"
              + "\(LocalDays.text(ofDay: day)),\(minutes.joined(separator: ","))\n")
          rows += 1
        }
      }
    }
    try file.finish()
    return ExchangeFile(name: "coverage.csv", rows: rows)
  }
}
