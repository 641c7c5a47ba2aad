import HeraldHostLink

/// `coverage.csv`, which stands beside contacts in formats of other programs: what is recorded of everybody
/// on each day of a query.
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

  /// Writes the file: of those with a contact, whose numbers are `met`, and of all others on whom the answer
  /// depends.
  func write(_ met: Set<Int64>, to path: String) throws(HostLinkError) -> ExchangeFile {
    let file = try ReplacedFile("\(path)/coverage.csv")
    try file.append(Self.header)
    var rows = 0
    var numbers: [String: Int64] = [:]
    for who in people.entries.values where who.kind == .person || who.kind == .device {
      numbers[who.label] = who.id
    }
    let found = Set(numbers.filter { met.contains($0.value) }.keys)
    for coverage in try QueryCoverage(archive, query, found: found).all {
      let number = numbers[coverage.label].map { String($0) } ?? ""
      for (day, part) in CoverageReader(archive).days(of: coverage) {
        let minutes = CoverageState.allCases.map { ExchangeText.minutes(part.milliseconds($0) / 1000) }
        try file.append(
          "\(number),\(TableText.field(coverage.label)),\(coverage.kind.rawValue),"
            + "\(LocalDays.text(ofDay: day)),\(minutes.joined(separator: ","))\n")
        rows += 1
      }
    }
    try file.finish()
    return ExchangeFile(name: "coverage.csv", rows: rows)
  }
}
