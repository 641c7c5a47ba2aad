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
    presence.advertising.radioForgot()
    scanning.radioForgot(at: now)
    if peers.attempt.isActive {
      peers.table.setHeld(Int(peers.attempt.place), false)
      peers.attempt = Attempt()
    }
    exchanges.surplus = 0
    var index = 0
    while index < connections {
      exchanges.forget(index, &serving, &peers, &context)
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
      exchanges.surplus |= index >= 0 && index < 32 ? 1 &<< UInt32(truncatingIfNeeded: index) : 0
      exchanges.surplusAt = now
      if isOurs { peers.postpone(Int(peers.attempt.place), .connectionsRefused, &context) }
      return
    }
    exchanges.forget(index, &serving, &peers, &context)  // in case an event was lost
    if index < 32 { serving.values.former &= ~(1 &<< UInt32(truncatingIfNeeded: index)) }
    serving.server.opened(opened.connection)
    exchanges.links[index].peer = opened.peer
    serving.openAccount(index, &exchanges.links[index], &peers, &context)
    exchanges.links[index].lastAsked = now
    exchanges.links[index].openedAt = now
    context.sink.delegate.tell(
      .debug, "a connection was opened: its number, 1 if by us", Int32(truncatingIfNeeded: index),
      isOurs ? 1 : 0,
      at: now)
    switch opened.role {
    case .peripheral:
      context.sink.count(.connectionsIn)
      exchanges.links[index].step = .serving
      exchanges.links[index].isPeers = true
      exchanges.links[index].end = context.after(context.configuration.servingLife)
      // Two devices may call each other at the same moment. One connection is all there can be: ours is tried
      // again later.
      if peers.attempt.isActive, !peers.attempt.isCancelled,
        peers.table[Int(peers.attempt.place)].address == opened.peer
      {
        peers.cutAttempt(&context)
      }
      if peers.strangers.isShort { peers.welcome(opened.peer, &context) }
      exchanges.readBack(index, &serving, &peers, &context)
    case .central:
      context.sink.count(isOurs ? .connectionsOut : .connectionsRefused)
      exchanges.links[index].end = context.after(context.configuration.exchangeLife)
      guard isOurs, !exchanges.links.isAtWork(with: peers.attempt.place) else {
        exchanges.close(index, &serving, &peers, &context)
        return
      }
      exchanges.beginExchange(with: peers.attempt.place, index, &serving, &peers, &context)
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
    guard !exchanges.links.isAtWork(with: ended.place) else {
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
      if index >= 0, index < 32 { exchanges.surplus &= ~(1 &<< UInt32(truncatingIfNeeded: index)) }
      return
    }
    if exchanges.links[index].step.isWorking {
      let place = Int(exchanges.links[index].place)
      if exchanges.links[index].isPeers {
        // The peer was done with its own connection before we were: nothing is held against it.
        context.sink.count(.exchangesDropped)
        peers.leaveAlone(place, for: .zero, andUpTo: 1023, &context)
      } else {
        exchanges.fail(index, .exchangesDropped, &serving, &peers, &context)
        // It did not understand our request, as happens when several ask at the same moment.
        if reason == .failedToBeEstablished { peers.askAgainSoon(place, &context) }
      }
    }
    context.sink.delegate.tell(
      .debug, "a connection ended: its number", Int32(truncatingIfNeeded: index), at: now)
    exchanges.forget(index, &serving, &peers, &context)
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
    guard index >= 0, index < connections, count > 0, count <= buffer.count,
      exchanges.links[index].step != .closed
    else { return 0 }
    guard ATTOpcode(rawValue: buffer[0]).isForClient else {
      exchanges.links[index].lastAsked = now
      serving.values.askedAt = now
      let isIndicating = NeighbourType.Services.changes && serving.server.isIndicating(connection)
      let isFormer = NeighbourType.Services.changes && serving.values.isFormer(connection)
      let length = serving.server.respond(
        to: &buffer, count: count, on: connection, at: now,
        from: serving.services.database(isFormer: isFormer),
        values: &serving.values)
      if isIndicating { serving.noteConfirmation(index, &exchanges.links[index], &context) }
      serving.takeSignal(index, &exchanges.links[index], &peers, &context)
      if NeighbourType.systems > 0 {
        serving.noteNeighbours(index, &exchanges.links[index], &peers, &context)
      }
      return length
    }
    context.hasNews = true
    guard
      case .indication = exchanges.take(buffer.span.extracting(0..<count), index, &serving, &peers, &context)
    else { return 0 }
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
    guard index >= 0, index < connections, exchanges.links[index].holdsTarget else { return }
    let place = Int(exchanges.links[index].place)
    exchanges.links[index].lastAsked = now
    peers.table.touch(place, at: now)
    peers.measure(place, peers.table[place].identity, rssi, &context)
  }

  // MARK: One connection for both
}
