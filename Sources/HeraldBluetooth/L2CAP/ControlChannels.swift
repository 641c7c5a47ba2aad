import HeraldHAL

/// The fixed channels of an LE connection other than ATT's: signalling, and the Security Manager, which
/// refuses pairing (Core Specification, Vol 3, Parts A and H).
///
/// One response at a time is pending; a further request before it is sent gets none. Zero bits when nothing
/// is pending.
package struct ControlChannels: BitwiseCopyable {
  /// The code of the response, 0 for none; the codes of the channels differ.
  private var code: UInt8
  /// Signalling: the identifier of the request. Security: the reason.
  private var identifier: UInt8
  /// Signalling: the result of an update, or the reason of the rejection.
  private var result: UInt8

  /// Nothing is pending.
  package init() {
    code = 0
    identifier = 0
    result = 0
  }

  /// Whether a response is pending.
  package var isOwed: Bool { code != 0 }

  /// MTUsig: the longest PDU of an LE connection's signalling channel.
  private static var signallingMTU: UInt8 { 23 }

  /// Processes one whole PDU of a channel other than ATT's. `role` is that of this device on the connection.
  ///
  /// `isDropped` becomes true if it gets no response, because another one is pending.
  package mutating func take(
    _ pdu: Span<UInt8>, on channel: UInt16, role: ConnectionRole, isDropped: inout Bool
  ) -> ControlOutcome {
    switch channel {
    case ChannelID.signalling: signal(pdu, role, &isDropped)
    case ChannelID.securityManager: security(pdu, &isDropped)
    default: .unknownChannel
    }
  }

  /// One command of the signalling channel (Vol 3, Part A, 4). When central, a valid Connection Parameter
  /// Update Request is accepted, an invalid one is rejected. Every other request gets Command Reject.
  private mutating func signal(
    _ pdu: Span<UInt8>, _ role: ConnectionRole, _ isDropped: inout Bool
  ) -> ControlOutcome {
    guard pdu.count >= 4, pdu[unchecked: 1] != 0, !SignalCode.isAnswer(pdu[unchecked: 0]) else {
      return .nothing
    }
    let identifier = pdu[unchecked: 1]
    guard pdu.count <= Int(Self.signallingMTU) else {
      owe(SignalCode.commandReject, identifier, RejectReason.mtuExceeded.rawValue, &isDropped)
      return .rejected
    }
    guard pdu[unchecked: 0] == SignalCode.parameterUpdateRequest, role == .central, pdu.count == 12,
      pdu.u16(at: 2) == 8
    else {
      owe(SignalCode.commandReject, identifier, RejectReason.notUnderstood.rawValue, &isDropped)
      return .rejected
    }
    let isValid = ConnectionTiming(request: pdu).isValid
    owe(SignalCode.parameterUpdateResponse, identifier, isValid ? 0 : 1, &isDropped)
    return isValid && !isDropped ? .update : .nothing
  }

  /// One command of the Security Manager: Pairing Request and Security Request are refused with Pairing
  /// Failed (Vol 3, Part H, 3.5.5). Other commands get no response.
  private mutating func security(_ pdu: Span<UInt8>, _ isDropped: inout Bool) -> ControlOutcome {
    guard pdu.count > 0, pdu[0] == SecurityCode.pairingRequest || pdu[0] == SecurityCode.securityRequest
    else { return .nothing }
    owe(SecurityCode.pairingFailed, SecurityCode.pairingNotSupported, 0, &isDropped)
    return .pairingRefused
  }

  /// Stores a response until it can be sent, unless another is pending.
  @inline(never)
  private mutating func owe(_ code: UInt8, _ identifier: UInt8, _ result: UInt8, _ isDropped: inout Bool) {
    guard !isOwed else {
      isDropped = true
      return
    }
    self.code = code
    self.identifier = identifier
    self.result = result
  }

  /// Writes the frame of the pending response behind the five bytes of a packet's header: an L2CAP header and
  /// a PDU of up to eight bytes. Returns its length.
  package func write(into packet: inout [17 of UInt8]) -> UInt8 {
    let isSecurity = code == SecurityCode.pairingFailed
    let isMTU = code == SignalCode.commandReject && result == RejectReason.mtuExceeded.rawValue
    // Besides code, identifier and length, a signalling PDU has the result or reason, and the MTU behind the
    // reason that has one.
    let dataLength: UInt8 = isMTU ? 4 : 2
    let length = isSecurity ? 2 : 4 &+ dataLength
    let channel = isSecurity ? ChannelID.securityManager : ChannelID.signalling
    packet = [
      0, 0, 0, 0, 0,
      length, 0, UInt8(truncatingIfNeeded: channel), 0,
      code, identifier, dataLength, 0, result, 0, Self.signallingMTU, 0,
    ]
    return length &+ 4
  }

  /// The response was sent.
  package mutating func sent() { self = ControlChannels() }
}

/// The effect of a PDU on one of the channels.
package enum ControlOutcome: UInt8, BitwiseCopyable {
  /// No event to count.
  case nothing
  /// This host does not have the channel.
  case unknownChannel
  /// A command is rejected.
  case rejected
  /// Pairing is refused.
  case pairingRefused
  /// The requested timing is accepted: the connection is to be updated when the response has been sent.
  case update
}
