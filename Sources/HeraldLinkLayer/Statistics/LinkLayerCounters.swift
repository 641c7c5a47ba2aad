import HeraldHAL

/// How often what happened in a link layer.
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

extension LinkLayer: StatisticsSource where Peripheral: ~Copyable {
  /// The group `linklayer`.
  public static var statisticsName: StaticString { "linklayer" }
  /// How many counters there are.
  public static var statisticsCount: Int { 5 }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord {
    StaticWord(index, of: LinkLayerCounters.names)
  }
  /// The value of counter `index`.
  public mutating func statistic(_ index: Int) -> UInt32 {
    switch index {
    case 0: counters.late
    case 1: counters.reportsDropped
    case 2: counters.requestsRefused
    case 3: counters.eventsSilent
    case 4: counters.eventsSkipped
    default: 0
    }
  }
}
