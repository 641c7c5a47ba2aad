// Switching the sensor on and off, and telling whether it works.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Tells the delegate what the radio's new state means for the sensor, if that changed. A radio that fails
  /// once is tried again; one that fails again before it worked is not there.
  @inlinable
  mutating func showState(_ radio: RadioState) {
    let state: SensorState
    switch radio {
    case .ready: state = isSwitchedOff ? .off : .on
    case .failed: state = shownState == .on ? .off : .unavailable
    case .starting: state = shownState == .on ? .off : shownState
    }
    guard state != shownState else { return }
    update(state)
  }

  /// Switches the sensor off: nothing is scanned for, advertised or connected any more; what the log has not
  /// kept yet is kept. Sensors beside the radio go on, so that a visit ends.
  @inlinable
  public mutating func switchOff(at now: Instant) {
    context.now = now
    guard !isSwitchedOff else { return }
    isSwitchedOff = true
    context.hasNews = true
    if peers.attempt.isActive { peers.cutAttempt(&context) }
    context.sink.log.commit()
    guard shownState == .on else { return }
    update(.off)
  }

  @inlinable
  mutating func update(_ state: SensorState) {
    shownState = state
    context.sink.delegate.tell(
      .info, "the sensor's state: 0 off, 1 on, 2 unavailable", Int32(state.rawValue), at: context.now)
    context.sink.delegate.didUpdateState(state, at: context.now)
  }

  /// Switches the sensor on again. It is on when the device starts.
  @inlinable
  public mutating func switchOn(at now: Instant) {
    context.now = now
    guard isSwitchedOff else { return }
    isSwitchedOff = false
    context.hasNews = true
    peers.workAt = now
    showState(radioState)
  }

  /// Takes everything off the air and closes every connection.
  @inlinable
  mutating func quieten<R: Radio & ~Copyable>(_ radio: inout R) {
    if scanning.stop() {
      radio.stopScanning()
      scanning.radioForgot(at: context.now)
    }
    let plan = presence.advertising.next(at: context.now, allowed: .init(connectable: false, any: false))
    if plan.changed { radio.stopAdvertising() }
    var index = 0
    while index < connections {
      if exchanges.links[index].step != .closed, exchanges.links[index].step != .closing {
        exchanges.close(index, &serving, &peers, &context)
      }
      index &+= 1
    }
    exchanges.driveLinks(&radio, &serving, &peers, &context)
    endAttempt(&radio)
  }
}

extension HeraldNode
where
  RadioType: ~Copyable, FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable,
  DelegateType: ~Copyable
{
  /// Switches the sensor on. It is on when the device starts; the next `poll` does what follows.
  @inlinable public mutating func start(at now: Instant) { core.switchOn(at: now) }
  /// Switches the sensor off; the next `poll` does what follows.
  @inlinable public mutating func stop(at now: Instant) { core.switchOff(at: now) }
}
