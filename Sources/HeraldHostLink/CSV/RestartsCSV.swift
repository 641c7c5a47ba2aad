import HeraldEmbedded

/// A start that a fault had brought about, as the log tells it.
public struct LoggedRestart: Equatable, Sendable {
  /// When the device started, milliseconds since 1970-01-01T00:00:00Z; `nil` if nothing tells the date of that run.
  public let unixMilliseconds: UInt64?
  /// Which start-up of the device it was.
  public let boot: UInt32
  /// What the device knew.
  public let report: RestartReport

  /// Stated one by one.
  public init(unixMilliseconds: UInt64?, boot: UInt32, report: RestartReport) {
    self.unixMilliseconds = unixMilliseconds
    self.boot = boot
    self.report = report
  }
}

/// `restarts.csv`: a line for each start that a fault had brought about. Phones have no such file.
public enum RestartsCSV {
  /// The first line.
  public static let header = "time,boot,cause,mode,streak,lasted,pc,lr,psr,fault_status,fault_address\n"

  /// The whole file. The time is empty where nothing tells it; registers are hexadecimal.
  public static func text(of restarts: some Sequence<LoggedRestart>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for restart in restarts {
      let report = restart.report
      csv.raw(restart.unixMilliseconds.map(UTCTimestamp.text) ?? "")
      for text in [
        String(restart.boot), report.cause.words, String(report.mode.rawValue), String(report.streak),
        String(report.lasted), report.programCounter.hexadecimal(8), report.linkRegister.hexadecimal(8),
        report.programStatus.hexadecimal(8), report.faultStatus.hexadecimal(8),
        report.faultAddress.hexadecimal(8),
      ] {
        csv.comma()
        csv.raw(text)
      }
      csv.endLine()
    }
    return csv.bytes
  }
}
