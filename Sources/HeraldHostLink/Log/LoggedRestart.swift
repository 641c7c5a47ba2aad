import HeraldEmbedded

/// A start after a fault, from the log.
public struct LoggedRestart: Equatable, Sendable {
  /// The date of the start in milliseconds since 1970-01-01T00:00:00Z; `nil` if the dates of that run are
  /// unknown.
  public let unixMilliseconds: UInt64?
  /// The number of the start of the device.
  public let boot: UInt32
  /// The restart report of the device.
  public let report: RestartReport

  /// Initialises each member.
  public init(unixMilliseconds: UInt64?, boot: UInt32, report: RestartReport) {
    self.unixMilliseconds = unixMilliseconds
    self.boot = boot
    self.report = report
  }
}
