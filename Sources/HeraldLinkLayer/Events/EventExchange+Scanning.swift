import HeraldBluetooth
import HeraldHAL

// The radio interrupt of a scanning event.
extension EventExchange where Peripheral: ~Copyable {
  mutating func scanningOutcome(_ outcome: RadioOutcome) {
    switch scanningEvent.phase {
    case .listen:
      switch outcome.kind {
      case .received: advertised(outcome)
      case .damaged: radio.proceed(.receiveAgain)
      case .silent, .late, .sent: finish()
      }
    case .ask:
      guard outcome.kind == .sent else {
        finish()
        return
      }
      scanningEvent.phase = .hear
      radio.proceed(.receiveAfterSpace)
    case .hear:
      finish()
      guard outcome.kind == .received, isResponse() else { return }
      scanningEvent.wasAnswered = true
      receivedResponse.copy(radio.incoming(), rssi: outcome.rssi)
    case .connect:
      scanningEvent.wasConnected = outcome.kind == .sent
      scanningEvent.requestEnd = outcome.end
      finish()
    }
  }

  /// Processes a packet that was received while the scanner was listening for advertising PDUs.
  private mutating func advertised(_ outcome: RadioOutcome) {
    switch scanningEvent.verdict(on: radio.incoming(), &acceptList) {
    case .ignore:
      radio.proceed(.receiveAgain)
      return
    case .connect:
      // Only the advertiser, if it is one of several, and the transmit window offset are unknown before.
      if scanningEvent.connectsListed { setAdvertiser() }
      setWindowOffset(requestEnd: outcome.end + (ConnectionEvent.space &+ 352))
      copyPDU(initiation.span, into: radio.outgoing())
      scanningEvent.phase = .connect
      radio.proceed(.transmitAfterSpace)
      return
    case .ask:
      received.copy(radio.incoming(), rssi: outcome.rssi)
      received.writeRequest(from: scanningEvent.own, into: radio.outgoing())
      scanningEvent.phase = .ask
      radio.proceed(.transmitAfterSpace)
    case .report:
      finish()
      received.copy(radio.incoming(), rssi: outcome.rssi)
    }
  }

  /// Sets AdvA and RxAdd of the CONNECT_IND to the address of the received advertisement.
  private mutating func setAdvertiser() {
    let pdu = radio.incoming()
    guard pdu.count >= 8 else { return }
    initiation[0] = initiation[0] & 0x7F | (pdu[0] & 0x40) &<< 1
    var index = 2
    while index < 8 {
      initiation[index &+ 6] = pdu[unchecked: index]
      index &+= 1
    }
  }

  /// Whether the received PDU is the scan response of the device whose advertisement is in `received`.
  private mutating func isResponse() -> Bool {
    let pdu = radio.incoming()
    guard let header = AdvertisingHeader(of: pdu), header.kind == .scanResponse else { return false }
    return isSameAddress(pdu, 2, received.bytes.span, 2)
      && header.sender.rawValue == received.bytes[0] &>> 6 & 1
  }

  /// Sets the transmit window offset of the CONNECT_IND so that the anchor points have the selected position.
  private mutating func setWindowOffset(requestEnd: RadioTime) {
    guard scanningEvent.interval > 0 else { return }
    let earliest = requestEnd + EventTiming.unit
    var anchor = scanningEvent.phaseTime
    // Few iterations: the scan window of an initiator is short.
    while anchor.isBefore(earliest) { anchor = anchor + scanningEvent.interval }
    // Rounded up to whole units, without a division, for which the processor has no instruction:
    // ⌈2³² / 625⌉ · ⌊n / 2⌋ / 2³² is exact for all n below 2²², which includes 4 s.
    let wait = anchor.since(earliest) &+ EventTiming.unit &- 1
    let offset = (UInt64(wide: wait &>> 1) &* 6_871_948).high32
    initiation[22] = UInt8(truncatingIfNeeded: offset)
    initiation[23] = UInt8(truncatingIfNeeded: offset &>> 8)
  }
}
