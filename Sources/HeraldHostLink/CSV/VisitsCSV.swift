/// `visits.csv`: a line for each stay near a venue beacon (HP-51). Phones do not write this file.
public enum VisitsCSV {
  /// The header line.
  public static let header = "first,last,seconds,country,state,code,name,beacon\n"

  /// The complete file. Numbers and name are empty if the payload is missing or does not contain them.
  public static func text(of visits: some Sequence<VenueVisit>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for visit in visits { append(visit, to: &csv) }
    return csv.bytes
  }

  /// Appends the line of a visit.
  static func append(_ visit: VenueVisit, to csv: inout CSVText) {
    let venue = visit.venue
    csv.raw(UTCTimestamp.text(visit.first))
    csv.comma()
    csv.raw(UTCTimestamp.text(visit.last))
    csv.comma()
    csv.raw(JavaNumber.text(seconds: visit.first..<max(visit.first, visit.last)))
    for number in [venue?.country, venue?.state, venue?.venueCode] {
      csv.comma()
      csv.raw(number.map(String.init) ?? "")
    }
    csv.comma()
    csv.foreign(venue?.premises ?? "")
    csv.comma()
    csv.raw(visit.beacon.addressText)
    csv.endLine()
  }
}

extension JavaNumber {
  /// The length of a range of milliseconds, in seconds.
  static func text(seconds range: Range<UInt64>) -> String {
    text(Double(range.upperBound - range.lowerBound) / 1000)
  }
}
