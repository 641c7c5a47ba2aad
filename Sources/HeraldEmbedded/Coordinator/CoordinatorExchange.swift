// What happens on connections: those we open to read a payload, and those peers open to read ours.

extension HeraldCore: RadioEventHandler
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// The radio became usable, or stopped being so; then every connection is gone and what was wanted is
  /// stated again later.
  @inlinable
  public mutating func radioChanged(_ state: RadioState, at now: Instant) {
    context.now = now
    context.hasNews = true
    showState(state)
    radioState = state
    shownScan = nil
    advertising.radioForgot()
    scanning.radioForgot(at: now)
    if peers.attempt.isActive {
      peers.table.setHeld(Int(peers.attempt.place), false)
      peers.attempt = Attempt()
    }
    surplus = 0
    var index = 0
    while index < connections {
      forget(index)
      index &+= 1
    }
    peers.workAt = now
  }

  /// A connection was opened.
  @inlinable
  public mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {
    context.now = now
    context.hasNews = true
    let index = opened.connection.index
    var isOurs = false
    if opened.role == .central, peers.attempt.isActive {
      isOurs = true
      peers.attempt.isActive = false
      peers.chargeAttempt(&context)
    }
    guard index >= 0, index < connections else {
      // More connections than there is memory for: `run` closes them, as long as the radio has them.
      context.sink.count(.connectionsRefused)
      surplus |= index >= 0 && index < 32 ? 1 &<< UInt32(truncatingIfNeeded: index) : 0
      surplusAt = now
      if isOurs { peers.postpone(Int(peers.attempt.place), .connectionsRefused, &context) }
      return
    }
    forget(index)  // in case an event was lost
    if index < 32 { values.former &= ~(1 &<< UInt32(truncatingIfNeeded: index)) }
    server.opened(opened.connection)
    links[index].peer = opened.peer
    openAccount(index)
    links[index].lastAsked = now
    links[index].openedAt = now
    context.sink.delegate.tell(
      .debug, "a connection was opened: its number, 1 if by us", Int32(truncatingIfNeeded: index),
      isOurs ? 1 : 0,
      at: now)
    switch opened.role {
    case .peripheral:
      context.sink.count(.connectionsIn)
      links[index].step = .serving
      links[index].isPeers = true
      links[index].end = context.after(context.configuration.servingLife)
      // Two devices may call each other at the same moment. One connection is all there can be: ours is tried
      // again later.
      if peers.attempt.isActive, !peers.attempt.isCancelled,
        peers.table[Int(peers.attempt.place)].address == opened.peer
      {
        peers.cutAttempt(&context)
      }
      if peers.strangers.isShort { peers.welcome(opened.peer, &context) }
      readBack(index)
    case .central:
      context.sink.count(isOurs ? .connectionsOut : .connectionsRefused)
      links[index].end = context.after(context.configuration.exchangeLife)
      guard isOurs, !links.isAtWork(with: peers.attempt.place) else {
        close(index)
        return
      }
      beginExchange(with: peers.attempt.place, index)
    }
  }

  /// The attempt to connect ended without a connection.
  @inlinable
  public mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {
    context.now = now
    guard peers.attempt.isActive else { return }
    context.hasNews = true
    peers.chargeAttempt(&context)
    let ended = peers.attempt
    peers.attempt = Attempt()
    peers.workAt = now
    let place = Int(ended.place)
    guard !links.isAtWork(with: ended.place) else {
      context.sink.count(.attemptsCut)  // the peer's own connection is being used
      return
    }
    if ended.isCancelled, ended.isCut {
      // The peer did not have the time it is entitled to: nothing is held against it.
      context.sink.count(.attemptsCut)
      peers.table.setHeld(place, false)
      peers.leaveAlone(place, for: context.configuration.firstRetry, &context)
    } else {
      peers.postpone(place, ended.isCancelled ? .attemptTimeouts : .attemptsFailed, &context)
    }
  }

  /// A connection ended.
  @inlinable
  public mutating func connectionClosed(
    _ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant
  ) {
    context.now = now
    context.hasNews = true
    let index = connection.index
    guard index >= 0, index < connections else {
      if index >= 0, index < 32 { surplus &= ~(1 &<< UInt32(truncatingIfNeeded: index)) }
      return
    }
    if links[index].step.isWorking {
      let place = Int(links[index].place)
      if links[index].isPeers {
        // The peer was done with its own connection before we were: nothing is held against it.
        context.sink.count(.exchangesDropped)
        peers.leaveAlone(place, for: .zero, andUpTo: 1023, &context)
      } else {
        fail(index, .exchangesDropped)
        // It did not understand our request, as happens when several ask at the same moment.
        if reason == .failedToBeEstablished { peers.askAgainSoon(place, &context) }
      }
    }
    context.sink.delegate.tell(
      .debug, "a connection ended: its number", Int32(truncatingIfNeeded: index), at: now)
    forget(index)
    peers.workAt = now
  }

  /// A PDU arrived: an answer to one of our requests, or a request of the peer's that is answered in its
  /// place.
  @inlinable @inline(never)
  public mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    context.now = now
    let index = connection.index
    guard index >= 0, index < connections, count > 0, count <= buffer.count, links[index].step != .closed
    else { return 0 }
    guard ATTOpcode(rawValue: buffer[0]).isForClient else {
      links[index].lastAsked = now
      let isIndicating = NeighbourType.Services.changes && server.isIndicating(connection)
      let isFormer = NeighbourType.Services.changes && values.isFormer(connection)
      let length = server.respond(
        to: &buffer, count: count, on: connection, at: now, from: services.database(isFormer: isFormer),
        values: &values)
      if isIndicating { noteConfirmation(index) }
      takeSignal(index)
      if NeighbourType.systems > 0 { noteNeighbours(index) }
      return length
    }
    context.hasNews = true
    guard case .indication = take(buffer.span.extracting(0..<count), index) else { return 0 }
    buffer[0] = GATTClient.confirmation
    return 1
  }

  /// A connection takes PDUs again: `run` sends.
  @inlinable
  public mutating func readyToSend(on connection: ConnectionID, at now: Instant) { context.hasNews = true }

  /// A strength was measured on a connection: it counts like that of an advertisement.
  @inlinable
  public mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {
    context.now = now
    let index = connection.index
    guard index >= 0, index < connections, links[index].holdsTarget else { return }
    let place = Int(links[index].place)
    links[index].lastAsked = now
    peers.table.touch(place, at: now)
    peers.measure(place, peers.table[place].identity, rssi, &context)
  }

  // MARK: One connection for both

  /// A peer opened a connection. If it is one whose payload we want, we read it over the same connection: one
  /// is enough for both, and in a crowd every connection less counts (HP-21). This is for devices like this
  /// one: phones, which show how strongly they send or a pseudo device address, are met on connections of
  /// ours, as their applications expect.
  @inlinable
  mutating func readBack(_ index: Int) {
    guard context.configuration.scans, let place = peers.table.find(TargetIdentity(links[index].peer)),
      peers.table[place].state == .advertised || peers.table[place].state == .confirmed,
      peers.table[place].txPower == Target.noTxPower,
      !peers.table[place].isHeld || peers.attempt.isActive && Int(peers.attempt.place) == place,
      peers.task(for: place, &context) == .meet || peers.task(for: place, &context) == .readPayload
    else { return }
    peers.table.setHeld(place, true)
    beginExchange(with: UInt16(truncatingIfNeeded: place), index)
  }

  /// Begins to do on a connection what a peer, whose place is held, is owed.
  @inlinable @inline(never)
  mutating func beginExchange(with place: UInt16, _ index: Int) {
    links[index].place = place
    links[index].holdsTarget = true
    enter(server.maximumMTU > ATTLimits.defaultMTU ? .exchangeMTU : .findShortService, index)
  }

  /// How long a connection of ours stays open for a peer that asks us something on it, since it asked last:
  /// two requests at the usual interval, and some more.
  @inlinable
  static var lingering: Interval { .milliseconds(200) }

  /// Our work on a connection is done: closes it, unless the peer opened it or is at work on it itself.
  @inlinable
  mutating func leave(_ index: Int) {
    guard links[index].isPeers || links[index].lastAsked > links[index].openedAt else {
      close(index)
      return
    }
    // Not more than what is ours: the peer may be in the middle of a message.
    freeBuffer(index)
    if links[index].holdsTarget {
      links[index].holdsTarget = false
      peers.releaseHold(Int(links[index].place), &context)
    }
    links[index].client = GATTClient()
    links[index].step = .serving
    links[index].task = .nothing
  }
}
