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
    peers.table[place].failures = 0
    peers.table[place].ignores = 0
    peers.settle(place, &context)
    if context.configuration.keepsConnections, !links[index].isPeers, links[index].system == .iOS,
      peers.table[place].state == .read
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

  /// The peer has no Herald service: leaves it alone for a while, longer each time.
  @inlinable
  mutating func ignore(_ index: Int) {
    context.sink.count(.withoutService)
    let place = Int(links[index].place)
    peers.table[place].ignores &+= 1
    peers.table[place].state = .ignored
    peers.table[place].failures = 0
    peers.leaveAlone(
      place, for: HeraldConfiguration.ignoreDelay(ignores: peers.table[place].ignores), &context)
    if peers.table[place].has(Target.awaitsMessageFlag) {
      peers.table[place].set(Target.awaitsMessageFlag, false)
      context.sink.count(.messagesLost)
    }
    peers.table.setOwesWork(place, false)
    leave(index)
  }

  /// We have no buffer for the peer's payload, or for what it is to be told: nothing is held against it, and
  /// it is tried again soon.
  @inlinable
  mutating func deferExchange(_ index: Int) {
    context.sink.count(.exchangesWithoutBuffer)
    peers.comeBack(to: Int(links[index].place), in: .seconds(1), &context)
    leave(index)
  }

  /// The exchange failed: counts why, leaves the peer alone for a while, longer each time, and closes the
  /// connection if it is ours.
  @inlinable
  mutating func fail(_ index: Int, _ cause: CoordinatorCounter) {
    links[index].step = .failed
    if links[index].holdsTarget {
      links[index].holdsTarget = false
      peers.postpone(Int(links[index].place), cause, &context)
    } else {
      context.sink.count(cause)
    }
    if links[index].isPeers { leave(index) } else { close(index) }
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
      peers.releaseHold(Int(links[index].place), &context)
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
