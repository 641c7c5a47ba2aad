// What the radio is told to do: everything the core wants of it is said here, and only here.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Looks at every deadline, commands the radio, and returns when to call again at the latest. Also to be called after each
  /// `poll` of the radio that may have had events.
  @inlinable
  public mutating func run<R: Radio & ~Copyable>(at now: Instant, commanding radio: inout R) -> Instant {
    if !isStarted { start(at: now) }
    hasNews = false
    var next = housekeep(at: now)
    guard radio.state == .ready, radioState == .ready else { return next }
    capabilities = radio.capabilities
    server.maximumMTU = capabilities.maximumPDU
    wasRefused = false

    next = earlier(next, driveLinks(at: now, &radio))
    next = earlier(next, endAttempt(at: now, &radio))
    next = earlier(next, rotate(at: now))
    next = earlier(next, beginAttempt(at: now, &radio))
    next = earlier(next, scan(at: now, &radio))
    next = earlier(next, advertise(at: now, &radio))
    if wasRefused {
      counters.count(.radioRefusals)
      next = earlier(next, now + .milliseconds(100))
    }
    return next
  }

  @inlinable @inline(__always)
  func earlier(_ left: Instant, _ right: Instant) -> Instant { left < right ? left : right }

  /// Makes what has to be random, opens the log.
  @inlinable
  mutating func start(at now: Instant) {
    isStarted = true
    if key.isNone { key = IdentityResolvingKey.make(random: &random) }
    table.setSeed(random.next())
    log.mount(freshEpoch: random.next())
    record(.started(reason: configuration.startReason), at: now)
    commitAt = now + configuration.commitPeriod
  }

  /// Ages out the silent, brings the log to flash.
  @inlinable
  mutating func housekeep(at now: Instant) -> Instant {
    var next = Instant.never
    while let place = table.longestSilent {
      let due = table[place].lastSeen + configuration.expiry
      guard now >= due else {
        next = due
        break
      }
      let identity = table[place].identity
      table.remove(place)
      counters.count(.losses)
      record(.lost(identity), at: now)
      delegate.didLose(identity, at: now)
    }
    if now >= commitAt {
      log.commit()
      // An erasure may take a tenth of a second; with nobody connected nobody waits for it.
      if openConnections() == 0 { log.maintain() }
      commitAt = now + configuration.commitPeriod
    }
    return earlier(next, commitAt)
  }

  // MARK: Connections

  /// Sends the next request of every exchange, ends those that take too long. None waits for another.
  @inlinable
  mutating func driveLinks<R: Radio & ~Copyable>(at now: Instant, _ radio: inout R) -> Instant {
    var next = Instant.never
    var index = 0
    while index < connections {
      if links[index].step != .closed { next = earlier(next, drive(index, at: now, &radio)) }
      index &+= 1
    }
    return earlier(next, closeSurplus(at: now, &radio))
  }

  @inlinable
  mutating func drive<R: Radio & ~Copyable>(_ index: Int, at now: Instant, _ radio: inout R) -> Instant {
    let connection = ConnectionID(index: index)
    if links[index].step == .serving {
      let idleEnd = links[index].lastAsked + configuration.servingIdle
      let end = earlier(links[index].end, idleEnd)
      guard now >= end else { return end }
      close(index, at: now)
    }
    if links[index].step.isWorking {
      if now >= links[index].end {
        fail(index, .exchangesTimedOut, at: now)
      } else {
        if case .failed = links[index].client.expire(at: now) { fail(index, .exchangesTimedOut, at: now) }
      }
    }
    if links[index].step.isWorking {
      request(index, &radio, at: now)
      return earlier(links[index].end, links[index].client.deadline)
    }
    // Being closed: the radio is asked now, and again every two seconds for as long as it has not closed it.
    if now >= links[index].end {
      radio.disconnect(connection)
      links[index].end = now + .seconds(2)
    }
    return links[index].end
  }

  /// Sends the request an exchange has to send, if it has one and the radio takes it; if not, it stays to be sent.
  @inlinable
  mutating func request<R: Radio & ~Copyable>(_ index: Int, _ radio: inout R, at now: Instant) {
    let connection = ConnectionID(index: index)
    var bytes: [32 of UInt8] = .init(repeating: 0)
    var buffer = bytes.mutableSpan
    let none: [1 of UInt8] = [0]
    let count = links[index].client.nextRequest(
      into: &buffer, mtu: server.mtu(connection), value: none.span.extracting(0..<0), at: now)
    guard count > 0, count <= 32 else { return }
    do throws(RadioError) {
      try radio.send(bytes.span.extracting(0..<count), on: connection)
    } catch {
      switch error {
      case .busy: links[index].client.notSent()  // `readyToSend` follows
      default: fail(index, .exchangesDropped, at: now)
      }
    }
  }

  /// Closes connections that have numbers beyond our places: asks now, and again every two seconds until they are closed.
  @inlinable
  mutating func closeSurplus<R: Radio & ~Copyable>(at now: Instant, _ radio: inout R) -> Instant {
    guard surplus != 0 else { return .never }
    guard now >= surplusAt else { return surplusAt }
    var index = 0
    while index < 32 {
      if surplus & (1 &<< UInt32(truncatingIfNeeded: index)) != 0 {
        radio.disconnect(ConnectionID(index: index))
      }
      index &+= 1
    }
    surplusAt = now + .seconds(2)
    return surplusAt
  }

  /// How many connections are open or being closed, and the most there may be.
  @inlinable
  mutating func openConnections() -> Int {
    var open = 0
    var index = 0
    while index < connections {
      if links[index].step != .closed { open &+= 1 }
      index &+= 1
    }
    return open
  }

  /// The most connections there may be.
  @inlinable
  var connectionLimit: Int { connections < capabilities.connections ? connections : capabilities.connections }

  /// Ends the attempt that takes too long. It stays active until the radio says how it ended; a radio that does not
  /// is asked again every two seconds.
  @inlinable
  mutating func endAttempt<R: Radio & ~Copyable>(at now: Instant, _ radio: inout R) -> Instant {
    guard attempt.isActive else { return .never }
    if now >= attempt.deadline {
      radio.cancelConnect()
      attempt.isCancelled = true
      attempt.deadline = now + .seconds(2)
    }
    return attempt.deadline
  }

  /// Begins to connect to the peer it is most worth connecting to, if one can be connected to now. One place among the
  /// connections, if there are several, is left to peers.
  @inlinable
  mutating func beginAttempt<R: Radio & ~Copyable>(at now: Instant, _ radio: inout R) -> Instant {
    guard configuration.scans, capabilities.canConnect, !attempt.isActive else { return .never }
    let limit = connectionLimit
    guard openConnections() < (limit > 1 ? limit &- 1 : limit) else { return .never }
    guard now >= workAt else { return workAt }
    var deadline = now + configuration.attemptTimeout
    var isCut = false
    if !capabilities.canScanWhileConnecting {
      // Until there has been a scan nothing is attempted; the scan's own deadline brings us back here.
      guard let limit = scanning.attemptLimit(at: now) else { return .never }
      isCut = limit < deadline
      deadline = earlier(limit, deadline)
    }
    guard let place = choosePeer(at: now) else { return workAt }
    if !capabilities.canScanWhileConnecting, shownScan != nil {
      radio.stopScanning()
      shownScan = nil
    }
    do throws(RadioError) {
      try radio.connect(
        to: table[place].address, ConnectionParameters(ownAddress: advertising.address))
    } catch {
      wasRefused = true
      return .never
    }
    counters.count(.attempts)
    table.setHeld(place, true)
    attempt.isActive = true
    attempt.isCancelled = false
    attempt.isCut = isCut
    attempt.place = UInt16(truncatingIfNeeded: place)
    attempt.deadline = deadline
    return deadline
  }

  /// Of the peers that want an exchange now, the one it is most worth having with: one that shows a Herald service ahead of one
  /// that may hide it; among these one heard more than once ahead of one heard once, which may be a made-up address that nobody
  /// answers at; among these the most recently heard. If there is none, `workAt` becomes the moment when that may change by itself.
  @inlinable
  mutating func choosePeer(at now: Instant) -> Int? {
    var best: Int?
    var bestRank = -1
    var later = Instant.never
    var next = table.newestOwing
    while let place = next, bestRank < 3 {
      guard now <= table[place].lastSeen + configuration.inRange else { break }
      if !table[place].isHeld, !isConnected(table[place].address) {
        let retryAt = table[place].retryAt
        let rank = (table[place].state == .candidate ? 0 : 2) &+ (table[place].readings > 1 ? 1 : 0)
        if retryAt > now {
          later = earlier(later, retryAt)
        } else if rank > bestRank {
          best = place
          bestRank = rank
        }
      }
      next = table.older(than: place)
    }
    if best == nil { workAt = later }
    return best
  }

  /// Whether a connection with this address is open.
  @inlinable
  mutating func isConnected(_ address: DeviceAddress) -> Bool {
    var index = 0
    while index < connections {
      if links[index].step != .closed, links[index].peer == address { return true }
      index &+= 1
    }
    return false
  }

  // MARK: Scanning and advertising

  /// Takes a new address and, with it, a new payload, when that is due and no attempt is under way.
  @inlinable
  mutating func rotate(at now: Instant) -> Instant {
    guard !attempt.isActive else { return .never }
    guard rotation.isDue(at: now) else { return rotation.deadline }
    guard
      let identity = OwnIdentity.make(key, lifetime: configuration.addressPeriod, random: &random)
    else {
      wasRefused = true  // the random source does not work: the old address stays, and it is tried again
      return .never
    }
    show(identity)
    values.rotatedAt = now
    values.rotatedUnixSeconds = clock.unixSeconds(at: now)
    counters.count(.rotations)
    rotation.rotated(at: now)
    rotation.noLater(than: values.supplier.nextChange(after: values.rotatedUnixSeconds, now: now))
    offerPayload(at: now)
    return rotation.deadline
  }

  /// Advertises under a new identity. Not inlined: its buffer is to be off the stack when the payload is made.
  @inline(never)
  @usableFromInline
  mutating func show(_ identity: OwnIdentity) {
    var bytes: [31 of UInt8] = .init(repeating: 0)
    var buffer = bytes.mutableSpan
    var advertisement = configuration.advertisement
    advertisement.pseudoAddress = identity.pseudoAddress
    // The short service goes first where both do not fit beside a pseudo device address.
    if advertisement.length > 31 { advertisement.omitted = advertisement.omitted.union(.short) }
    var length = 0
    do throws(HeraldAdvertisementError) { length = try advertisement.write(to: &buffer) } catch { length = 0 }
    advertising.rotate(to: identity.address)
    advertising.setData(0, bytes.span.extracting(0..<length), scanResponse: bytes.span.extracting(0..<0))
  }

  /// Asks whether there is a payload at present. Without one nothing is advertised: peers would connect in vain.
  @inlinable
  mutating func offerPayload(at now: Instant) {
    let nobody = ConnectionID(index: connections)
    guard let index = values.makePayload(for: nobody) else {
      offersPayload = false
      advertising.remove(0)
      // The date may be missing, or every buffer be in use: the next rotation comes sooner.
      rotation.noLater(than: now + .seconds(10))
      return
    }
    let digest = values.pool.buffers[index].digest()
    if digest != loggedPayload {
      loggedPayload = digest
      if !values.pool.buffers[index].record(.ownPayload, in: &log, at: now, clock: clock) {
        counters.count(.logErrors)
      }
    }
    values.pool.release(nobody)
    offersPayload = true
    advertising.setTiming(0, interval: configuration.advertisingInterval, share: 1, connectable: true)
  }

  @inlinable
  mutating func scan<R: Radio & ~Copyable>(at now: Instant, _ radio: inout R) -> Instant {
    guard configuration.scans else { return .never }
    let isBlocked = attempt.isActive && !capabilities.canScanWhileConnecting
    let plan = scanning.next(at: now, blocked: isBlocked)
    guard plan.scan else {
      if shownScan != nil {
        radio.stopScanning()
        shownScan = nil
      }
      return plan.deadline
    }
    let timing = configuration.scanTiming
    let parameters = ScanParameters(
      ownAddress: advertising.address, interval: timing.interval, window: timing.window, active: timing.active
    )
    guard parameters != shownScan else { return plan.deadline }
    do throws(RadioError) {
      try radio.startScanning(parameters)
      shownScan = parameters
    } catch {
      wasRefused = true
    }
    return plan.deadline
  }

  /// Whether peers can find this device, or it is the one that has to go to them (HP-06).
  @inlinable
  var canAdvertise: Bool { configuration.advertises && capabilities.canAdvertise }

  @inlinable
  mutating func advertise<R: Radio & ~Copyable>(at now: Instant, _ radio: inout R) -> Instant {
    let open = openConnections()
    let plan = advertising.next(
      at: now,
      allowed: .init(
        connectable: open < connectionLimit && (open == 0 || capabilities.canAdvertiseWhileConnected),
        any: canAdvertise && offersPayload))
    guard plan.changed else { return plan.deadline }
    switch plan.wish {
    case .silence: radio.stopAdvertising()
    case .set(let set, let parameters):
      do throws(RadioError) {
        try advertising.start(set, parameters, on: &radio)
      } catch {
        wasRefused = true
        advertising.radioForgot()
      }
    }
    return plan.deadline
  }
}
