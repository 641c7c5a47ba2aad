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
    let isFull = exchanges.links.openCount() >= (most > 1 ? most &- 1 : most)
    if isFull, exchanges.links.connectionToGiveUp(forMessage: outbox.isPending, &peers, &context) == nil {
      exchanges.links.awaitGrace(&context)
      return
    }
    var limit = Instant.never
    if !context.capabilities.canScanWhileConnecting {
      // Until there has been a scan nothing is attempted; the scan's own deadline brings us back here.
      guard let scanLimit = scanning.attemptLimit(at: context.now) else { return }
      limit = scanLimit
    }
    let isFlooded = peers.isFlooded(&context)
    guard let (place, othersWait) = peers.choosePeer(isFlooded: isFlooded, links: &exchanges.links, &context)
    else {
      context.wake(by: peers.workAt)
      return
    }
    guard !isFull else {
      exchanges.giveUpConnection(
        forMessage: peers.table[place].has(Target.awaitsMessageFlag), &serving, &peers, &context)
      exchanges.links.awaitGrace(&context)  // or until one is closed
      return
    }
    if !context.capabilities.canScanWhileConnecting, scanning.stop() { radio.stopScanning() }
    do throws(RadioError) {
      try radio.connect(
        to: peers.table[place].address, ConnectionParameters(ownAddress: presence.advertising.address))
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
}
