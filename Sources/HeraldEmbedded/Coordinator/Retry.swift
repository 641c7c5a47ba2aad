import HeraldHAL

/// How long a peer is left alone at which others were at the same time.
@usableFromInline
enum Retry {
  /// The wait after a first exchange that failed because of others; it doubles with each further failure, up
  /// to 1 s…
  @usableFromInline static var contendedRetry: Interval { .milliseconds(125) }
  /// …for so many failures.
  @usableFromInline static var contendedTries: UInt8 { 8 }

  /// How long a peer is left alone after so many exchanges that failed because of others. After many it is
  /// left alone like any other: perhaps it does not hear us at all.
  @inlinable
  static func contendedDelay(failures: UInt8, _ configuration: HeraldConfiguration) -> Interval {
    failures <= contendedTries
      ? HeraldConfiguration.retryDelay(failures: failures, first: contendedRetry, longest: .seconds(1))
      : HeraldConfiguration.retryDelay(
        failures: failures &- contendedTries, first: configuration.firstRetry,
        longest: configuration.longestRetry)
  }
}
