/// `contact_events.csv`: a line for each contact, from the first detection to the last reading (HP-18, HP-19).
public enum ContactEventsCSV {
  /// The first line.
  public static let header = "id,payload,begin,end,seconds,readings\n"

  /// The whole file. The payload is its short form, empty where none was read.
  public static func text(of contacts: some Sequence<ContactPeriod>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for contact in contacts {
      csv.raw(contact.peer.addressText)
      csv.comma()
      csv.value(contact.payload.map(ShortPayload.text) ?? "")
      csv.raw(",\(UTCTimestamp.text(contact.begin)),\(UTCTimestamp.text(contact.end)),")
      csv.raw(JavaNumber.text(seconds: contact.begin..<contact.end))
      csv.raw(",\(contact.readings)")
      csv.endLine()
    }
    return csv.bytes
  }
}
