import HeraldEmbedded

// The signalling channel and the Security Manager. One answer at a time waits in `control`; a peer that asks again
// before it has left is not answered again, and counted.
extension Link {
  /// Handles one whole PDU of a channel other than ATT's.
  mutating func control(_ channel: UInt16, _ pdu: Span<UInt8>, _ counters: inout HCICounters) {
    switch channel {
    case ChannelID.signalling: signal(pdu, &counters)
    case ChannelID.securityManager: security(pdu, &counters)
    default: counters.count(.unknownChannels)
    }
  }

  /// One command of the signalling channel (Vol 3, Part A, 4). When central, a valid Connection Parameter Update Request is
  /// accepted and carried out, an invalid one is rejected. Everything else that asks for an answer gets Command Reject.
  private mutating func signal(_ pdu: Span<UInt8>, _ counters: inout HCICounters) {
    var reader = ByteReader(pdu)
    guard let code = reader.u8(), let identifier = reader.u8(), identifier != 0, let length = reader.u16(),
      !SignalCode.isAnswer(code)
    else { return }
    if pdu.count > 23 {  // MTUsig of an LE link
      reject(identifier, reason: 0x0001, mtu: 23, &counters)  // Signaling MTU exceeded
      return
    }
    guard code == SignalCode.parameterUpdateRequest, role == .central, length == 8, reader.remaining == 8,
      let intervalMin = reader.u16(), let intervalMax = reader.u16(), let latency = reader.u16(),
      let timeout = reader.u16()
    else {
      reject(identifier, reason: 0x0000, mtu: nil, &counters)  // Command not understood
      return
    }
    let timing = ConnectionTiming(
      intervalMin: intervalMin, intervalMax: intervalMax, latency: latency, timeout: timeout)
    guard beginControl(&counters) else { return }
    if timing.isValid {
      self.timing = timing
      wantsUpdate = true
    }
    var writer = ByteWriter(control.mutableSpan, from: 9)
    writer.u8(SignalCode.parameterUpdateResponse)
    writer.u8(identifier)
    writer.u16(2)
    writer.u16(timing.isValid ? 0 : 1)
    endControl(ChannelID.signalling, count: writer.count)
  }

  private mutating func reject(
    _ identifier: UInt8, reason: UInt16, mtu: UInt16?, _ counters: inout HCICounters
  ) {
    counters.count(.signalsRejected)
    guard beginControl(&counters) else { return }
    var writer = ByteWriter(control.mutableSpan, from: 9)
    writer.u8(SignalCode.commandReject)
    writer.u8(identifier)
    writer.u16(mtu == nil ? 2 : 4)
    writer.u16(reason)
    if let mtu { writer.u16(mtu) }
    endControl(ChannelID.signalling, count: writer.count)
  }

  /// One command of the Security Manager: who wants to pair, or asks us to, is told that we do not (Vol 3, Part H, 3.5.5).
  /// Nothing else is owed an answer.
  private mutating func security(_ pdu: Span<UInt8>, _ counters: inout HCICounters) {
    guard pdu.count > 0, pdu[0] == SecurityCode.pairingRequest || pdu[0] == SecurityCode.securityRequest
    else { return }
    counters.count(.pairingsRefused)
    guard beginControl(&counters) else { return }
    control[9] = SecurityCode.pairingFailed
    control[10] = SecurityCode.pairingNotSupported
    endControl(ChannelID.securityManager, count: 11)
  }

  private func beginControl(_ counters: inout HCICounters) -> Bool {
    guard controlCount == 0 else {
      counters.count(.pdusDropped)
      return false
    }
    return true
  }

  /// Writes the headers in front of the answer that ends at `count`: H4 and ACL (five bytes), L2CAP (four).
  private mutating func endControl(_ channel: UInt16, count: Int) {
    control[0] = PacketType.aclData
    control[1] = UInt8(truncatingIfNeeded: handle.rawValue)
    control[2] = UInt8(truncatingIfNeeded: handle.rawValue &>> 8)
    control[3] = UInt8(truncatingIfNeeded: count &- 5)
    control[4] = 0
    control[5] = UInt8(truncatingIfNeeded: count &- 9)
    control[6] = 0
    control[7] = UInt8(truncatingIfNeeded: channel)
    control[8] = UInt8(truncatingIfNeeded: channel &>> 8)
    controlCount = UInt8(truncatingIfNeeded: count)
  }
}
