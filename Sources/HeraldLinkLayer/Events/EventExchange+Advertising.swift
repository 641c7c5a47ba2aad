import HeraldBluetooth
import HeraldHAL

// The radio interrupt of an advertising event.
extension EventExchange where Peripheral: ~Copyable {
  mutating func advertisingOutcome(_ outcome: RadioOutcome) {
    switch advertisingEvent.phase {
    case .advertise:
      guard outcome.kind == .sent else {
        advertisingEvent.isLate = advertisingEvent.channel == advertisingEvent.next(after: 36)
        finish()
        return
      }
      if advertisingEvent.kind == .nonConnectable {
        nextAdvertisingChannel(after: outcome.end)
      } else {
        advertisingEvent.phase = .listen
        radio.proceed(.receiveAfterSpace)
      }
    case .listen:
      guard outcome.kind == .received else {
        nextAdvertisingChannel(after: outcome.end)
        return
      }
      switch answered() {
      case .scanRequest:
        copyPDU(response.span, into: radio.outgoing())
        advertisingEvent.phase = .respond
        radio.proceed(.transmitAfterSpace)
      case .connect:
        advertisingEvent.wasRequested = true
        advertisingEvent.requestEnd = outcome.end
        finish()
        request.copy(radio.incoming(), rssi: outcome.rssi)
      default: nextAdvertisingChannel(after: outcome.end)
      }
    case .respond: nextAdvertisingChannel(after: outcome.end)
    }
  }

  /// The type of the received PDU if it is a scan request or connect request for this advertisement;
  /// otherwise the type of the advertisement.
  private mutating func answered() -> AdvertisingHeader.Kind {
    let kind = advertisingEvent.kind
    let pdu = radio.incoming()
    guard let header = AdvertisingHeader(of: pdu), pdu.count >= 14 else { return kind }
    // AdvA is the second address in both PDUs and RxAdd is its type; the own address is in the advertisement.
    guard isSameAddress(pdu, 8, advertisement.span, 2), header.receiver.rawValue == advertisement[0] &>> 6 & 1
    else {
      return kind
    }
    switch header.kind {
    case .scanRequest where kind == .connectable || kind == .scannable:
      return !advertisingEvent.filtersScans || acceptList.contains(pdu, at: 2, header.sender)
        ? .scanRequest : kind
    case .connect where kind == .connectable:
      return !advertisingEvent.filtersConnections || acceptList.contains(pdu, at: 2, header.sender)
        ? .connect : kind
    case .connect where kind == .directed:
      let isTarget =
        isSameAddress(pdu, 2, advertisement.span, 8) && header.sender.rawValue == advertisement[0] &>> 7
      return isTarget ? .connect : kind
    default: return kind
    }
  }

  private mutating func nextAdvertisingChannel(after end: RadioTime) {
    radio.proceed(.stop)
    let start = end + Peripheral.leadTime + 50
    let needed = AdvertisingEvent.channelTime &+ AdvertisingEvent.answerTime
    let channel = advertisingEvent.next(after: advertisingEvent.channel)
    guard channel < 40, !advertisingEvent.limit.isBefore(start + needed) else {
      times.isShortened = channel < 40
      isDone = true
      return
    }
    advertisingEvent.channel = channel
    advertise(at: start)
  }

  mutating func advertise(at start: RadioTime) {
    advertisingEvent.phase = .advertise
    copyPDU(advertisement.span, into: radio.outgoing())
    radio.start(
      .transmit(
        at: start, channel: advertisingEvent.channel, accessAddress: AccessAddress.advertising.rawValue,
        crcInit: PacketCRC.advertisingInit, longestPayload: 37))
  }
}

/// Copies the PDU at the beginning of `source`; the second byte of its header is the length of the payload.
@inline(never)
func copyPDU(_ source: Span<UInt8>, into target: consuming MutableSpan<UInt8>) {
  let size = min(min(source.count, target.count), Int(source[1]) &+ 2)
  var index = 0
  while index < size {
    target[unchecked: index] = source[unchecked: index]
    index &+= 1
  }
}

/// Whether six bytes of two PDUs are equal.
@inline(never)
func isSameAddress(_ left: Span<UInt8>, _ leftStart: Int, _ right: Span<UInt8>, _ rightStart: Int) -> Bool {
  guard left.count >= leftStart &+ 6, right.count >= rightStart &+ 6 else { return false }
  var index = 0
  while index < 6 {
    if left[unchecked: leftStart &+ index] != right[unchecked: rightStart &+ index] { return false }
    index &+= 1
  }
  return true
}
