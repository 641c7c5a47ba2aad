// Connection attempts: to whom, when, for how long, and which connection is given up for one.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Ends the attempt that takes too long. It stays active until the radio says how it ended; a radio that
  /// does not is asked again every two seconds.
  @inlinable
  mutating func endAttempt<R: Radio & ~Copyable>(_ radio: inout R) {
    guard peers.attempt.isActive else { return }
    if peers.attempt.isOverdue(at: context.now) { radio.cancelConnect() }
    context.wake(by: peers.attempt.deadline)
  }

  /// Begins to connect to the peer it is most worth connecting to, if one can be connected to now. One place
  /// among the connections, if there are several, is left to peers.
  @inlinable @inline(never)
  mutating func beginAttempt<R: Radio & ~Copyable>(_ radio: inout R) {
    guard context.configuration.scans, context.capabilities.canConnect, !peers.attempt.isActive else {
      return
    }
    guard context.hasCome(peers.workAt) else {
      context.wake(by: peers.workAt)
      return
    }
    let most = connectionLimit
    let isFull = links.openCount() >= (most > 1 ? most &- 1 : most)
    if isFull, connectionToGiveUp(forMessage: outbox.isPending) == nil {
      awaitGrace()
      return
    }
    var limit = Instant.never
    if !context.capabilities.canScanWhileConnecting {
      // Until there has been a scan nothing is attempted; the scan's own deadline brings us back here.
      guard let scanLimit = scanning.attemptLimit(at: context.now) else { return }
      limit = scanLimit
    }
    let isFlooded = peers.isFlooded(&context)
    guard let (place, othersWait) = peers.choosePeer(isFlooded: isFlooded, links: &links, &context) else {
      context.wake(by: peers.workAt)
      return
    }
    guard !isFull else {
      giveUpConnection(forMessage: peers.table[place].has(Target.awaitsMessageFlag))
      awaitGrace()  // or until one is closed
      return
    }
    if !context.capabilities.canScanWhileConnecting, shownScan != nil {
      radio.stopScanning()
      shownScan = nil
    }
    do throws(RadioError) {
      try radio.connect(
        to: peers.table[place].address, ConnectionParameters(ownAddress: advertising.address))
    } catch {
      context.wasRefused = true
      return
    }
    context.sink.count(.attempts)
    peers.table.setHeld(place, true)
    let isHasty =
      othersWait && peers.table[place].state != .read && !peers.table[place].has(Target.awaitsMessageFlag)
    let deadline = context.after(isHasty ? Attempt.hastyLength : context.configuration.attemptTimeout)
    peers.attempt.isActive = true
    peers.attempt.isCancelled = false
    peers.attempt.isCut = isHasty || limit < deadline
    peers.attempt.place = UInt16(truncatingIfNeeded: place)
    peers.attempt.begunAt = UInt16(truncatingIfNeeded: context.now.milliseconds.low32)
    peers.attempt.deadline = context.earlier(limit, deadline)
    context.wake(by: peers.attempt.deadline)
  }

  // MARK: The connection budget (HP-25)

  /// The most connections there may be.
  @inlinable
  var connectionLimit: Int {
    connections < context.capabilities.connections ? connections : context.capabilities.connections
  }

  /// How long a connection of a peer's is let be before it may be given up for a new peer.
  @inlinable
  static var servingGrace: Interval { .seconds(5) }

  /// The connection that is given up for a new peer, if one can be: of those that are only kept, or that
  /// peers have had for some time, the oldest, or the one to the peer heard most weakly. A peer not in the
  /// table counts as weakest. For a message of the application's an exchange about anything else gives way
  /// too (HP-30).
  @inlinable
  mutating func connectionToGiveUp(forMessage: Bool) -> Int? {
    var best: Int?
    var bestRSSI: Int8 = 0
    var index = 0
    while index < connections {
      if canGiveUp(index, forMessage: forMessage) {
        let rssi = strength(of: index)
        let isBetter =
          switch context.configuration.connectionPolicy {
          case .oldest: best.map { links[index].openedAt < links[$0].openedAt } ?? true
          case .weakest: best == nil || rssi < bestRSSI
          }
        if isBetter {
          best = index
          bestRSSI = rssi
        }
      }
      index &+= 1
    }
    return best
  }

  @inlinable
  mutating func canGiveUp(_ index: Int, forMessage: Bool) -> Bool {
    let step = links[index].step
    if step == .keeping { return true }
    // That we read on it as well gives a peer no more of its connection; one of ours that a peer is at work
    // on is soon over.
    if step == .serving || links[index].isPeers && step.isWorking {
      return context.now >= links[index].openedAt + Self.servingGrace
    }
    return forMessage && step.isWorking && !peers.table[Int(links[index].place)].has(Target.awaitsMessageFlag)
  }

  /// Waits until the next connection of a peer's may be given up.
  @inlinable
  mutating func awaitGrace() {
    var index = 0
    while index < connections {
      let end = links[index].openedAt + Self.servingGrace
      if links[index].step != .closed, end > context.now { context.wake(by: end) }
      index &+= 1
    }
  }

  @inlinable
  mutating func strength(of index: Int) -> Int8 {
    if links[index].holdsTarget { return peers.table[Int(links[index].place)].lastRSSI.rawValue }
    guard let place = peers.table.find(TargetIdentity(links[index].peer)) else { return -128 }
    return peers.table[place].lastRSSI.rawValue
  }

  /// Gives a connection up for a new peer, unless one is being closed already.
  @inlinable
  mutating func giveUpConnection(forMessage: Bool) {
    var index = 0
    while index < connections {
      if links[index].step == .closing { return }
      index &+= 1
    }
    guard let index = connectionToGiveUp(forMessage: forMessage) else { return }
    context.sink.count(.connectionsGivenUp)
    if links[index].step.isWorking {
      // The peer did not have the time it is entitled to: nothing is held against it.
      peers.leaveAlone(Int(links[index].place), for: context.configuration.firstRetry, &context)
    }
    close(index)
    context.hasNews = true
  }
}
