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
    server.maximumMTU = context.capabilities.maximumPDU
    context.wasRefused = false
    if isSwitchedOff {
      quieten(&radio)
      return context.wakeAt
    }

    tendOutbox()
    driveLinks(&radio)
    endAttempt(&radio)
    rotate()
    if NeighbourType.systems > 0 { switchNeighbours() }
    notifyPayload(&radio)
    if NeighbourType.Services.changes { indicateChange(&radio) }
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
    if key.isNone { key = IdentityResolvingKey.make(random: &context.random) }
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
    values.dropStalled(at: context.now)
    let isIdle = links.openCount() == 0
    if context.hasCome(context.sink.commitAt) {
      peers.recordUnkept(&context)
      context.sink.commit(
        isIdle: isIdle, next: context.commitPeriod, retentionDays: context.retentionDays)
    }
    context.wake(by: context.sink.commitAt)
    if context.sink.log.wantsTrimming, context.sink.trim(isIdle: isIdle) { context.wake(by: context.now) }
  }

  // MARK: Connections

  /// Sends the next request of every exchange, ends those that take too long. None waits for another.
  @inlinable
  mutating func driveLinks<R: Radio & ~Copyable>(_ radio: inout R) {
    var index = 0
    while index < connections {
      if links[index].step != .closed { context.wake(by: drive(index, &radio)) }
      index &+= 1
    }
    closeSurplus(&radio)
  }

  @inlinable
  mutating func drive<R: Radio & ~Copyable>(_ index: Int, _ radio: inout R) -> Instant {
    let connection = ConnectionID(index: index)
    if links[index].step == .serving {
      let idleEnd = links[index].lastAsked + longestIdle(index)
      let end = context.earlier(links[index].end, idleEnd)
      guard context.hasCome(end) else { return end }
      close(index)
    }
    if links[index].step == .keeping { return keep(index, &radio) }
    if links[index].step.isWorking {
      if context.hasCome(workEnd(index)) {
        fail(index, .exchangesTimedOut)
      } else {
        if case .failed = links[index].client.expire(at: context.now) { fail(index, .exchangesTimedOut) }
      }
    }
    if links[index].step.isWorking {
      request(index, &radio)
      return context.earlier(workEnd(index), links[index].client.deadline)
    }
    // Being closed: the radio is asked now, and again every two seconds for as long as it has not closed it.
    if context.hasCome(links[index].end) {
      radio.disconnect(connection)
      links[index].end = context.after(.seconds(2))
    }
    return links[index].end
  }

  /// When our work on a connection has to be done: on a peer's own, which may live longer, too.
  @inlinable
  mutating func workEnd(_ index: Int) -> Instant {
    guard links[index].isPeers else { return links[index].end }
    return context.earlier(links[index].end, links[index].openedAt + context.configuration.exchangeLife)
  }

  /// How often the strength of a peer is measured on a connection that is kept.
  @inlinable
  static var keptPeriod: Interval { .seconds(10) }
  /// How long a measurement may fail to come until the peer counts as gone, whatever the radio says (HP-02).
  @inlinable
  static var keptSilence: Interval { .seconds(30) }

  /// Measures the strength on a connection that is kept, does on it what the peer is owed, and gives it up
  /// when the peer is gone.
  @inlinable
  mutating func keep<R: Radio & ~Copyable>(_ index: Int, _ radio: inout R) -> Instant {
    let place = Int(links[index].place)
    let work = peers.task(for: place, &context)
    if work != .nothing, work != .meet {
      links[index].end = context.after(context.configuration.exchangeLife)
      enter(.choosing, index)
      if links[index].step.isWorking { request(index, &radio) }
      return links[index].end
    }
    if context.now >= links[index].lastAsked + Self.keptSilence {
      close(index)
      return context.now
    }
    if context.hasCome(links[index].end) {
      radio.readRSSI(ConnectionID(index: index))
      links[index].end = context.after(Self.keptPeriod)
    }
    return links[index].end
  }

  /// Sends the request an exchange has to send, if it has one and the radio takes it; if not, it stays to be
  /// sent.
  @inlinable
  mutating func request<R: Radio & ~Copyable>(_ index: Int, _ radio: inout R) {
    let connection = ConnectionID(index: index)
    var bytes: [128 of UInt8] = .init(repeating: 0)  // longestRequest
    var buffer = bytes.mutableSpan
    let count: Int
    if links[index].step == .writeSignal, links[index].buffer != 0 {
      count = values.pool.buffers[Int(links[index].buffer) &- 1].request(
        of: &links[index].client, from: Int(links[index].written), count: Int(links[index].piece),
        into: &buffer, mtu: server.mtu(connection), at: context.now)
    } else {
      count = links[index].client.nextRequest(
        into: &buffer, mtu: server.mtu(connection), value: Span(), at: context.now)
    }
    guard count > 0, count <= Self.longestRequest else { return }
    do throws(RadioError) {
      try radio.send(bytes.span.extracting(0..<count), on: connection)
    } catch {
      switch error {
      case .busy: links[index].client.notSent()  // `readyToSend` follows
      default: fail(index, .exchangesDropped)
      }
    }
  }

  /// Closes connections that have numbers beyond our places: asks now, and again every two seconds until they
  /// are closed.
  @inlinable
  mutating func closeSurplus<R: Radio & ~Copyable>(_ radio: inout R) {
    guard surplus != 0 else { return }
    if context.hasCome(surplusAt) {
      var index = 0
      while index < 32 {
        if surplus & (1 &<< UInt32(truncatingIfNeeded: index)) != 0 {
          radio.disconnect(ConnectionID(index: index))
        }
        index &+= 1
      }
      surplusAt = context.after(.seconds(2))
    }
    context.wake(by: surplusAt)
  }
}
