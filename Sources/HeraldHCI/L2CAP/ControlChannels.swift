import HeraldBluetooth

// The signalling channel and the Security Manager. One answer at a time waits in `control`; a peer that asks
// again before it has left is not answered again, and counted.

/// An answer on the signalling or security channel, from which the packet is made when it leaves.
@usableFromInline
struct ControlAnswer: BitwiseCopyable {
  /// The code of the answer, 0 for none: a different one on each channel.
  var code: UInt8
  /// Signalling: the identifier of the request. Security: the reason.
  var identifier: UInt8
  /// Signalling: the result of an update, or why the request is rejected.
  var result: UInt8

  /// Nothing to answer.
  @usableFromInline static var none: ControlAnswer { ControlAnswer(code: 0, identifier: 0, result: 0) }
  /// Whether there is an answer.
  @usableFromInline var isOwed: Bool { code != 0 }
}

extension Link {
  /// MTUsig: the longest PDU of an LE link's signalling channel.
  private static var signallingMTU: UInt8 { 23 }

  /// Handles one whole PDU of a channel other than ATT's.
  mutating func control(_ channel: UInt16, _ pdu: Span<UInt8>, _ counters: inout HCICounters) {
    switch channel {
    case ChannelID.signalling: signal(pdu, &counters)
    case ChannelID.securityManager: security(pdu, &counters)
    default: counters.count(.unknownChannels)
    }
  }

  /// One command of the signalling channel (Vol 3, Part A, 4). When central, a valid Connection Parameter
  /// Update Request is accepted and carried out, an invalid one is rejected. Everything else that asks for an
  /// answer gets Command Reject.
  private mutating func signal(_ pdu: Span<UInt8>, _ counters: inout HCICounters) {
    guard pdu.count >= 4, pdu[unchecked: 1] != 0, !SignalCode.isAnswer(pdu[unchecked: 0]) else { return }
    let identifier = pdu[unchecked: 1]
    guard pdu.count <= Int(Self.signallingMTU) else {
      reject(identifier, .mtuExceeded, &counters)
      return
    }
    guard pdu[unchecked: 0] == SignalCode.parameterUpdateRequest, role == .central, pdu.count == 12,
      pdu.u16(unchecked: 2) == 8
    else {
      reject(identifier, .notUnderstood, &counters)
      return
    }
    let timing = ConnectionTiming(
      intervalMin: pdu.u16(unchecked: 4), intervalMax: pdu.u16(unchecked: 6), latency: pdu.u16(unchecked: 8),
      timeout: pdu.u16(unchecked: 10))
    let isValid = timing.isValid
    let answer = ControlAnswer(
      code: SignalCode.parameterUpdateResponse, identifier: identifier, result: isValid ? 0 : 1)
    guard owe(answer, &counters), isValid else { return }
    self.timing = timing
    wantsUpdate = true
  }

  private mutating func reject(
    _ identifier: UInt8, _ reason: RejectReason, _ counters: inout HCICounters
  ) {
    counters.count(.signalsRejected)
    _ = owe(
      ControlAnswer(code: SignalCode.commandReject, identifier: identifier, result: reason.rawValue),
      &counters)
  }

  /// One command of the Security Manager: who wants to pair, or asks us to, is told that we do not (Vol 3,
  /// Part H, 3.5.5). Nothing else is owed an answer.
  private mutating func security(_ pdu: Span<UInt8>, _ counters: inout HCICounters) {
    guard pdu.count > 0, pdu[0] == SecurityCode.pairingRequest || pdu[0] == SecurityCode.securityRequest
    else { return }
    counters.count(.pairingsRefused)
    _ = owe(
      ControlAnswer(
        code: SecurityCode.pairingFailed, identifier: SecurityCode.pairingNotSupported, result: 0), &counters)
  }

  /// Keeps an answer until it can leave; `false` if another waits.
  @inline(never)
  private mutating func owe(_ answer: ControlAnswer, _ counters: inout HCICounters) -> Bool {
    guard !control.isOwed else {
      counters.count(.pdusDropped)
      return false
    }
    control = answer
    return true
  }

  /// Writes the packet of the answer that is owed: H4 and ACL headers (five bytes), L2CAP header (four), and
  /// a PDU of up to eight. Returns its length.
  @usableFromInline
  mutating func writeControl(into packet: inout [17 of UInt8]) -> Int {
    let isSecurity = control.code == SecurityCode.pairingFailed
    let isMTU =
      control.code == SignalCode.commandReject && control.result == RejectReason.mtuExceeded.rawValue
    // What is said besides code, identifier and length: the result or reason, and the MTU behind the reason
    // that has one.
    let dataLength: UInt8 = isMTU ? 4 : 2
    let length = isSecurity ? 2 : 4 &+ dataLength
    let channel = isSecurity ? ChannelID.securityManager : ChannelID.signalling
    packet = [
      PacketType.aclData,
      UInt8(truncatingIfNeeded: handle.rawValue), UInt8(truncatingIfNeeded: handle.rawValue &>> 8),
      length &+ 4, 0,
      length, 0,
      UInt8(truncatingIfNeeded: channel), 0,
      control.code, control.identifier,
      dataLength, 0,
      control.result, 0,
      Self.signallingMTU, 0,
    ]
    return 9 &+ Int(length)
  }
}
