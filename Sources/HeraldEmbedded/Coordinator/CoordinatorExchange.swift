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
    context.now = now
    context.hasNews = true
    let index = opened.connection.index
    var isOurs = false
    if opened.role == .central, attempt.isActive {
      isOurs = true
      attempt.isActive = false
      chargeAttempt()
    }
    guard index >= 0, index < connections else {
      // More connections than there is memory for: `run` closes them, as long as the radio has them.
      context.sink.count(.connectionsRefused)
      surplus |= index >= 0 && index < 32 ? 1 &<< UInt32(truncatingIfNeeded: index) : 0
      surplusAt = now
      if isOurs { postpone(Int(attempt.place), .connectionsRefused) }
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
      if attempt.isActive, !attempt.isCancelled, table[Int(attempt.place)].address == opened.peer {
        cutAttempt()
      }
      if strangers.isShort { welcome(opened.peer) }
      readBack(index)
    case .central:
      context.sink.count(isOurs ? .connectionsOut : .connectionsRefused)
      links[index].end = context.after(context.configuration.exchangeLife)
      guard isOurs, !isAtWork(with: attempt.place) else {
        close(index)
        return
      }
      beginExchange(with: attempt.place, index)
    }
  }

  /// The attempt to connect ended without a connection.
  @inlinable
  public mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {
    context.now = now
    guard attempt.isActive else { return }
    context.hasNews = true
    chargeAttempt()
    let ended = attempt
    attempt = Attempt()
    workAt = now
    let place = Int(ended.place)
    guard !isAtWork(with: ended.place) else {
      context.sink.count(.attemptsCut)  // the peer's own connection is being used
      return
    }
    if ended.isCancelled, ended.isCut {
      // The peer did not have the time it is entitled to: nothing is held against it.
      context.sink.count(.attemptsCut)
      table.setHeld(place, false)
      leaveAlone(place, for: context.configuration.firstRetry)
    } else {
      postpone(place, ended.isCancelled ? .attemptTimeouts : .attemptsFailed)
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
        leaveAlone(place, for: .zero, andUpTo: 1023)
      } else {
        fail(index, .exchangesDropped)
        // It did not understand our request, as happens when several ask at the same moment.
        if reason == .failedToBeEstablished { askAgainSoon(place) }
      }
    }
    context.sink.delegate.tell(
      .debug, "a connection ended: its number", Int32(truncatingIfNeeded: index), at: now)
    forget(index)
    workAt = now
  }

  /// An exchange failed because others were at the peer at the same time: it is there, and worth asking again
  /// soon. After many tries it is left alone like any other: perhaps it does not hear us at all.
  @inlinable
  mutating func askAgainSoon(_ place: Int) {
    let failures = table[place].failures
    let delay =
      failures <= Self.contendedTries
      ? HeraldConfiguration.retryDelay(failures: failures, first: Self.contendedRetry, longest: .seconds(1))
      : HeraldConfiguration.retryDelay(
        failures: failures &- Self.contendedTries, first: context.configuration.firstRetry,
        longest: context.configuration.longestRetry)
    leaveAlone(place, for: delay, andUpTo: 511)
  }

  /// Leaves a peer alone for so long, and up to so many milliseconds of chance, which is one less than a
  /// power of two.
  @inlinable @inline(never)
  mutating func leaveAlone(_ place: Int, for interval: Interval, andUpTo chance: UInt32 = 0) {
    if keepsWaiting(place) { return }
    var end = context.after(interval)
    if chance > 0 { end = end + .milliseconds(context.random.next() & chance) }
    table[place].retryAt = end
  }

  /// Leaves a peer that is owed more alone for so long.
  @inlinable @inline(never)
  mutating func comeBack(to place: Int, in interval: Interval) {
    leaveAlone(place, for: interval)
    let end = context.after(interval)
    if end < workAt { workAt = end }
  }

  /// The wait after a first exchange that failed because of others; it doubles with each further failure, up
  /// to 1 s…
  @inlinable
  static var contendedRetry: Interval { .milliseconds(125) }
  /// …for so many failures.
  @inlinable
  static var contendedTries: UInt8 { 8 }

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
    table.touch(place, at: now)
    measure(place, table[place].identity, rssi)
  }

  // MARK: One connection for both

  /// A peer opened a connection. If it is one whose payload we want, we read it over the same connection: one
  /// is enough for both, and in a crowd every connection less counts (HP-21). This is for devices like this
  /// one: phones, which show how strongly they send or a pseudo device address, are met on connections of
  /// ours, as their applications expect.
  @inlinable
  mutating func readBack(_ index: Int) {
    guard context.configuration.scans, let place = table.find(TargetIdentity(links[index].peer)),
      table[place].state == .advertised || table[place].state == .confirmed,
      table[place].txPower == Target.noTxPower,
      !table[place].isHeld || attempt.isActive && Int(attempt.place) == place,
      task(for: place) == .meet || task(for: place) == .readPayload
    else { return }
    table.setHeld(place, true)
    beginExchange(with: UInt16(truncatingIfNeeded: place), index)
  }

  /// Begins to do on a connection what a peer, whose place is held, is owed.
  @inlinable @inline(never)
  mutating func beginExchange(with place: UInt16, _ index: Int) {
    links[index].place = place
    links[index].holdsTarget = true
    enter(server.maximumMTU > ATTLimits.defaultMTU ? .exchangeMTU : .findShortService, index)
  }

  /// Whether an exchange with this target is under way.
  @inlinable
  mutating func isAtWork(with place: UInt16) -> Bool {
    var index = 0
    while index < connections {
      if links[index].holdsTarget, links[index].place == place { return true }
      index &+= 1
    }
    return false
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
      releaseHold(Int(links[index].place))
    }
    links[index].client = GATTClient()
    links[index].step = .serving
    links[index].task = .nothing
  }
}
