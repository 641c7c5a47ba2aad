// What happens on connections: those we open to read a payload, and those peers open to read ours.

extension HeraldCore: RadioEventHandler
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// The radio became usable, or stopped being so; then every connection is gone and what was wanted is stated again later.
  @inlinable
  public mutating func radioChanged(_ state: RadioState, at now: Instant) {
    hasNews = true
    if (radioState == .ready) != (state == .ready) {
      delegate.didUpdateState(state == .ready ? .on : .off, at: now)
    }
    radioState = state
    shownScan = nil
    advertising.radioForgot()
    scanning.radioForgot(at: now)
    if attempt.isActive {
      table.setHeld(Int(attempt.place), false)
      attempt = Attempt()
    }
    surplus = 0
    var index = 0
    while index < connections {
      forget(index)
      index &+= 1
    }
    workAt = now
  }

  /// A connection was opened.
  @inlinable
  public mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {
    hasNews = true
    let index = opened.connection.index
    var isOurs = false
    if opened.role == .central, attempt.isActive {
      isOurs = true
      attempt.isActive = false
    }
    guard index >= 0, index < connections else {
      // More connections than there is memory for: `run` closes them, as long as the radio has them.
      counters.count(.connectionsRefused)
      surplus |= index >= 0 && index < 32 ? 1 &<< UInt32(truncatingIfNeeded: index) : 0
      surplusAt = now
      if isOurs { postpone(Int(attempt.place), .connectionsRefused, at: now) }
      return
    }
    forget(index)  // in case an event was lost
    server.opened(opened.connection)
    links[index].peer = opened.peer
    links[index].lastAsked = now
    switch opened.role {
    case .peripheral:
      counters.count(.connectionsIn)
      links[index].step = .serving
      links[index].end = now + configuration.servingLife
      // Two devices may call each other at the same moment. One connection is all there can be: ours is tried again later.
      if attempt.isActive, !attempt.isCancelled, table[Int(attempt.place)].address == opened.peer {
        attempt.isCut = true
        attempt.deadline = now
      }
    case .central:
      counters.count(isOurs ? .connectionsOut : .connectionsRefused)
      links[index].end = now + configuration.exchangeLife
      guard isOurs else {
        close(index, at: now)
        return
      }
      links[index].place = attempt.place
      links[index].holdsTarget = true
      enter(server.maximumMTU > ATTLimits.defaultMTU ? .exchangeMTU : .findShortService, index, at: now)
    }
  }

  /// The attempt to connect ended without a connection.
  @inlinable
  public mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {
    guard attempt.isActive else { return }
    hasNews = true
    let ended = attempt
    attempt = Attempt()
    workAt = now
    let place = Int(ended.place)
    if ended.isCancelled, ended.isCut {
      // The peer did not have the time it is entitled to: nothing is held against it.
      counters.count(.attemptsCut)
      table.setHeld(place, false)
      table[place].retryAt = now + configuration.firstRetry
    } else {
      postpone(place, ended.isCancelled ? .attemptTimeouts : .attemptsFailed, at: now)
    }
  }

  /// A connection ended.
  @inlinable
  public mutating func connectionClosed(
    _ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant
  ) {
    hasNews = true
    let index = connection.index
    guard index >= 0, index < connections else {
      if index >= 0, index < 32 { surplus &= ~(1 &<< UInt32(truncatingIfNeeded: index)) }
      return
    }
    if links[index].step.isWorking { fail(index, .exchangesDropped, at: now) }
    forget(index)
    workAt = now
  }

  /// A PDU arrived: an answer to one of our requests, or a request of the peer's that is answered in its place.
  @inlinable
  public mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    let index = connection.index
    guard index >= 0, index < connections, count > 0, count <= buffer.count, links[index].step != .closed
    else { return 0 }
    guard ATTOpcode(rawValue: buffer[0]).isForClient else {
      links[index].lastAsked = now
      return server.respond(to: &buffer, count: count, on: connection, at: now, values: &values)
    }
    hasNews = true
    guard case .indication = take(buffer.span.extracting(0..<count), index, at: now) else { return 0 }
    buffer[0] = GATTClient.confirmation
    return 1
  }

  /// A connection takes PDUs again: `run` sends.
  @inlinable
  public mutating func readyToSend(on connection: ConnectionID, at now: Instant) { hasNews = true }

  /// A strength was measured on a connection: it counts like that of an advertisement.
  @inlinable
  public mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {
    let index = connection.index
    guard index >= 0, index < connections, links[index].holdsTarget else { return }
    let place = Int(links[index].place)
    measure(place, table[place].identity, rssi, at: now)
  }

  // MARK: Steps of an exchange

  /// Begins a step: asks what it asks, or does what its end demands.
  @inlinable
  mutating func enter(_ step: ExchangeStep, _ index: Int, at now: Instant) {
    links[index].step = step
    let procedure: GATTProcedure
    switch step {
    case .exchangeMTU: procedure = .exchangeMTU(server.maximumMTU)
    case .findShortService: procedure = .discoverService16(HeraldUUIDs.shortService)
    case .findLongService: procedure = .discoverService128(HeraldUUIDs.service)
    case .findCharacteristics: procedure = .discoverCharacteristics(links[index].service)
    case .readPayload:
      confirm(index, at: now)
      guard let buffer = values.pool.claim(ConnectionID(index: index), .reading) else {
        fail(index, .exchangesWithoutBuffer, at: now)
        return
      }
      links[index].buffer = UInt8(truncatingIfNeeded: buffer &+ 1)
      procedure = .readLong(links[index].payloadHandle)
    case .succeeded:
      keepPayload(index, at: now)
      return
    case .withoutService:
      ignore(index, at: now)
      return
    case .failed, .closed, .closing, .serving: return
    }
    if !links[index].client.begin(procedure, stepTimeout: configuration.stepTimeout) {
      fail(index, .exchangesMalformed, at: now)
    }
  }

  /// Goes on with the exchange after its present step.
  @inlinable
  mutating func advance(_ index: Int, _ outcome: ExchangeStep.Outcome, at now: Instant) {
    enter(links[index].step.next(after: outcome), index, at: now)
  }

  /// Takes in a PDU for our client and goes on from what it brings about, which is returned.
  @inlinable
  mutating func take(_ pdu: Span<UInt8>, _ index: Int, at now: Instant) -> GATTClientEvent {
    let event = links[index].client.receive(pdu, mtu: server.mtu(ConnectionID(index: index)))
    let step = links[index].step
    guard step.isWorking else { return event }
    switch event {
    case .none, .notification, .indication: break
    case .mtu(let mtu):
      server.agreed(peerMTU: mtu, on: ConnectionID(index: index))
      advance(index, .found, at: now)
    case .service(let range):
      links[index].service = range
      advance(index, .found, at: now)
    case .characteristics(let isLast):
      note(pdu, index)
      if isLast { advance(index, links[index].payloadHandle == 0 ? .absent : .found, at: now) }
    case .value(let offset, let from):
      if !put(pdu, from, at: offset, index) { fail(index, .exchangesMalformed, at: now) }
    case .lastValue(let offset, let from):
      if put(pdu, from, at: offset, index) {
        advance(index, .found, at: now)
      } else {
        fail(index, .exchangesMalformed, at: now)
      }
    case .finished:
      switch step {
      case .findCharacteristics: advance(index, links[index].payloadHandle == 0 ? .absent : .found, at: now)
      case .readPayload: advance(index, .found, at: now)
      default: advance(index, .absent, at: now)
      }
    case .failed(let failure):
      switch failure {
      case .refused where step == .exchangeMTU: advance(index, .absent, at: now)
      case .refused: fail(index, .exchangesRefused, at: now)
      case .timeout: fail(index, .exchangesTimedOut, at: now)
      default: fail(index, .exchangesMalformed, at: now)
      }
    }
    return event
  }

  /// Notes which of the service's characteristics are there. Which signal characteristic it is tells the peer's system.
  @inlinable
  mutating func note(_ pdu: Span<UInt8>, _ index: Int) {
    var characteristics = GATTCharacteristics(pdu)
    while let found = characteristics.next() {
      if found.uuid == HeraldUUIDs.payload, links[index].payloadHandle == 0 {
        links[index].payloadHandle = found.value
      } else if found.uuid == HeraldUUIDs.compliantSignal {
        links[index].system = .compliant
      } else if found.uuid == HeraldUUIDs.otherSignal, links[index].system == .unknown {
        links[index].system = .iOS
      }
    }
  }

  /// Puts the bytes of `pdu` from `from` on at their place in the peer's payload.
  @inlinable
  mutating func put(_ pdu: Span<UInt8>, _ from: Int, at offset: Int, _ index: Int) -> Bool {
    let buffer = Int(links[index].buffer) &- 1
    guard buffer >= 0, from >= 0, from <= pdu.count else { return false }
    return values.pool.buffers[buffer].put(pdu.extracting(from..<pdu.count), at: offset)
  }

  /// The Herald service was seen: the peer is what it seemed to be.
  @inlinable
  mutating func confirm(_ index: Int, at now: Instant) {
    let place = Int(links[index].place)
    table[place].system = links[index].system
    if table[place].state != .confirmed {
      table[place].state = .confirmed
      record(.heraldDetected(table[place].identity), at: now)
    }
  }

  /// The payload is here: logs and reports it, and closes the connection (HP-22).
  @inlinable
  mutating func keepPayload(_ index: Int, at now: Instant) {
    let place = Int(links[index].place)
    let buffer = Int(links[index].buffer) &- 1
    guard buffer >= 0 else { return }
    let length = Int(values.pool.buffers[buffer].length)
    guard length > 0, length <= Payload.maximumLength else {
      fail(index, .exchangesMalformed, at: now)
      return
    }
    let identity = table[place].identity
    let digest = values.pool.buffers[buffer].digest()
    let isKnown = table.find(payloadDigest: digest, otherThan: place) != nil
    if !values.pool.buffers[buffer].record(.read(identity), in: &log, at: now, clock: clock) {
      counters.count(.logErrors)
    }
    values.pool.buffers[buffer].report(to: &delegate, identity, known: isKnown, at: now)

    counters.count(.reads)
    if isKnown { counters.count(.readsOfKnown) }
    table[place].payloadDigest = digest
    table[place].state = .read
    table[place].failures = 0
    table[place].ignores = 0
    table.setOwesWork(place, false)
    if mayShare(place) { values.pool.buffers[buffer].keep(in: &sharing, of: place, in: &table) }
    let rssi = table[place].lastRSSI
    if rssi.isAvailable {
      delegate.didMeasureWithPayload(identity, rssi, payloadDigest: digest, at: now)
    }
    close(index, at: now)
  }

  /// The peer has no Herald service: leaves it alone for a while, longer each time.
  @inlinable
  mutating func ignore(_ index: Int, at now: Instant) {
    counters.count(.withoutService)
    let place = Int(links[index].place)
    table[place].ignores &+= 1
    table[place].state = .ignored
    table[place].failures = 0
    table[place].retryAt = now + HeraldConfiguration.ignoreDelay(ignores: table[place].ignores)
    table.setOwesWork(place, false)
    close(index, at: now)
  }

  /// The exchange failed: counts why, leaves the peer alone for a while, longer each time, and closes the connection.
  @inlinable
  mutating func fail(_ index: Int, _ cause: CoordinatorCounter, at now: Instant) {
    links[index].step = .failed
    if links[index].holdsTarget {
      links[index].holdsTarget = false
      postpone(Int(links[index].place), cause, at: now)
    } else {
      counters.count(cause)
    }
    close(index, at: now)
  }

  /// Counts a failure and says when the peer may be tried again. Up to a second of chance keeps two devices that try each other
  /// from doing so in step.
  @inlinable
  mutating func postpone(_ place: Int, _ cause: CoordinatorCounter, at now: Instant) {
    counters.count(cause)
    table.setHeld(place, false)
    table[place].failures &+= 1
    let delay = HeraldConfiguration.retryDelay(
      failures: table[place].failures, first: configuration.firstRetry, longest: configuration.longestRetry)
    table[place].retryAt = now + delay + .milliseconds(random.next() & 1023)
    workAt = now
  }

  /// Has the connection closed: `run` asks the radio, again and again until it is (HP-02).
  @inlinable
  mutating func close(_ index: Int, at now: Instant) {
    letGo(index)
    links[index].step = .closing
    links[index].end = now
  }

  /// Lets go of what an exchange holds.
  @inlinable
  mutating func letGo(_ index: Int) {
    if links[index].holdsTarget {
      links[index].holdsTarget = false
      table.setHeld(Int(links[index].place), false)
    }
    links[index].buffer = 0
    links[index].client = GATTClient()
    values.pool.release(ConnectionID(index: index))
  }

  /// The connection is gone.
  @inlinable
  mutating func forget(_ index: Int) {
    guard links[index].step != .closed else { return }
    letGo(index)
    server.closed(ConnectionID(index: index))
    links[index] = Link()
  }
}
