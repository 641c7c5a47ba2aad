import HeraldHAL

/// The back-off for a peer to which other devices connected at the same time.
@usableFromInline
enum Retry {
  /// The wait after a first exchange that failed because of other devices; it doubles with each further
  /// failure, up to 1 s…
  @usableFromInline static var contendedRetry: Interval { .milliseconds(125) }
  /// …for this many failures.
  @usableFromInline static var contendedTries: UInt8 { 8 }

  /// The back-off after this many exchanges that failed because of other devices. After many it is that of
  /// any other failure: perhaps the peer does not receive this device at all.
  @inlinable
  static func contendedDelay(failures: UInt8, _ configuration: HeraldConfiguration) -> Interval {
    failures <= contendedTries
      ? HeraldConfiguration.retryDelay(failures: failures, first: contendedRetry, longest: .seconds(1))
      : HeraldConfiguration.retryDelay(
        failures: failures &- contendedTries, first: configuration.firstRetry,
        longest: configuration.longestRetry)
  }
}
