import HeraldBluetooth
import HeraldHAL

// The commands of the application and the host.

extension HeraldCore {
  /// Switches the sensor off: scanning, advertising and connecting end; pending records of the log are
  /// committed. Sensors beside the radio continue, so that a visit ends.
  public mutating func switchOff(at now: Instant) {
    context.now = now
    guard !power.isOff else { return }
    context.hasNews = true
    if peers.attempt.isActive { peers.cutAttempt(&context) }
    context.sink.log.commit()
    tell(power.set(isOff: true))
  }

  /// Switches the sensor on again. It is on when the device starts.
  public mutating func switchOn(at now: Instant) {
    context.now = now
    guard power.isOff else { return }
    context.hasNews = true
    peers.lookForWork(&context)
    tell(power.set(isOff: false))
  }

  /// Reports the sensor's new state to the delegate, if there is one.
  mutating func tell(_ state: SensorState?) {
    guard let state else { return }
    context.sink.delegate.tell(
      .info, "the sensor's state: 0 off, 1 on, 2 unavailable", Int32(state.rawValue), at: context.now)
    context.sink.delegate.didUpdateState(state, at: context.now)
  }

  /// Sends a message of at most 509 bytes to a peer at once, ahead of all other work and over the open
  /// connection if there is one (HP-30, HP-31). It is dropped after a minute; the counters `messages_sent`
  /// and `messages_lost` show the result.
  public mutating func sendImmediately(
    _ message: Span<UInt8>, to target: TargetIdentity, at now: Instant
  ) throws(ImmediateSendError) {
    context.now = now
    guard let slot = peers.table.find(target), peers.table.canBeSent(to: slot, at: now) else {
      throw .unreachable
    }
    try outbox.take(message, in: &serving.values.pool, at: now)
    peers.table.queueMessage(for: slot)
    peers.hasten(&context)
  }

  /// Sends a message to every peer that is known to have a Herald service and was received within the last
  /// minute (HP-32), and returns how many these are.
  public mutating func sendImmediatelyToAll(_ message: Span<UInt8>, at now: Instant)
    throws(ImmediateSendError)
    -> Int
  {
    context.now = now
    guard peers.table.reachable(queueing: false, at: now) > 0 else { throw .unreachable }
    try outbox.take(message, in: &serving.values.pool, at: now)
    peers.hasten(&context)
    return peers.table.reachable(queueing: true, at: context.now)
  }

  /// Applies the settings of a host from now on. A new advertising interval comes with a new address, like
  /// every change of what is advertised.
  @inline(never)
  public mutating func take(_ new: SettingValues, at now: Instant) {
    context.now = now
    let interval = context.advertisingInterval
    context.settings = new
    context.sink.commit(within: context.commitPeriod)
    if Parts.DelegateType.hasMotion {
      context.sink.delegate.switchMotion(new[.motionDetection] != 0)
    }
    if context.advertisingInterval != interval { presence.changeSoon() }
    context.hasNews = true
  }

  /// Gives the supplier the payload key material that is stored. To be called in each round of the loop,
  /// before the node is polled, so that the key of a new day is available when the payload of its first
  /// minutes is requested.
  public mutating func loadPayload<Storage: PayloadStorage & ~Copyable>(
    in storage: inout Storage, at now: Instant
  ) {
    guard serving.values.supplier.storedCapacity > 0,
      serving.values.supplier.load(from: &storage, at: context.sink.clock.unixSeconds(at: now))
    else { return }
    presence.changeSoon()
    context.hasNews = true
  }
}
