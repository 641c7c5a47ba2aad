import HeraldHAL

/// The times for which the radio was used in one event, from the outcomes of its operations. The radio
/// interrupt adds to it; the level below adds it to the counters of the event's role.
struct EventTimes: BitwiseCopyable {
  /// In microseconds: see `LinkLayerCounter`.
  private(set) var receiving: UInt32 = 0
  private(set) var transmitting: UInt32 = 0
  private(set) var ramping: UInt32 = 0
  /// The time from which on the next reception of the event is counted.
  var receptionStart = RadioTime(microseconds: 0)
  /// Operations that were started too late.
  private(set) var late: UInt8 = 0
  /// The event ended before its last channel.
  var isShortened = false

  /// All are zero: all bits are zero.
  init() {}

  /// Whether the radio was used.
  var isUsed: Bool { ramping > 0 || late > 0 }

  /// Adds an operation that has ended. `transmitRampUp` and `receiveRampUp` are those of the radio.
  mutating func add(_ outcome: RadioOutcome, transmitRampUp: UInt32, receiveRampUp: UInt32) {
    switch outcome.kind {
    case .late: late &+= 1
    case .sent:
      transmitting &+= outcome.end.microseconds &- outcome.start.microseconds
      ramping &+= transmitRampUp
      receptionStart = outcome.end + ConnectionEvent.space
    case .received, .damaged, .silent: addReception(until: outcome.end, rampUp: receiveRampUp)
    }
  }

  /// Adds a reception that has ended or was cancelled. Another one after it begins with its ramp-up.
  mutating func addReception(until end: RadioTime, rampUp: UInt32) {
    receiving &+= end.since(receptionStart)
    ramping &+= rampUp
    receptionStart = end + rampUp
  }
}
