import HeraldHostLink

/// The two tables of R's epicontacts: `linelist.csv` with everybody, `contacts.csv` with a row for each pair
/// and day.
struct CaseTables {
  private let archive: Archive
  private let people: ExchangePeople
  private var query: MeetingQuery

  init(_ archive: Archive, _ people: ExchangePeople, _ query: MeetingQuery) {
    (self.archive, self.people, self.query) = (archive, people, query)
    // Each pair once, also with a person.
    self.query.personFirst = false
  }

  /// The header of `contacts.csv`.
  static let header =
    "from,to,date,minutes,readings,directions,"
    + (1...ContactRules.bandCount).map { "minutes_band_\($0)" }.joined(separator: ",") + "\n"

  /// Writes both; returns them and the numbers of those with a contact.
  func write(to path: String) throws(HostLinkError) -> ([ExchangeFile], Set<Int64>) {
    let file = try ReplacedFile("\(path)/contacts.csv")
    try file.append(Self.header)
    var met: Set<Int64> = []
    var rows = 0
    try MeetingReader(archive).figures(query, isByNumber: true) {
      (meeting: MeetingFigures) throws(HostLinkError) in
      let (one, other) = (meeting.who.id, meeting.other.id)
      guard people.entries[one] != nil, people.entries[other] != nil else { return }
      met.formUnion([one, other])
      rows += 1
      let bands = meeting.bands.map(ExchangeText.minutes)
      try file.append(
        "\(one),\(other),\(ExchangeText.date(meeting.day)),\(ExchangeText.minutes(meeting.seconds)),"
          + "\(meeting.readings.map { String($0) } ?? ""),\(meeting.directions),\(bands.joined(separator: ","))\n"
      )
    }
    try file.finish()
    let files = [
      try people.write(met, to: path, "linelist.csv"), ExchangeFile(name: "contacts.csv", rows: rows),
    ]
    return (files, met)
  }
}
