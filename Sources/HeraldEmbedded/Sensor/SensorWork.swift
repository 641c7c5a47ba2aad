import HeraldHAL

/// Work of a sensor besides the radio (`SensorDelegate.nextWork`).
public enum SensorWork: Equatable, BitwiseCopyable, Sendable {
  /// No work before this moment.
  case none(until: Instant)
  /// An event for the log.
  case log(LogEvent)
  /// A stay near a venue beacon has ended: an event for the log and for every delegate.
  case visited(Visit)
  /// A beacon sent the date, milliseconds since 1970-01-01T00:00:00Z. It is accepted if the configuration
  /// allows it and the date is not set; it counts as uncertain (`PayloadSupplier.dateIs`), and is
  /// replaced by a host's.
  case date(unixMilliseconds: UInt64)
}
