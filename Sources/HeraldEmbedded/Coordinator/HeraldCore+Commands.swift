import HeraldBluetooth
import HeraldHAL

// What the application and the host command.

extension HeraldCore {
  /// Switches the sensor off: nothing is scanned for, advertised or connected any more; what the log has not
  /// kept yet is kept. Sensors beside the radio go on, so that a visit ends.
  @inlinable
  public mutating func switchOff(at now: Instant) {
    context.now = now
    guard !power.isOff else { return }
    context.hasNews = true
    if peers.attempt.isActive { peers.cutAttempt(&context) }
    context.sink.log.commit()
    tell(power.set(isOff: true))
  }

  /// Switches the sensor on again. It is on when the device starts.
  @inlinable
  public mutating func switchOn(at now: Instant) {
    context.now = now
    guard power.isOff else { return }
    context.hasNews = true
    peers.lookForWork(&context)
    tell(power.set(isOff: false))
  }

  /// Tells the delegate the sensor's new state, if there is one.
  @inlinable
  mutating func tell(_ state: SensorState?) {
    guard let state else { return }
    context.sink.delegate.tell(
      .info, "the sensor's state: 0 off, 1 on, 2 unavailable", Int32(state.rawValue), at: context.now)
    context.sink.delegate.didUpdateState(state, at: context.now)
  }

  /// Sends a message of at most 509 bytes to a peer at once, ahead of all other work and over the open
  /// connection if there is one (HP-30, HP-31). It is given up after a minute; the counters `messages_sent`
  /// and `messages_lost` tell.
  @inlinable
  public mutating func sendImmediately(
    _ message: Span<UInt8>, to target: TargetIdentity, at now: Instant
  ) throws(ImmediateSendError) {
    context.now = now
    guard let place = peers.table.find(target), peers.table.canBeSent(to: place, at: now) else {
      throw .unreachable
    }
    try outbox.take(message, in: &serving.values.pool, at: now)
    peers.queueMessage(for: place)
    peers.hasten(&context)
  }

  /// Sends a message to every peer that is known to speak Herald and was heard within the last minute
  /// (HP-32), and returns how many these are.
  @inlinable
  public mutating func sendImmediatelyToAll(_ message: Span<UInt8>, at now: Instant)
    throws(ImmediateSendError)
    -> Int
  {
    context.now = now
    guard peers.table.reachable(queueing: false, at: now) > 0 else { throw .unreachable }
    try outbox.take(message, in: &serving.values.pool, at: now)
    peers.hasten(&context)
    return peers.queueMessageForAll(&context)
  }

  /// Goes by what a host has set, from now on. Another interval of advertisements comes with another address,
  /// as all that is advertised does.
  @inlinable @inline(never)
  public mutating func take(_ new: SettingValues, at now: Instant) {
    context.now = now
    let interval = context.advertisingInterval
    context.settings = new
    context.sink.commit(within: context.commitPeriod)
    if context.advertisingInterval != interval { presence.changeSoon() }
    context.hasNews = true
  }

  /// Gives the supplier what it needs of the payload that is stored. To be called in each round of the loop,
  /// before the node is polled, so that the key of a new day is there when the payload of its first minutes
  /// is asked for.
  @inlinable
  public mutating func tendPayload<Storage: PayloadStorage & ~Copyable>(
    in storage: inout Storage, at now: Instant
  ) {
    guard serving.values.supplier.storedCapacity > 0,
      serving.values.supplier.tend(&storage, at: context.sink.clock.unixSeconds(at: now))
    else { return }
    presence.changeSoon()
    context.hasNews = true
  }
}
