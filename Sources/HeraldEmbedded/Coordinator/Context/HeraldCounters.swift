/// What a Herald device counts. The order is that of the statistics group "herald".
public enum HeraldCounter: Int, BitwiseCopyable, Sendable {
  /// Advertisements and scan responses received, of any device.
  case adverts = 0
  /// Of these, those without an RSSI.
  case advertsWithoutStrength
  /// RSSI readings of peers that are or may be Herald peers.
  case readings
  /// Peers added to the table.
  case detections
  /// Peers not added because every slot was held.
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
  /// Connections that this device opened.
  case connectionsOut
  /// Connections that peers opened.
  case connectionsIn
  /// Connections refused because there was no slot, or that were not requested.
  case connectionsRefused
  /// Exchanges in which the peer disconnected.
  case exchangesDropped
  /// Exchanges in which the peer did not respond in time.
  case exchangesTimedOut
  /// Exchanges in which the peer returned an error.
  case exchangesRefused
  /// Exchanges in which the peer violated the protocol.
  case exchangesMalformed
  /// Exchanges that ended because no payload buffer was free.
  case exchangesWithoutBuffer
  /// Peers that were found to have no Herald service.
  case withoutService
  /// Payloads read.
  case reads
  /// Of these, those that another identity had shown before.
  case readsOfKnown
  /// Times a peer began to read our payload.
  case payloadsServed
  /// Times our payload could not be served to a peer that requested it.
  case payloadsNotServed
  /// Writes to our signal characteristics.
  case signals
  /// Of these, the empty ones: they wake a peer's application.
  case signalWakes
  /// Payloads written to us.
  case signalPayloads
  /// RSSI values written to us.
  case signalStrengths
  /// Payloads of others shared with us by message.
  case signalShares
  /// Messages to the application.
  case signalMessages
  /// Writes that were no message, or no valid end of one; messages that were never completed.
  case signalsMalformed
  /// Messages, and codes of additional services, that were dropped because a budget was used up.
  case signalsDropped
  /// Writes refused because no buffer was free.
  case signalsWithoutBuffer
  /// Messages of ours that a peer accepted, except those of the application.
  case signalsSent
  /// Messages that a peer refused, or has no characteristic for.
  case signalsRefused
  /// Peers that accepted a message of the application.
  case messagesSent
  /// Peers to which one could not be delivered in time.
  case messagesLost
  /// Connections closed for a new peer.
  case connectionsGivenUp
  /// Own addresses taken.
  case rotations
  /// Commands the radio refused.
  case radioRefusals
  /// Events the log did not accept.
  case logErrors
  /// Advertisements of strangers that were not added to the table because there were too many
  /// (`StrangerBudget`).
  case strangersRefused
  /// Readings of strangers that were not kept because there were too many.
  case readingsRefused

  /// The number of counters.
  public static let count = 42
}

/// The counters of `HeraldCounter`. They wrap.
public struct HeraldCounters: BitwiseCopyable, Sendable {
  var values: [42 of UInt32]

  /// All counters zero.
  init() { values = .init(repeating: 0) }

  /// The value of a counter.
  public subscript(counter: HeraldCounter) -> UInt32 { values[counter.rawValue] }

  /// Adds one.
  @inline(__always)
  mutating func count(_ counter: HeraldCounter) { values[counter.rawValue] &+= 1 }

  /// Adds one for a message of a kind: their counters are in the order of their codes.
  mutating func count(_ kind: SignalMessage.Kind) {
    values[HeraldCounter.signalPayloads.rawValue &+ Int(kind.rawValue) &- 1] &+= 1
  }

  /// The names of all counters, in the order of `HeraldCounter`, then those of two that are counted
  /// elsewhere.
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
