/// The statistics counters of a link layer.
public struct LinkLayerCounters: Equatable, BitwiseCopyable, Sendable {
  /// Operations that were started too late.
  public internal(set) var late: UInt32 = 0
  /// Advertising reports that were discarded because the queue was full.
  public internal(set) var reportsDropped: UInt32 = 0
  /// CONNECT_IND PDUs with invalid fields, or received when all connections were in use.
  public internal(set) var requestsRefused: UInt32 = 0
  /// Connection events without a received packet.
  public internal(set) var eventsSilent: UInt32 = 0
  /// Connection events that were skipped in favour of other activities, or could not be started in time.
  public internal(set) var eventsSkipped: UInt32 = 0

  /// The value of counter `index`, in the order of the names.
  func value(_ index: Int) -> UInt32 {
    switch index {
    case 0: late
    case 1: reportsDropped
    case 2: requestsRefused
    case 3: eventsSilent
    case 4: eventsSkipped
    default: 0
    }
  }

  /// The names in the statistics group, in this order.
  static var names: StaticString { "late reports_dropped requests_refused events_silent events_skipped" }
}
