import HeraldBluetooth
import HeraldHAL

// The commands to the radio: the machines return what they need, and the commands are issued here.

extension HeraldCore {
  /// Checks every deadline, commands the radio, and returns when to call again at the latest. Also to be
  /// called after each `poll` of the radio that may have had events.
  @inline(never)
  public mutating func run<R: Radio & ~Copyable>(at now: Instant, commanding radio: inout R) -> Instant {
    context.now = now
    if !isStarted { start(reason: context.configuration.startReason) }
    context.hasNews = false
    context.wakeAt = .never
    housekeep()
    if Parts.ManagementType.isPresent { updateManagement() }
    if let date = context.runSensors() { _ = setClock(unixMilliseconds: date, at: now, source: .beacon) }
    guard radio.state == .ready, power.radio == .ready else { return context.wakeAt }
    context.capabilities = radio.capabilities
    serving.radioIsReady(maximumPDU: context.capabilities.maximumPDU)
    context.wasRefused = false
    if power.isOff {
      stopRadio(&radio)
      return context.wakeAt
    }

    dropFinishedMessage()
    exchanges.driveAll(&radio, &serving, &peers, &context)
    endAttempt(&radio)
    rotate()
    if Parts.ServicesType.count > 0 { presence.switchServices(&serving, &context) }
    serving.notifyPayload(&radio, &exchanges.table, &context)
    if Parts.ServicesType.Table.changes {
      let kept = serving.indicateChange(&radio, &exchanges.table, &context)
      if kept != 0 {
        exchanges.close(all: kept, &serving, &peers, &context)
        context.wake(by: now)
      }
    }
    beginAttempt(&radio)
    scan(&radio)
    chooseLatency(&radio)
    advertise(&radio)
    if context.wasRefused {
      context.sink.count(.radioRefusals)
      context.wake(by: context.after(.milliseconds(100)))
    }
    return context.wakeAt
  }

  /// Opens the log before the first `run`: for a board that logs the reason of its start by a number of its
  /// own, or for a device that is only read and does not `run`.
  public mutating func openLog(at now: Instant, startReason: UInt8) {
    context.now = now
    if !isStarted { start(reason: startReason) }
  }

  /// Generates the random values and opens the log.
  mutating func start(reason: UInt8) {
    isStarted = true
    presence.start(&context)
    peers.start(seed: context.random.next())
    context.sink.start(
      reason: reason, freshEpoch: context.random.next(), commitPeriod: context.commitPeriod)
  }

  /// Ages out silent peers and commits the log to flash.
  mutating func housekeep() {
    if context.hasCome(ageing.dueAt) { peers.ageOut(&ageing, &context) }
    context.wake(by: ageing.dueAt)
    serving.values.dropStalled(at: context.now)
    let isIdle = exchanges.table.openCount() == 0
    if context.hasCome(context.sink.commitAt) {
      peers.recordRefused(&context)
      context.sink.commit(
        isIdle: isIdle, next: context.commitPeriod, retentionDays: context.retentionDays)
    }
    context.wake(by: context.sink.commitAt)
    if context.sink.log.wantsTrimming, context.sink.trim(isIdle: isIdle) { context.wake(by: context.now) }
  }

  /// Drops the message when its deadline has passed, or when every peer has it.
  mutating func dropFinishedMessage() {
    guard outbox.isPending else { return }
    if let end = exchanges.table.endOfMessage {
      context.wake(by: end)
      return
    }
    let isOver = context.hasCome(outbox.until)
    let waiting = peers.awaiting(giveUp: isOver, &context)
    guard isOver || waiting == 0 else {
      context.wake(by: outbox.until)
      return
    }
    outbox.end(in: &serving.values.pool)
  }

  /// Takes a new address and, with it, a new payload, when that is due and no attempt is under way.
  mutating func rotate() {
    guard !peers.attempt.isActive, presence.takeAddress(&serving, &context) else { return }
    exchanges.retireFormerAddress(&serving, &peers, &context)
    peers.tellAgain(&context)
    presence.takePayload(&serving, &peers, &context)
  }

  /// Cancels the attempt whose deadline has passed. It stays active until the radio reports how it ended; if
  /// the radio reports nothing, the cancellation is repeated every two seconds.
  mutating func endAttempt<R: Radio & ~Copyable>(_ radio: inout R) {
    guard peers.attempt.isActive else { return }
    if peers.isAttemptOverdue(&context) { radio.cancelConnect() }
  }

  /// Begins to connect to the peer of the highest priority, if a connection can be opened now. Of several
  /// connections one is reserved for peers that connect to this device.
  @inline(never)
  mutating func beginAttempt<R: Radio & ~Copyable>(_ radio: inout R) {
    guard context.configuration.scans, context.capabilities.canConnect, !peers.attempt.isActive else {
      return
    }
    guard context.hasCome(peers.workAt) else {
      context.wake(by: peers.workAt)
      return
    }
    let most = context.connectionLimit(of: connections)
    let isFull = exchanges.table.openCount() >= (most > 1 ? most &- 1 : most)
    if isFull, exchanges.table.connectionToGiveUp(forMessage: outbox.isPending, &peers, &context) == nil {
      exchanges.table.awaitGrace(&context)
      return
    }
    var limit = Instant.never
    if !context.capabilities.canScanWhileConnecting {
      // No attempt is made before the first scan; the deadline of the scan schedules the next run.
      guard let scanLimit = scanning.attemptLimit(at: context.now) else { return }
      limit = scanLimit
    }
    if peers.isCrowded, !context.hasCome(peers.scanBudget.crowding.pauseEnd) {
      context.wake(by: peers.scanBudget.crowding.pauseEnd)
      return
    }
    let isFlooded = peers.isFlooded(&context)
    guard
      let (slot, othersWait) = peers.choosePeer(isFlooded: isFlooded, connected: &exchanges.table, &context)
    else {
      context.wake(by: peers.workAt)
      return
    }
    guard !isFull else {
      exchanges.giveUpConnection(
        forMessage: peers.table[slot].has(Target.awaitsMessageFlag), &serving, &peers, &context)
      exchanges.table.awaitGrace(&context)  // or until one is closed
      return
    }
    if !context.capabilities.canScanWhileConnecting, scanning.stop() { radio.stopScanning() }
    do throws(RadioError) {
      try radio.connect(to: peers.table[slot].address, ConnectionParameters(ownAddress: presence.address))
    } catch {
      context.wasRefused = true
      return
    }
    peers.beginAttempt(slot, othersWait: othersWait, limit: limit, &context)
  }

  mutating func scan<R: Radio & ~Copyable>(_ radio: inout R) {
    guard context.configuration.scans else { return }
    let isBlocked = peers.attempt.isActive && !context.capabilities.canScanWhileConnecting
    let plan = scanning.plan(isBlocked: isBlocked, at: context.now)
    context.wake(by: plan.deadline)
    guard plan.scan else {
      if scanning.stop() { radio.stopScanning() }
      return
    }
    let isBusy = context.now < peers.scanBudget.busyUntil
    if isBusy { context.wake(by: peers.scanBudget.busyUntil) }
    var timing = context.presentScanTiming
    if !isBusy, !listenInRounds(&timing) {
      if scanning.stop() { radio.stopScanning() }
      return
    }
    let parameters = timing.parameters(ownAddress: presence.address, isBusy: isBusy)
    guard scanning.isNew(parameters) else { return }
    do throws(RadioError) {
      try radio.startScanning(parameters)
      scanning.started(parameters)
    } catch {
      context.wasRefused = true
    }
  }

  /// Sets the windows of the present part of a round. `false`: nothing is scanned now. A device that does not
  /// advertise writes to its peers every 15 s, and has to receive them as often: it does not scan in rounds.
  @inline(never)
  mutating func listenInRounds(_ timing: inout ScanTiming) -> Bool {
    peers.scanBudget.note(isInRounds: false, isSparing: false)
    guard timing.latency > .zero, context.canAdvertise else { return true }
    if Parts.DelegateType.hasMotion {
      scanning.rounds.note(isLying: context.sink.delegate.motion == .lying, at: context.now)
    }
    if peers.scanBudget.crowd.takeStart(at: context.now) { scanning.rounds.start(at: context.now) }
    if TargetTable<targets>.isForCrowds { peers.scanBudget.crowding.end(at: context.now) }
    let window = Interval(milliseconds: context.advertisingInterval.milliseconds &+ ScanRounds.margin)
    var survey = PeerSurvey()
    var chance: UInt32 = 0
    if scanning.rounds.needsSurvey(at: context.now, window: window) {
      if scanning.rounds.isFirstSurvey { peers.scanBudget.crowd.beginRound() }
      let expects = scanning.rounds.expectations(
        at: context.now, window: window, latency: timing.latency, room: peers.scanBudget.room)
      survey = peers.table.survey(
        since: scanning.rounds.roundAt, latency: timing.latency, isFirst: scanning.rounds.isFirstSurvey,
        expects: expects, isFlooded: (expects.frequent || expects.awaited) && peers.isFlooded(&context),
        isCrowded: peers.isCrowded, isRhythmic: peers.scanBudget.room.isPresent, at: context.now)
      if TargetTable<targets>.isForRooms { peers.scanBudget.note(survey) }
      peers.table.awaitMissing(
        &survey, since: scanning.rounds.roundAt, latency: timing.latency,
        every: context.advertisingInterval.milliseconds, at: context.now)
      // The repetition finds also those near that do not advertise when they are expected.
      if scanning.rounds.isRepeated, survey.isNear { survey.wait = 0 }
      // It expects messages every 15 s.
      if survey.hasIPhone { scanning.rounds.start(at: context.now) }
      chance = context.random.next()
    }
    let plan = scanning.rounds.next(
      at: context.now, latency: timing.latency, window: window, survey: survey, chance: chance)
    context.wake(by: plan.deadline)
    peers.scanBudget.note(isInRounds: true, isSparing: scanning.rounds.isSparing)
    if plan.scanning == .always { timing.listen(window, every: window) }
    return plan.scanning != .nothing
  }

  mutating func advertise<R: Radio & ~Copyable>(_ radio: inout R) {
    let open = exchanges.table.openCount()
    let allowed = AdvertisingAllowance(
      connectable: open < context.connectionLimit(of: connections)
        && (open == 0 || context.capabilities.canAdvertiseWhileConnected),
      any: context.canAdvertise && (context.offersPayload || Parts.ServicesType.count > 0))
    guard let wish = presence.next(allowed: allowed, &context) else { return }
    switch wish {
    case .silence: radio.stopAdvertising()
    case .set(let set, let parameters):
      do throws(RadioError) {
        try presence.advertising.start(set, parameters, on: &radio)
      } catch {
        context.wasRefused = true
        presence.radioForgot()
      }
    }
  }

  /// Ends scanning and advertising and closes every connection.
  mutating func stopRadio<R: Radio & ~Copyable>(_ radio: inout R) {
    if scanning.stop() {
      radio.stopScanning()
      scanning.radioForgot(at: context.now)
    }
    if presence.next(allowed: .init(connectable: false, any: false), &context) != nil {
      radio.stopAdvertising()
    }
    exchanges.close(all: .max, &serving, &peers, &context)
    exchanges.driveAll(&radio, &serving, &peers, &context)
    endAttempt(&radio)
  }
}
