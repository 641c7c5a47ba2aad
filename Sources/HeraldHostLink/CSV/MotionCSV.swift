/// `motion.csv`: one line for each change between worn, lying and unknown. Phones do not write this file.
public enum MotionCSV {
  /// The header line.
  public static let header = "time,state\n"

  /// The complete file.
  public static func text(of changes: some Sequence<LoggedMotion>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for change in changes { append(change, to: &csv) }
    return csv.bytes
  }

  /// Appends the line of a change.
  static func append(_ change: LoggedMotion, to csv: inout CSVText) {
    csv.raw(UTCTimestamp.text(change.unixMilliseconds))
    csv.comma()
    csv.raw(change.state.name)
    csv.endLine()
  }
}
