/// What an L2CAP layer counts.
package enum L2CAPCounter: UInt8 {
  case fragmentsReceived, fragmentsSent, fragmentsMalformed
  case pdusReceived, pdusSent, pdusDropped
  case signalsRejected, pairingsRefused, unknownChannels

  /// The number of counters.
  package static var count: Int { 9 }

  /// The names of the counters in a statistics group, in this order.
  package static var names: StaticString {
    """
    fragments_received fragments_sent fragments_malformed pdus_received pdus_sent pdus_dropped signals_rejected
    pairings_refused unknown_channels
    """
  }
}

/// The values of the counters of an L2CAP layer; they wrap at 2³².
package struct L2CAPCounters: BitwiseCopyable {
  /// The counters, in the order of `L2CAPStatistics`.
  package var values: [9 of UInt32]

  /// All are zero.
  package init() { values = .init(repeating: 0) }

  /// Adds one.
  @inline(never)
  package mutating func count(_ counter: L2CAPCounter) { values[Int(counter.rawValue)] &+= 1 }

  /// The value of one counter.
  package subscript(counter: L2CAPCounter) -> UInt32 { values[Int(counter.rawValue)] }
}
