import HeraldBluetooth
import HeraldHAL

// The radio interrupt of a connection event.
extension EventExchange where Peripheral: ~Copyable {
  mutating func connectionOutcome(_ outcome: RadioOutcome) {
    let isCentral = table[Int(connectionEvent.connection)].role == .central
    switch outcome.kind {
    case .late, .silent: finish()
    case .sent:
      connectionEvent.acknowledgedControl = true
      if isCentral || connectionEvent.peerHasMore || connectionEvent.hasMore,
        isCentral || hasTime(for: 2, after: outcome.end)
      {
        radio.proceed(.receiveAfterSpace)
      } else {
        finish()
      }
    case .damaged: damagedPacket(outcome, isCentral: isCentral)
    case .received:
      guard let header = DataHeader(of: radio.incoming()) else {
        damagedPacket(outcome, isCentral: isCentral)
        return
      }
      receivedPacket(header, outcome, isCentral: isCentral)
    }
  }

  /// The first packet of the central determines the anchor point, regardless of its content.
  private mutating func anchor(_ outcome: RadioOutcome) {
    guard !connectionEvent.hasAnchor else { return }
    connectionEvent.hasAnchor = true
    connectionEvent.anchor = outcome.start
  }

  /// Whether further packets may be exchanged in the event.
  private func hasTime(for packets: UInt32, after end: RadioTime) -> Bool {
    !isPauseRequested && connectionEvent.hasTime(for: packets, after: end)
  }

  /// A packet with a wrong CRC acknowledges no PDU. The link layer responds to it nevertheless, so that the
  /// peer can retransmit in the same event; two in succession end the event (4.5.6).
  private mutating func damagedPacket(_ outcome: RadioOutcome, isCentral: Bool) {
    anchor(outcome)
    connectionEvent.damaged &+= 1
    // The MD bit of the packet is unknown.
    connectionEvent.peerHasMore = true
    guard connectionEvent.damaged < 2, !isCentral || hasTime(for: 2, after: outcome.end)
    else {
      finish()
      return
    }
    load(after: outcome.end)
    radio.proceed(.transmitAfterSpace)
  }

  private mutating func receivedPacket(_ header: DataHeader, _ outcome: RadioOutcome, isCentral: Bool) {
    let connection = Int(connectionEvent.connection)
    anchor(outcome)
    connectionEvent.damaged = 0
    connectionEvent.wasReceived = true
    connectionEvent.receivedAt = outcome.end
    connectionEvent.rssi = outcome.rssi
    connectionEvent.peerHasMore = header.hasMore
    switch table[connection].acknowledgement.acknowledged(by: header) {
    case .control: table[connection].controlAcknowledged = true
    case .data:
      table[connection].data.removeFirst()
      if table[connection].wantsReady { hasNews = true }
    case .nothing, .empty: break
    }
    let content = accept(header, connection)
    let goesOn =
      !isCentral
      || (header.hasMore || connectionEvent.hasMore) && hasTime(for: 2, after: outcome.end)
    if goesOn {
      load(after: outcome.end)
      radio.proceed(.transmitAfterSpace)
    } else {
      finish()
    }
    // The response is being transmitted, which leaves time to copy the received PDU.
    switch content {
    case .reserved: break
    case .control: table[connection].inbox.copy(radio.incoming(), from: 2)
    case .start, .continuation:
      payloads.append(radio.incoming(), isStart: content == .start, of: connectionEvent.connection)
      hasNews = true
    }
  }

  /// Acknowledges a new PDU if there is room for it. Returns the content to be copied: `.reserved` means that
  /// no payload is copied.
  private mutating func accept(_ header: DataHeader, _ connection: Int) -> DataHeader.Content {
    guard table[connection].acknowledgement.isNew(header) else { return .reserved }
    var content = header.content
    if header.length == 0 { content = .reserved }
    switch content {
    case .reserved: break
    case .control:
      // One control PDU at a time: the next is accepted after this one has been processed.
      guard table[connection].inbox.count == 0 else { return .reserved }
      connectionEvent.acknowledgedControl = false
    case .start, .continuation:
      guard !payloads.isFull else { return .reserved }
    }
    table[connection].acknowledgement.accept()
    return content
  }

  /// Writes the next PDU into the buffer of the radio. Its packet begins 150 µs after `end`.
  mutating func load(after end: RadioTime) {
    let connection = Int(connectionEvent.connection)
    let hasControl = table[connection].control.count > 0 && !table[connection].controlAcknowledged
    let waiting = table[connection].data.waiting
    table[connection].acknowledgement.choose(hasControl ? .control : waiting > 0 ? .data : .empty)
    // A packet with MD set causes the peer to respond and to continue listening: there must be time for both
    // packets, and for that which follows; after the packet of a peripheral the event can end.
    let mayGoOn = hasTime(for: table[connection].role == .central ? 4 : 3, after: end)
    // A host whose payload was refused appends it before the next packet, or soon after.
    let willFollow = table[connection].wantsReady || connectionEvent.awaitsPayload(isIdle: waiting == 0)
    switch table[connection].acknowledgement.inFlight {
    case .nothing, .empty:
      let header = table[connection].acknowledgement.header(
        .continuation, hasMore: mayGoOn && (hasControl || waiting > 0 || willFollow), length: 0)
      put(header)
    case .control:
      let header = table[connection].acknowledgement.header(
        .control, hasMore: mayGoOn && (waiting > 0 || willFollow), length: table[connection].control.count)
      put(header)
      table[connection].control.write(into: radio.outgoing())
    case .data:
      let header = table[connection].acknowledgement.header(
        table[connection].data.first.isStart ? .start : .continuation,
        hasMore: mayGoOn && (hasControl || waiting > 1 || willFollow),
        length: table[connection].data.first.count)
      put(header)
      table[connection].data.first.write(into: radio.outgoing())
    }
  }

  private mutating func put(_ header: DataHeader) {
    connectionEvent.hasMore = header.hasMore
    var pdu = radio.outgoing()
    pdu[0] = header.firstByte
    pdu[1] = header.length
  }
}
