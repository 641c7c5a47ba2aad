/// What a Herald device counts about its work with peers. The order is that of the statistics group "herald".
public enum HeraldCounter: Int, BitwiseCopyable, Sendable {
  /// Advertisements and scan responses heard, of whomever.
  case adverts = 0
  /// Of these, such as came without a strength.
  case advertsWithoutStrength
  /// Strengths measured of peers that are or may be Herald peers.
  case readings
  /// Peers taken in.
  case detections
  /// Peers not taken in because every place was held.
  case tableFull
  /// Peers that aged out.
  case losses
  /// Connection attempts.
  case attempts
  /// Attempts that took longer than allowed.
  case attemptTimeouts
  /// Attempts that ended early so that the radio could scan.
  case attemptsCut
  /// Attempts that the radio reported as failed.
  case attemptsFailed
  /// Connections we opened.
  case connectionsOut
  /// Connections peers opened.
  case connectionsIn
  /// Connections refused for want of a place, or that nobody asked for.
  case connectionsRefused
  /// Exchanges in which the peer went away.
  case exchangesDropped
  /// Exchanges in which the peer did not answer in time.
  case exchangesTimedOut
  /// Exchanges in which the peer answered with an error.
  case exchangesRefused
  /// Exchanges in which the peer broke the protocol.
  case exchangesMalformed
  /// Exchanges given up for want of a payload buffer of ours.
  case exchangesWithoutBuffer
  /// Peers that turned out to have no Herald service.
  case withoutService
  /// Payloads read.
  case reads
  /// Of these, such as another identity had shown before.
  case readsOfKnown
  /// Times a peer began to read our payload.
  case payloadsServed
  /// Times our payload could not be given to a peer that asked for it.
  case payloadsNotServed
  /// Writes to our signal characteristics.
  case signals
  /// Of these, such as were empty: they wake a peer's application.
  case signalWakes
  /// Payloads written to us.
  case signalPayloads
  /// Strengths written to us.
  case signalStrengths
  /// Payloads of others passed on to us, by message.
  case signalShares
  /// Messages to the application.
  case signalMessages
  /// Writes that were no message, or the end of none; parts of messages that were never finished.
  case signalsMalformed
  /// Messages, and codes of other systems, not acted upon because too much was written or shown.
  case signalsDropped
  /// Writes refused for want of a buffer.
  case signalsWithoutBuffer
  /// Messages of ours that a peer took, the application's apart.
  case signalsSent
  /// Messages that a peer refused, or has no characteristic for.
  case signalsRefused
  /// Peers that took a message of the application's.
  case messagesSent
  /// Peers that one could not be delivered to in time.
  case messagesLost
  /// Connections given up for a new peer.
  case connectionsGivenUp
  /// Own addresses taken.
  case rotations
  /// Commands the radio refused.
  case radioRefusals
  /// Events the log did not take.
  case logErrors
  /// Advertisements of strangers that were not taken in, as there were too many (`StrangerBudget`).
  case strangersRefused
  /// Strengths of strangers that were not kept, as there were too many.
  case readingsRefused

  /// How many there are.
  public static let count = 42
}

/// The counters of `HeraldCounter`. They wrap.
public struct HeraldCounters: BitwiseCopyable, Sendable {
  @usableFromInline var values: [42 of UInt32]

  /// All zero.
  @usableFromInline
  init() { values = .init(repeating: 0) }

  /// The value of a counter.
  @inlinable
  public subscript(counter: HeraldCounter) -> UInt32 { values[counter.rawValue] }

  /// One more.
  @inlinable @inline(__always)
  mutating func count(_ counter: HeraldCounter) { values[counter.rawValue] &+= 1 }

  /// One more message of a kind: their counters are in the order of their codes.
  @inlinable
  mutating func count(_ kind: SignalMessage.Kind) {
    values[HeraldCounter.signalPayloads.rawValue &+ Int(kind.rawValue) &- 1] &+= 1
  }

  /// The names of all counters, in the order of `HeraldCounter`, then those of two that are counted
  /// elsewhere.
  @usableFromInline
  static var names: StaticString {
    """
    adverts adverts_without_strength readings detections table_full losses attempts attempt_timeouts attempts_cut attempts_failed connections_out
    connections_in connections_refused exchanges_dropped exchanges_timed_out exchanges_refused exchanges_malformed exchanges_without_buffer
    without_service reads reads_of_known payloads_served payloads_not_served signals signal_wakes signal_payloads signal_strengths signal_shares
    signal_messages signals_malformed signals_dropped signals_without_buffer signals_sent signals_refused messages_sent messages_lost connections_given_up
    rotations radio_refusals log_errors strangers_refused readings_refused evictions targets
    """
  }
}
