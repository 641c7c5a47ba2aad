/// What the host side of HCI counts.
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

  /// How many there are.
  @usableFromInline static var count: Int { 26 }

  /// The name in the statistics group.
  @usableFromInline var name: StaticString {
    switch self {
    case .events: "events"
    case .unknownEvents: "unknown_events"
    case .malformedEvents: "malformed_events"
    case .advertisingReports: "advertising_reports"
    case .continuedReports: "continued_reports"
    case .syncLost: "sync_lost"
    case .bytesSkipped: "bytes_skipped"
    case .packetsSkipped: "packets_skipped"
    case .commandsSent: "commands_sent"
    case .commandsRefused: "commands_refused"
    case .commandTimeouts: "command_timeouts"
    case .failures: "failures"
    case .hardwareErrors: "hardware_errors"
    case .bufferOverflows: "buffer_overflows"
    case .connectionsOpened: "connections_opened"
    case .connectionsRefused: "connections_refused"
    case .fragmentsReceived: "fragments_received"
    case .fragmentsSent: "fragments_sent"
    case .fragmentsMalformed: "fragments_malformed"
    case .pdusReceived: "pdus_received"
    case .pdusSent: "pdus_sent"
    case .pdusDropped: "pdus_dropped"
    case .signalsRejected: "signals_rejected"
    case .pairingsRefused: "pairings_refused"
    case .unknownChannels: "unknown_channels"
    case .writesRefused: "writes_refused"
    }
  }
}

/// The values of all counters; they wrap at 2³².
@usableFromInline
struct HCICounters: BitwiseCopyable {
  @usableFromInline var values: [26 of UInt32]

  @usableFromInline init() { values = .init(repeating: 0) }

  /// Adds one, or `amount`.
  @inlinable @inline(__always)
  mutating func count(_ counter: HCICounter, _ amount: Int = 1) {
    values[Int(counter.rawValue)] &+= UInt32(truncatingIfNeeded: amount)
  }

  /// The value of one counter.
  @inlinable
  subscript(counter: HCICounter) -> UInt32 { values[Int(counter.rawValue)] }
}
