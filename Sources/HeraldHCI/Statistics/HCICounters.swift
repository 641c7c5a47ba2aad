import HeraldBluetooth

/// The counters of the host side of HCI, besides those of L2CAP.
enum HCICounter: UInt8 {
  case events, unknownEvents, malformedEvents
  case advertisingReports, continuedReports
  case syncLost, bytesSkipped, packetsSkipped
  case commandsSent, commandsRefused, commandTimeouts
  case failures, hardwareErrors, bufferOverflows
  case connectionsOpened, connectionsRefused
  case writesRefused

  /// The number of these counters.
  static var count: Int { 17 }
  /// The number of counters of the statistics group: these, then those of L2CAP.
  static var groupCount: Int { count &+ L2CAPCounter.count }

  /// The names of the statistics group, in its order.
  static var names: StaticString {
    """
    events unknown_events malformed_events advertising_reports continued_reports sync_lost bytes_skipped packets_skipped commands_sent commands_refused
    command_timeouts failures hardware_errors buffer_overflows connections_opened connections_refused writes_refused
    fragments_received fragments_sent fragments_malformed pdus_received pdus_sent pdus_dropped signals_rejected pairings_refused
    unknown_channels
    """
  }
}

/// The values of all counters; they wrap at 2³².
struct HCICounters: BitwiseCopyable {
  var values: [17 of UInt32]

  init() { values = .init(repeating: 0) }

  /// Adds one.
  @inline(never)
  mutating func count(_ counter: HCICounter) { countOften(counter) }

  /// The same on the path of advertisements, inlined.
  @inline(__always)
  mutating func countOften(_ counter: HCICounter) { values[Int(counter.rawValue)] &+= 1 }

  /// The value of one counter.
  subscript(counter: HCICounter) -> UInt32 { values[Int(counter.rawValue)] }
}
