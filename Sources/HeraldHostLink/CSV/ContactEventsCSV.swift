/// `contact_events.csv`: a line for each contact, from the first detection to the last reading (HP-18,
/// HP-19).
public enum ContactEventsCSV {
  /// The header line.
  public static let header = "id,payload,begin,end,seconds,readings\n"

  /// Appends the line of a contact. `id` is the address at its first detection; the payload's short form, a
  /// field of `TableText`, is empty if none was read; dates are in milliseconds since 1970. `seconds` is that
  /// of `ContactDuration`.
  static func append(
    id: String, payload: String, begin: UInt64, end: UInt64, seconds: Int, readings: Int,
    to csv: inout CSVText
  ) {
    csv.raw(id)
    csv.comma()
    if !payload.isEmpty { csv.raw(TableText.field(payload)) }
    csv.raw(
      ",\(UTCTimestamp.text(begin)),\(UTCTimestamp.text(end)),\(JavaNumber.text(Double(seconds))),\(readings)"
    )
    csv.endLine()
  }
}
