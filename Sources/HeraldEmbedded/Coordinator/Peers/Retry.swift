import HeraldHAL

/// The back-off for a peer to which other devices connected at the same time.
enum Retry {
  /// The wait after a first exchange that failed because of other devices. It doubles with each further
  /// failure, up to 1 s, for at most `contendedTries` failures.
  static var contendedRetry: Interval { .milliseconds(125) }
  /// The number of failures with that wait.
  static var contendedTries: UInt8 { 8 }

  /// The back-off after this number of exchanges that failed because of other devices. After `contendedTries`
  /// it is that of any other failure, as the peer may not receive this device at all.
  static func contendedDelay(failures: UInt8, _ configuration: HeraldConfiguration) -> Interval {
    failures <= contendedTries
      ? HeraldConfiguration.retryDelay(failures: failures, first: contendedRetry, longest: .seconds(1))
      : HeraldConfiguration.retryDelay(
        failures: failures &- contendedTries, first: configuration.firstRetry,
        longest: configuration.longestRetry)
  }
}
