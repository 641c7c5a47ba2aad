/// The counters of the host side of HCI.
@usableFromInline
enum HCICounter: UInt8 {
  case events, unknownEvents, malformedEvents
  case advertisingReports, continuedReports
  case syncLost, bytesSkipped, packetsSkipped
  case commandsSent, commandsRefused, commandTimeouts
  case failures, hardwareErrors, bufferOverflows
  case connectionsOpened, connectionsRefused
  case fragmentsReceived, fragmentsSent, fragmentsMalformed
  case pdusReceived, pdusSent, pdusDropped
  case signalsRejected, pairingsRefused, unknownChannels
  case writesRefused

  /// The number of counters.
  @usableFromInline static var count: Int { 26 }

  /// Their names in the statistics group, in this order.
  @usableFromInline static var names: StaticString {
    """
    events unknown_events malformed_events advertising_reports continued_reports sync_lost bytes_skipped packets_skipped commands_sent commands_refused
    command_timeouts failures hardware_errors buffer_overflows connections_opened connections_refused fragments_received fragments_sent
    fragments_malformed pdus_received pdus_sent pdus_dropped signals_rejected pairings_refused unknown_channels writes_refused
    """
  }
}

/// The values of all counters; they wrap at 2³².
@usableFromInline
struct HCICounters: BitwiseCopyable {
  @usableFromInline var values: [26 of UInt32]

  @usableFromInline init() { values = .init(repeating: 0) }

  /// Adds one.
  @inlinable @inline(never)
  mutating func count(_ counter: HCICounter) { countOften(counter) }

  /// The same on the path of advertisements, inlined.
  @inlinable @inline(__always)
  mutating func countOften(_ counter: HCICounter) { values[Int(counter.rawValue)] &+= 1 }

  /// The value of one counter.
  @inlinable
  subscript(counter: HCICounter) -> UInt32 { values[Int(counter.rawValue)] }
}
