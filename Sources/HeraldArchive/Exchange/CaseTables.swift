import HeraldHostLink

/// The two tables of R's epicontacts: `linelist.csv` with everybody, `contacts.csv` with a row for each pair
/// and day.
struct CaseTables {
  private let connection: any ArchiveConnection
  private let people: ExchangePeople
  private let selection: MeetingSelection

  init(_ connection: any ArchiveConnection, _ people: ExchangePeople, _ selection: MeetingSelection) {
    self.connection = connection
    self.people = people
    self.selection = selection
  }

  private static let header =
    "from,to,date,minutes,readings,directions,"
    + (1...ContactRules.bandCount).map { "minutes_band_\($0)" }.joined(separator: ",") + "\n"

  func write(to path: String) throws(HostLinkError) -> [ExchangeFile] {
    let file = try ReplacedFile("\(path)/contacts.csv")
    try file.append(Self.header)
    var met: Set<Int64> = []
    var rows = 0
    let bands = ArchiveSchema.bands.map { "m.\($0)" }.joined(separator: ", ")
    try connection.query(
      """
      SELECT m.who_id, m.other_id, m.day, m.seconds, m.readings, m.directions, \(bands) \(selection.sql)
      ORDER BY m.day, m.who_id, m.other_id
      """, selection.arguments
    ) { (row: SQLRow) throws(HostLinkError) in
      let (one, other) = (row.integer(0), row.integer(1))
      guard people.entries[one] != nil, people.entries[other] != nil else { return }
      met.formUnion([one, other])
      rows += 1
      let bands = (0..<ContactRules.bandCount).map { ExchangeText.minutes(row.integer(6 + $0)) }
      try file.append(
        "\(one),\(other),\(Self.date(row.integer(2))),\(ExchangeText.minutes(row.integer(3))),"
          + "\(row.integer(4)),\(row.integer(5)),\(bands.joined(separator: ","))\n")
    }
    try file.finish()
    return [
      try people.write(met, to: path, "linelist.csv"),
      ExchangeFile(name: "contacts.csv", rows: rows),
    ]
  }

  /// The number of a day, 20260914, as `2026-09-14`.
  private static func date(_ day: Int64) -> String {
    let digits = String(day)
    return
      "\(digits.prefix(digits.count - min(4, digits.count)))-\(digits.suffix(4).prefix(2))-\(digits.suffix(2))"
  }
}
