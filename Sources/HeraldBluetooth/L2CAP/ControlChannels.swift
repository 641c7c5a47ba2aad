import HeraldHAL

/// The fixed channels of an LE connection beside ATT's: signalling, and the Security Manager, to which the
/// answer is that there is no pairing (Core Specification, Vol 3, Parts A and H).
///
/// One answer at a time waits to leave; a peer that asks again before it has is not answered again. Zero bits
/// when nothing is owed.
@usableFromInline
package struct ControlChannels: BitwiseCopyable {
  /// The code of the answer, 0 for none: a different one on each channel.
  private var code: UInt8
  /// Signalling: the identifier of the request. Security: the reason.
  private var identifier: UInt8
  /// Signalling: the result of an update, or why the request is rejected.
  private var result: UInt8

  /// Nothing is owed.
  @usableFromInline
  package init() {
    code = 0
    identifier = 0
    result = 0
  }

  /// Whether an answer is owed.
  @usableFromInline
  package var isOwed: Bool { code != 0 }

  /// MTUsig: the longest PDU of an LE connection's signalling channel.
  private static var signallingMTU: UInt8 { 23 }

  /// Takes in one whole PDU of a channel other than ATT's. `role` is ours on the connection.
  package mutating func take(_ pdu: Span<UInt8>, on channel: UInt16, role: ConnectionRole) -> ControlOutcome {
    switch channel {
    case ChannelID.signalling: signal(pdu, role)
    case ChannelID.securityManager: security(pdu)
    default: ControlOutcome(.unknownChannel)
    }
  }

  /// One command of the signalling channel (Vol 3, Part A, 4). When central, a valid Connection Parameter
  /// Update Request is accepted, an invalid one is rejected. Everything else that asks for an answer gets
  /// Command Reject.
  private mutating func signal(_ pdu: Span<UInt8>, _ role: ConnectionRole) -> ControlOutcome {
    guard pdu.count >= 4, pdu[unchecked: 1] != 0, !SignalCode.isAnswer(pdu[unchecked: 0]) else {
      return ControlOutcome(.nothing)
    }
    let identifier = pdu[unchecked: 1]
    guard pdu.count <= Int(Self.signallingMTU) else {
      return owe(SignalCode.commandReject, identifier, RejectReason.mtuExceeded.rawValue, .rejected)
    }
    guard pdu[unchecked: 0] == SignalCode.parameterUpdateRequest, role == .central, pdu.count == 12,
      pdu.u16(at: 2) == 8
    else { return owe(SignalCode.commandReject, identifier, RejectReason.notUnderstood.rawValue, .rejected) }
    let timing = ConnectionTiming(
      intervalMin: pdu.u16(at: 4), intervalMax: pdu.u16(at: 6), latency: pdu.u16(at: 8),
      timeout: pdu.u16(at: 10))
    let isValid = timing.isValid
    var outcome = owe(
      SignalCode.parameterUpdateResponse, identifier, isValid ? 0 : 1, isValid ? .update : .nothing)
    outcome.timing = timing
    return outcome
  }

  /// One command of the Security Manager: who wants to pair, or asks us to, is told that we do not (Vol 3,
  /// Part H, 3.5.5). Nothing else is owed an answer.
  private mutating func security(_ pdu: Span<UInt8>) -> ControlOutcome {
    guard pdu.count > 0, pdu[0] == SecurityCode.pairingRequest || pdu[0] == SecurityCode.securityRequest
    else { return ControlOutcome(.nothing) }
    return owe(SecurityCode.pairingFailed, SecurityCode.pairingNotSupported, 0, .pairingRefused)
  }

  /// Keeps an answer until it can leave, unless another waits.
  @inline(never)
  private mutating func owe(
    _ code: UInt8, _ identifier: UInt8, _ result: UInt8, _ kind: ControlOutcome.Kind
  ) -> ControlOutcome {
    var outcome = ControlOutcome(kind)
    outcome.isDropped = isOwed
    if !isOwed {
      self.code = code
      self.identifier = identifier
      self.result = result
    }
    return outcome
  }

  /// The frame of the answer that is owed: an L2CAP header and a PDU of up to eight bytes.
  package var frame: [12 of UInt8] {
    let length = pduLength
    let channel = isSecurity ? ChannelID.securityManager : ChannelID.signalling
    return [
      length, 0, UInt8(truncatingIfNeeded: channel), 0,
      code, identifier, length &- 4, 0, result, 0, Self.signallingMTU, 0,
    ]
  }

  /// How many bytes of the frame there are.
  package var frameLength: Int { 4 &+ Int(pduLength) }

  /// The answer has left.
  @usableFromInline
  package mutating func sent() { self = ControlChannels() }

  private var isSecurity: Bool { code == SecurityCode.pairingFailed }

  /// Besides code, identifier and length, a signalling PDU has the result or reason, and the MTU behind the
  /// reason that has one.
  private var pduLength: UInt8 {
    if isSecurity { return 2 }
    return code == SignalCode.commandReject && result == RejectReason.mtuExceeded.rawValue ? 8 : 6
  }
}

/// What a PDU on one of the channels brought about.
package struct ControlOutcome: BitwiseCopyable {
  /// What it was.
  package enum Kind: UInt8, BitwiseCopyable {
    /// Nothing to count.
    case nothing
    /// A channel that this host does not have.
    case unknownChannel
    /// A command that was rejected.
    case rejected
    /// Pairing was refused.
    case pairingRefused
    /// The peer may have the timing it asked for: the connection is to be updated when the answer has left.
    case update
  }

  /// What it was.
  package let kind: Kind
  /// Whether it was not answered, as another answer has not left.
  package var isDropped: Bool
  /// The timing of an update.
  package var timing: ConnectionTiming

  init(_ kind: Kind) {
    self.kind = kind
    isDropped = false
    timing = ConnectionTiming(intervalMin: 0, intervalMax: 0, latency: 0, timeout: 0)
  }
}
