// Connection attempts: to whom, when, for how long, and which connection is given up for one.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Ends the attempt that takes too long. It stays active until the radio says how it ended; a radio that
  /// does not is asked again every two seconds.
  @inlinable
  mutating func endAttempt<R: Radio & ~Copyable>(_ radio: inout R) {
    guard attempt.isActive else { return }
    if context.hasCome(attempt.deadline) {
      radio.cancelConnect()
      attempt.isCancelled = true
      attempt.deadline = context.after(.seconds(2))
    }
    context.wake(by: attempt.deadline)
  }

  /// Has the attempt end now, without anything being held against the peer.
  @inlinable @inline(never)
  mutating func cutAttempt() {
    attempt.isCut = true
    attempt.deadline = context.now
    context.hasNews = true
  }

  /// A peer says whether it takes connections. One that takes none has as many as it can: the time is better
  /// spent on somebody else. But anybody can say so under its address: an attempt goes on for long enough to
  /// succeed with a peer that is said to take none and does.
  @inlinable @inline(never)
  mutating func noteTakesNobody(_ place: Int, _ takesNobody: Bool) {
    table[place].set(Target.takesNobodyFlag, takesNobody)
    if !takesNobody {
      if table[place].failures == 0, table[place].retryAt > context.now { table[place].retryAt = context.now }
    } else if attempt.isActive, !attempt.isCancelled, place == Int(attempt.place),
      !table[place].has(Target.awaitsMessageFlag)
    {
      attempt.isCut = true
      attempt.deadline = context.earlier(attempt.deadline, context.after(Self.hastyAttempt))
      context.hasNews = true
    }
  }

  /// Begins to connect to the peer it is most worth connecting to, if one can be connected to now. One place
  /// among the connections, if there are several, is left to peers.
  @inlinable @inline(never)
  mutating func beginAttempt<R: Radio & ~Copyable>(_ radio: inout R) {
    guard context.configuration.scans, context.capabilities.canConnect, !attempt.isActive else { return }
    guard context.hasCome(workAt) else {
      context.wake(by: workAt)
      return
    }
    let most = connectionLimit
    let isFull = openConnections() >= (most > 1 ? most &- 1 : most)
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
    let isFlooded = isFlooded()
    guard let (place, othersWait) = choosePeer(isFlooded: isFlooded) else {
      context.wake(by: workAt)
      return
    }
    guard !isFull else {
      giveUpConnection(forMessage: table[place].has(Target.awaitsMessageFlag))
      awaitGrace()  // or until one is closed
      return
    }
    if !context.capabilities.canScanWhileConnecting, shownScan != nil {
      radio.stopScanning()
      shownScan = nil
    }
    do throws(RadioError) {
      try radio.connect(
        to: table[place].address, ConnectionParameters(ownAddress: advertising.address))
    } catch {
      context.wasRefused = true
      return
    }
    context.sink.count(.attempts)
    table.setHeld(place, true)
    let isHasty = othersWait && table[place].state != .read && !table[place].has(Target.awaitsMessageFlag)
    let deadline = context.after(isHasty ? Self.hastyAttempt : context.configuration.attemptTimeout)
    attempt.isActive = true
    attempt.isCancelled = false
    attempt.isCut = isHasty || limit < deadline
    attempt.place = UInt16(truncatingIfNeeded: place)
    attempt.begunAt = UInt16(truncatingIfNeeded: context.now.milliseconds.low32)
    attempt.deadline = context.earlier(limit, deadline)
    context.wake(by: attempt.deadline)
  }

  /// Of the peers that want an exchange now, one that it is most worth having with: of those of the highest
  /// rank one that was heard just now, of these any, by chance. The most recently heard would be everybody's
  /// choice at the same time, and then nobody understands the requests to connect. In a flood it is the
  /// stranger that has waited for longest. If there is none, `workAt` becomes the moment when that may change
  /// by itself. Says also whether other strangers wait.
  @inlinable
  mutating func choosePeer(isFlooded: Bool) -> (place: Int, othersWait: Bool)? {
    let leastWait = isFlooded ? leastWaitInFlood() : 0
    var best: Int?
    var bestWorth: UInt32 = 0
    var alike: UInt32 = 0
    var later = Instant.never
    var place = 0
    while place < table.placesUsed {
      let worth = table[place].owesWork ? worth(of: place, leastWait: isFlooded ? leastWait : nil, &later) : 0
      if worth > bestWorth {
        best = place
        bestWorth = worth
        alike = 1
      } else if worth > 0, worth == bestWorth {
        // The n-th of them takes the place of the one chosen so far with a chance of 1/n: all have the same
        // in the end.
        alike &+= 1
        if (context.random.next() &>> 16) &* alike < 0x1_0000 { best = place }
      }
      place &+= 1
    }
    guard let best else {
      workAt = later
      return nil
    }
    // Where several wait there may be more: it is worth listening for them.
    if alike > 1, bestWorth >= Self.worth(Self.strangerRank), bestWorth < Self.worth(Self.messageRank) {
      listenMore()
    }
    return (best, alike > 1 || isFlooded)
  }

  /// How much it is worth to have an exchange now with a peer that wants one, compared with others; 0 if
  /// there can be none, and `later` is then the moment when that may change by itself, if it was a later one.
  /// `leastWait` is for how many tenths of a second a stranger has to have waited in a flood; `nil` if there
  /// is none.
  @inlinable
  mutating func worth(of place: Int, leastWait: UInt32?, _ later: inout Instant) -> UInt32 {
    let silence = table[place].silence(at: context.now)
    guard silence <= context.configuration.inRange || table[place].has(Target.awaitsMessageFlag),
      !table[place].isHeld, !isConnected(table[place].address)
    else { return 0 }
    var rank = -1
    if table[place].retryAt <= context.now {
      rank = self.rank(of: place)
      if rank < 0 { settle(place) }
    }
    guard rank >= 0 else {
      if table[place].owesWork { later = context.earlier(later, table[place].retryAt) }
      return 0
    }
    let isThere = silence <= Self.justNow
    // One that takes no connections, or of which somebody says so, is tried when nobody else is there.
    let worth =
      table[place].has(Target.takesNobodyFlag) ? 1 : Self.worth(rank) &+ (isThere ? Self.worthOfWait : 0)
    guard let leastWait, rank >= Self.candidateRank, rank < Self.messageRank else { return worth }
    let wait = table[place].wait(at: context.now)
    // It is looked at again when it is heard again.
    guard isThere, wait >= leastWait else { return 0 }
    return worth &+ (wait < Self.worthOfWait ? wait : Self.worthOfWait &- 1)
  }

  /// What a rank counts for when peers are compared: twice the most that a peer's being there does, and that
  /// twice the most of its wait.
  @inlinable
  static func worth(_ rank: Int) -> UInt32 { UInt32(truncatingIfNeeded: rank &+ 1) &* (2 &* worthOfWait) }
  /// See `worth`.
  @inlinable
  static var worthOfWait: UInt32 { 0x8000 }

  /// How much it is worth to have an exchange with a peer now, −1 if not at all: a message of the
  /// application's comes first; then to meet a peer that shows a Herald service, then one that may hide it,
  /// in either case one heard more than once ahead of one heard once, which may be a made-up address that
  /// nobody answers at; then signals to a peer that is known.
  @inlinable
  mutating func rank(of place: Int) -> Int {
    switch task(for: place) {
    case .nothing: return -1
    case .sendMessage: return Self.messageRank
    case .meet, .readPayload:
      let isRepeated = table[place].readings > 1 ? 1 : 0
      return (table[place].state == .candidate ? Self.candidateRank : Self.strangerRank) &+ isRepeated
    case .readModel, .readCodes, .writePayload: return 1
    case .share, .writeRSSI: return 0
    }
  }

  /// The rank of a message of the application's, and the lower of the two of a peer that shows a service and
  /// is to be read.
  @inlinable
  static var messageRank: Int { 6 }
  /// See `messageRank`.
  @inlinable
  static var strangerRank: Int { 4 }
  /// The lower of the two of a peer that may hide a service.
  @inlinable
  static var candidateRank: Int { 2 }
  /// How long it is scanned more since several strangers were there to choose among.
  @inlinable
  static var busyHold: Interval { .seconds(2) }

  // MARK: The connection budget (HP-25)

  /// How many connections are open or being closed.
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
    return forMessage && step.isWorking && !table[Int(links[index].place)].has(Target.awaitsMessageFlag)
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
    if links[index].holdsTarget { return table[Int(links[index].place)].lastRSSI.rawValue }
    guard let place = table.find(TargetIdentity(links[index].peer)) else { return -128 }
    return table[place].lastRSSI.rawValue
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
      leaveAlone(Int(links[index].place), for: context.configuration.firstRetry)
    }
    close(index)
    context.hasNews = true
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
}
