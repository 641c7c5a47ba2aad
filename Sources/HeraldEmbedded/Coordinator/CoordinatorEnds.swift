// How exchanges and connections end, and what that does to the peer.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// All that the peer is owed at present was done: says when there is more, and closes the connection
  /// (HP-22), or keeps it if that was chosen and the peer is of a system that may withhold its advertisements
  /// (HP-23).
  @inlinable
  mutating func finish(_ index: Int) {
    let place = Int(links[index].place)
    table[place].failures = 0
    table[place].ignores = 0
    settle(place)
    if context.configuration.keepsConnections, !links[index].isPeers, links[index].system == .iOS,
      table[place].state == .read
    {
      freeBuffer(index)
      links[index].step = .keeping
      links[index].task = .nothing
      links[index].isSpent = false
      links[index].lastAsked = context.now
      links[index].end = context.now
      return
    }
    leave(index)
  }

  /// Says whether and when a peer is owed more.
  @inlinable @inline(never)
  mutating func settle(_ place: Int) {
    let isMore = task(for: place) != .nothing
    let owes = isMore || hasRecurringWork(place)
    if owes { comeBack(to: place, in: isMore ? .seconds(1) : .seconds(16)) }
    table.setOwesWork(place, owes)
  }

  /// The peer has no Herald service: leaves it alone for a while, longer each time.
  @inlinable
  mutating func ignore(_ index: Int) {
    context.sink.count(.withoutService)
    let place = Int(links[index].place)
    table[place].ignores &+= 1
    table[place].state = .ignored
    table[place].failures = 0
    leaveAlone(place, for: HeraldConfiguration.ignoreDelay(ignores: table[place].ignores))
    if table[place].has(Target.awaitsMessageFlag) {
      table[place].set(Target.awaitsMessageFlag, false)
      context.sink.count(.messagesLost)
    }
    table.setOwesWork(place, false)
    leave(index)
  }

  /// We have no buffer for the peer's payload, or for what it is to be told: nothing is held against it, and
  /// it is tried again soon.
  @inlinable
  mutating func deferExchange(_ index: Int) {
    context.sink.count(.exchangesWithoutBuffer)
    comeBack(to: Int(links[index].place), in: .seconds(1))
    leave(index)
  }

  /// Lets go of a target, unless an attempt to connect to it is still under way.
  @inlinable
  mutating func releaseHold(_ place: Int) {
    if attempt.isActive, Int(attempt.place) == place { return }
    table.setHeld(place, false)
  }

  /// The exchange failed: counts why, leaves the peer alone for a while, longer each time, and closes the
  /// connection if it is ours.
  @inlinable
  mutating func fail(_ index: Int, _ cause: CoordinatorCounter) {
    links[index].step = .failed
    if links[index].holdsTarget {
      links[index].holdsTarget = false
      postpone(Int(links[index].place), cause)
    } else {
      context.sink.count(cause)
    }
    if links[index].isPeers { leave(index) } else { close(index) }
  }

  /// Counts a failure and says when the peer may be tried again. Up to a second of chance keeps two devices
  /// that try each other from doing so in step.
  @inlinable
  mutating func postpone(_ place: Int, _ cause: CoordinatorCounter) {
    context.sink.count(cause)
    releaseHold(place)
    table[place].failures &+= 1
    context.sink.delegate.tell(
      .debug, "an exchange failed: the counter of the cause", Int32(truncatingIfNeeded: cause.rawValue),
      at: context.now)
    let delay = HeraldConfiguration.retryDelay(
      failures: table[place].failures, first: context.configuration.firstRetry,
      longest: context.configuration.longestRetry)
    leaveAlone(place, for: delay, andUpTo: 1023)
    workAt = context.now
  }

  /// Has the connection closed: `run` asks the radio, again and again until it is (HP-02).
  @inlinable @inline(never)
  mutating func close(_ index: Int) {
    letGo(index)
    links[index].step = .closing
    links[index].end = context.now
  }

  /// Lets go of what an exchange holds.
  @inlinable @inline(never)
  mutating func letGo(_ index: Int) {
    if links[index].holdsTarget {
      links[index].holdsTarget = false
      releaseHold(Int(links[index].place))
    }
    links[index].buffer = 0
    links[index].client = GATTClient()
    values.pool.release(ConnectionID(index: index))
  }

  /// The connection is gone.
  @inlinable @inline(never)
  mutating func forget(_ index: Int) {
    guard links[index].step != .closed else { return }
    values.endSignals(index)
    letGo(index)
    server.closed(ConnectionID(index: index))
    values.neighbours.closed(ConnectionID(index: index))
    links[index] = Link()
  }
}
