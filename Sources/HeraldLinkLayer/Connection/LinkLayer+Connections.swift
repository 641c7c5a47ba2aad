import HeraldBluetooth
import HeraldHAL

// In the radio interrupt.
extension LinkLayer where Peripheral: ~Copyable {
  mutating func connectionOutcome(_ outcome: RadioOutcome) {
    let isCentral = links[Int(connectionEvent.link)].role == .central
    switch outcome.kind {
    case .late, .silent: finish()
    case .sent:
      connectionEvent.acknowledgedControl = true
      if isCentral || connectionEvent.peerHasMore || connectionEvent.hasMore,
        isCentral || connectionEvent.hasTime(for: 2, after: outcome.end)
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

  /// The first packet of a central is the anchor, whatever is in it.
  private mutating func anchor(_ outcome: RadioOutcome) {
    guard !connectionEvent.hasAnchor else { return }
    connectionEvent.hasAnchor = true
    connectionEvent.anchor = outcome.start
  }

  /// A damaged packet acknowledges nothing. It is answered nevertheless, so that the peer need not wait for
  /// the next event; two in a row end this one (4.5.6).
  private mutating func damagedPacket(_ outcome: RadioOutcome, isCentral: Bool) {
    anchor(outcome)
    connectionEvent.damaged &+= 1
    // What it said of more to come is unknown.
    connectionEvent.peerHasMore = true
    guard connectionEvent.damaged < 2, !isCentral || connectionEvent.hasTime(for: 2, after: outcome.end)
    else {
      finish()
      return
    }
    load(after: outcome.end)
    radio.proceed(.transmitAfterSpace)
  }

  private mutating func receivedPacket(_ header: DataHeader, _ outcome: RadioOutcome, isCentral: Bool) {
    let link = Int(connectionEvent.link)
    anchor(outcome)
    connectionEvent.damaged = 0
    connectionEvent.wasHeard = true
    connectionEvent.heard = outcome.end
    connectionEvent.rssi = outcome.rssi
    connectionEvent.peerHasMore = header.hasMore
    switch links[link].acknowledgement.acknowledged(by: header) {
    case .control: links[link].controlAcknowledged = true
    case .data: links[link].dataAcknowledged &+= 1
    case .nothing, .empty: break
    }
    let content = accept(header, link)
    let goesOn =
      !isCentral
      || (header.hasMore || connectionEvent.hasMore) && connectionEvent.hasTime(for: 2, after: outcome.end)
    if goesOn {
      load(after: outcome.end)
      radio.proceed(.transmitAfterSpace)
    } else {
      finish()
    }
    // The answer is under way: there is time to copy what came.
    switch content {
    case .reserved: break
    case .control: links[link].inbox.copy(radio.incoming(), from: 2)
    case .start, .continuation:
      let place = Int(arrivedCount)
      arrived[place].link = connectionEvent.link
      arrived[place].isStart = content == .start
      arrived[place].copy(radio.incoming(), from: 2)
      arrivedCount &+= 1
    }
  }

  /// Acknowledges a PDU that is new and for which there is room. Returns what is to be copied: `.reserved` is
  /// nothing.
  private mutating func accept(_ header: DataHeader, _ link: Int) -> DataHeader.Content {
    guard links[link].acknowledgement.isNew(header) else { return .reserved }
    var content = header.content
    if header.length == 0 { content = .reserved }
    switch content {
    case .reserved: break
    case .control:
      // One at a time: the next when this one has been looked at.
      guard links[link].inbox.count == 0 else { return .reserved }
      connectionEvent.acknowledgedControl = false
    case .start, .continuation:
      guard connectionEvent.room > 0 else { return .reserved }
      connectionEvent.room &-= 1
    }
    links[link].acknowledgement.accept()
    return content
  }

  /// Puts what is to be sent where the radio takes it from. The packet begins 150 µs after `end`.
  mutating func load(after end: RadioTime) {
    let link = Int(connectionEvent.link)
    let hasControl = links[link].control.count > 0 && !links[link].controlAcknowledged
    let waiting = links[link].offered &- links[link].dataAcknowledged
    links[link].acknowledgement.choose(hasControl ? .control : waiting > 0 ? .data : .empty)
    // A packet that says there is more has the other side answer and listen: there must be time for both.
    let mayGoOn = connectionEvent.hasTime(for: 4, after: end)
    switch links[link].acknowledgement.inFlight {
    case .nothing, .empty:
      let header = links[link].acknowledgement.header(
        .continuation, hasMore: mayGoOn && (hasControl || waiting > 0), length: 0)
      put(header)
    case .control:
      let header = links[link].acknowledgement.header(
        .control, hasMore: mayGoOn && waiting > 0, length: links[link].control.count)
      put(header)
      links[link].control.write(into: radio.outgoing())
    case .data:
      let place = Int((links[link].head &+ links[link].dataAcknowledged) & 1)
      let header = links[link].acknowledgement.header(
        links[link].data[place].isStart ? .start : .continuation,
        hasMore: mayGoOn && (hasControl || waiting > 1),
        length: links[link].data[place].count)
      put(header)
      links[link].data[place].write(into: radio.outgoing())
    }
  }

  private mutating func put(_ header: DataHeader) {
    connectionEvent.hasMore = header.hasMore
    var pdu = radio.outgoing()
    pdu[0] = header.firstByte
    pdu[1] = header.length
  }
}

// Below it.
extension LinkLayer where Peripheral: ~Copyable {
  /// The lowest free place, −1 if there is none.
  mutating func freePlace() -> Int {
    var index = 0
    while index < connections {
      if links[index].life == .free { return index }
      index &+= 1
    }
    return -1
  }

  /// A CONNECT_IND was sent or received.
  mutating func open(_ request: ConnectRequest, _ role: ConnectionRole, end: RadioTime, at place: Int) {
    // A central's windows are its own: nothing drifts.
    let both = radio.clockDeviation &+ request.clockAccuracy.partsPerMillion
    let deviation = role == .central ? 0 : both
    links[place].open(request, role, end: end, deviation: deviation)
  }

  /// Begins the next event of a connection, which must be over at `limit`.
  mutating func beginConnectionEvent(_ index: Int, limit: RadioTime) {
    prepare(index)
    let room = UInt8(truncatingIfNeeded: 6 &- fragments.count)
    connectionEvent = ConnectionEvent(link: UInt8(truncatingIfNeeded: index), limit: limit, room: room)
    arrivedCount = 0
    activity = .connection
    if links[index].role == .central {
      eventStart = links[index].timing.nominal
      load(after: links[index].timing.nominal)
      radio.start(
        .transmit(
          at: links[index].timing.nominal, channel: links[index].timing.channel,
          accessAddress: links[index].accessAddress,
          crcInit: links[index].crcInit, longestPayload: 27))
    } else {
      let widening = links[index].timing.widening
      eventStart = links[index].timing.nominal - widening
      // The access address is over 40 µs after the first bit.
      radio.start(
        .receive(
          from: eventStart, window: 2 &* widening &+ links[index].timing.window &+ 41,
          channel: links[index].timing.channel, accessAddress: links[index].accessAddress,
          crcInit: links[index].crcInit, longestPayload: 27))
    }
  }

  /// What the event may send is settled before it begins.
  private mutating func prepare(_ index: Int) {
    if links[index].wantsTermination, links[index].control.count == 0 {
      say(.terminate(reason: DisconnectReason.remoteUserTerminated.rawValue), on: index)
      links[index].wantsTermination = false
    }
    links[index].offered = links[index].queued
    links[index].dataAcknowledged = 0
    links[index].controlAcknowledged = false
    links[index].skipped = 0
  }

  /// An event is over.
  mutating func connectionEnded(_ index: Int) {
    let event = connectionEvent
    if links[index].role == .peripheral, event.hasAnchor { links[index].timing.synchronize(at: event.anchor) }
    if event.wasHeard {
      links[index].timing.hear(at: event.heard)
      links[index].rssi = event.rssi
    } else {
      counters.eventsSilent &+= 1
    }
    var place = 0
    while place < Int(arrivedCount) {
      // The event took in no more than there was room for.
      _ = fragments.append(arrived[place])
      place &+= 1
    }
    arrivedCount = 0
    takeAcknowledgements(index)
    if links[index].life == .open { control(index) }
    if links[index].isTerminating, event.acknowledgedControl { links[index].close(links[index].reason) }
    // A peripheral that has nothing to say, and was told nothing, may pass over some events (4.5.1).
    let mayRest =
      links[index].role == .peripheral && event.wasHeard && !event.peerHasMore && !links[index].isBusy
    goOn(index, by: mayRest ? links[index].timing.latency &+ 1 : 1)
  }

  private mutating func takeAcknowledgements(_ index: Int) {
    if links[index].controlAcknowledged {
      links[index].controlAcknowledged = false
      links[index].control.count = 0
      if links[index].control.bytes[0] == ControlOpcode.terminate { links[index].close(.localHostTerminated) }
    }
    links[index].queued &-= links[index].dataAcknowledged
    links[index].head = (links[index].head &+ links[index].dataAcknowledged) & 1
    links[index].dataAcknowledged = 0
    links[index].offered = 0
  }

  /// Goes on to a later event, unless the peer is lost.
  mutating func goOn(_ index: Int, by events: UInt16) {
    guard links[index].life == .open else { return }
    links[index].timing.advance(by: events)
    if links[index].timing.isLost {
      links[index].close(whyLost(index))
    } else if links[index].hasDeadline, links[index].deadline.isBefore(links[index].timing.nominal) {
      // The peer hears us and does not acknowledge that it is over (5.1.6).
      links[index].close(.localHostTerminated)
    }
  }

  private mutating func whyLost(_ index: Int) -> DisconnectReason {
    if links[index].isTerminating { return links[index].reason }
    if links[index].hasDeadline || links[index].wantsTermination { return .localHostTerminated }
    return links[index].timing.isEstablished ? .connectionTimeout : .failedToBeEstablished
  }
}
