// What the radio is told to do: everything the core wants of it is said here, and only here.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Looks at every deadline, commands the radio, and returns when to call again at the latest. Also to be
  /// called after each `poll` of the radio that may have had events.
  @inlinable @inline(never)
  public mutating func run<R: Radio & ~Copyable>(at now: Instant, commanding radio: inout R) -> Instant {
    context.now = now
    if !isStarted { start() }
    context.hasNews = false
    context.wakeAt = .never
    housekeep()
    runSensors()
    guard radio.state == .ready, radioState == .ready else { return context.wakeAt }
    context.capabilities = radio.capabilities
    serving.server.maximumMTU = context.capabilities.maximumPDU
    context.wasRefused = false
    if isSwitchedOff {
      quieten(&radio)
      return context.wakeAt
    }

    tendOutbox()
    exchanges.driveLinks(&radio, &serving, &peers, &context)
    endAttempt(&radio)
    rotate()
    if NeighbourType.systems > 0 { presence.switchNeighbours(&serving, &context) }
    serving.notifyPayload(&radio, &exchanges.links, &context)
    if NeighbourType.Services.changes {
      let kept = serving.indicateChange(&radio, &exchanges.links, &context)
      if kept != 0 { exchanges.close(all: kept, &serving, &peers, &context) }
    }
    beginAttempt(&radio)
    scan(&radio)
    advertise(&radio)
    if context.wasRefused {
      context.sink.count(.radioRefusals)
      context.wake(by: context.after(.milliseconds(100)))
    }
    return context.wakeAt
  }

  /// Opens the log before the first `run`: for a board that says why it started, by a number of its own
  /// choice, or that does not `run` but is to be read.
  @inlinable
  public mutating func openLog(at now: Instant, startReason: UInt8) {
    context.now = now
    if !isStarted { start(reason: startReason) }
  }

  @inlinable
  mutating func start() { start(reason: context.configuration.startReason) }

  /// Makes what has to be random, opens the log.
  @inlinable
  mutating func start(reason: UInt8) {
    isStarted = true
    if presence.key.isNone { presence.key = IdentityResolvingKey.make(random: &context.random) }
    peers.table.setSeed(context.random.next())
    peers.listening.start()
    context.sink.start(
      reason: reason, freshEpoch: context.random.next(), commitPeriod: context.commitPeriod)
  }

  /// Ages out the silent, brings the log to flash.
  @inlinable
  mutating func housekeep() {
    if context.hasCome(ageing.dueAt) { peers.ageOut(&ageing, &context) }
    context.wake(by: ageing.dueAt)
    serving.values.dropStalled(at: context.now)
    let isIdle = exchanges.links.openCount() == 0
    if context.hasCome(context.sink.commitAt) {
      peers.recordUnkept(&context)
      context.sink.commit(
        isIdle: isIdle, next: context.commitPeriod, retentionDays: context.retentionDays)
    }
    context.wake(by: context.sink.commitAt)
    if context.sink.log.wantsTrimming, context.sink.trim(isIdle: isIdle) { context.wake(by: context.now) }
  }

  // MARK: Connections
}
