/// The counters of a link layer.
public struct LinkLayerCounters: Equatable, BitwiseCopyable, Sendable {
  /// Operations whose moment was missed.
  public internal(set) var late: UInt32 = 0
  /// Advertising reports for which there was no room.
  public internal(set) var reportsDropped: UInt32 = 0
  /// Connect requests with fields out of their range, or for which there was no place.
  public internal(set) var requestsRefused: UInt32 = 0
  /// Connection events in which nothing was heard.
  public internal(set) var eventsSilent: UInt32 = 0
  /// Connection events that gave way to something else, or could not be begun in time.
  public internal(set) var eventsSkipped: UInt32 = 0

  /// Their names in the statistics group, in this order.
  static var names: StaticString { "late reports_dropped requests_refused events_silent events_skipped" }
}
