import HeraldText

/// `restarts.csv`: one line for each start caused by a fault. Phones do not write this file.
public enum RestartsCSV {
  /// The header line.
  public static let header = "time,boot,cause,mode,streak,lasted,pc,lr,psr,fault_status,fault_address\n"

  /// The complete file. The time is empty if unknown; registers are hexadecimal digits after `0x`.
  public static func text(of restarts: some Sequence<LoggedRestart>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for restart in restarts { append(restart, to: &csv) }
    return csv.bytes
  }

  /// Appends the line of a start.
  static func append(_ restart: LoggedRestart, to csv: inout CSVText) {
    let report = restart.report
    csv.raw(restart.unixMilliseconds.map(UTCTimestamp.text) ?? "")
    let registers = [
      report.programCounter, report.linkRegister, report.programStatus, report.faultStatus,
      report.faultAddress,
    ]
    for text in [
      String(restart.boot), report.cause.words, String(report.mode.rawValue), String(report.streak),
      String(report.lasted),
    ] + registers.map({ "0x\($0.hexadecimal(8))" }) {
      csv.comma()
      csv.raw(text)
    }
    csv.endLine()
  }
}
