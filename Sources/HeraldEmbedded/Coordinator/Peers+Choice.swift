import HeraldBluetooth
import HeraldHAL

// Whom to connect to.

extension Peers {
  /// Of the peers that want an exchange now, one that it is most worth having with: of those of the highest
  /// rank one that was heard just now, of these any, by chance. The most recently heard would be everybody's
  /// choice at the same time, and then nobody understands the requests to connect. In a flood it is the
  /// stranger that has waited for longest. If there is none, `workAt` becomes the moment when that may change
  /// by itself. Says also whether other strangers wait.
  @inlinable
  mutating func choosePeer<let connections: Int>(
    isFlooded: Bool, connected: inout ConnectionTable<connections>, _ context: inout Context
  ) -> (place: Int, othersWait: Bool)? {
    let leastWait = isFlooded ? listening.leastWait : 0
    var best: Int?
    var bestWorth: UInt32 = 0
    var alike: UInt32 = 0
    var later = Instant.never
    var place = 0
    while place < table.placesUsed {
      let worth =
        table[place].owesWork
        ? worth(of: place, leastWait: isFlooded ? leastWait : nil, &later, connected: &connected, &context)
        : 0
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
    if alike > 1, bestWorth >= PeerRank.worth(PeerRank.stranger), bestWorth < PeerRank.worth(PeerRank.message)
    {
      listening.listenMore(at: context.now)
    }
    return (best, alike > 1 || isFlooded)
  }

  /// How much it is worth to have an exchange now with a peer that wants one, compared with others; 0 if
  /// there can be none, and `later` is then the moment when that may change by itself, if it was a later one.
  /// `leastWait` is for how many tenths of a second a stranger has to have waited in a flood; `nil` if there
  /// is none.
  @inlinable
  mutating func worth<let connections: Int>(
    of place: Int, leastWait: UInt32?, _ later: inout Instant, connected: inout ConnectionTable<connections>,
    _ context: inout Context
  ) -> UInt32 {
    let silence = table[place].silence(at: context.now)
    guard silence <= context.configuration.inRange || table[place].has(Target.awaitsMessageFlag),
      !table[place].isHeld, !connected.isConnected(table[place].address)
    else { return 0 }
    var rank = -1
    if table[place].retryAt <= context.now {
      rank = self.rank(of: place, &context)
      if rank < 0 { settle(place, &context) }
    }
    guard rank >= 0 else {
      if table[place].owesWork { later = context.earlier(later, table[place].retryAt) }
      return 0
    }
    let isThere = silence <= Attempt.justNow
    // One that takes no connections, or of which somebody says so, is tried when nobody else is there.
    let worth =
      table[place].has(Target.takesNobodyFlag)
      ? 1 : PeerRank.worth(rank) &+ (isThere ? PeerRank.worthOfWait : 0)
    guard let leastWait, rank >= PeerRank.candidate, rank < PeerRank.message else { return worth }
    let wait = table[place].wait(at: context.now)
    // It is looked at again when it is heard again.
    guard isThere, wait >= leastWait else { return 0 }
    return worth &+ (wait < PeerRank.worthOfWait ? wait : PeerRank.worthOfWait &- 1)
  }

  /// How much it is worth to have an exchange with a peer now, −1 if not at all: a message of the
  /// application's comes first; then to meet a peer that shows a Herald service, then one that may hide it,
  /// in either case one heard more than once ahead of one heard once, which may be a made-up address that
  /// nobody answers at; then signals to a peer that is known.
  @inlinable
  mutating func rank(of place: Int, _ context: inout Context) -> Int {
    switch task(for: place, &context) {
    case .nothing: return -1
    case .sendMessage: return PeerRank.message
    case .meet, .readPayload:
      let isRepeated = table[place].readings > 1 ? 1 : 0
      return (table[place].state == .candidate ? PeerRank.candidate : PeerRank.stranger) &+ isRepeated
    case .readModel, .readCodes, .writePayload: return 1
    case .share, .writeRSSI: return 0
    }
  }

  /// Whether strangers have used up what is there for them: of listening, or of identities
  /// (`StrangerBudget`). Few are taken in then, and an attempt at one of them would be long, as nobody else
  /// waits.
  @inlinable @inline(never)
  mutating func isFlooded(_ context: inout Context) -> Bool {
    listening.isExhausted(at: context.now) || strangers.isShort
  }

  /// The attempt that has ended is charged, if it was at a stranger.
  @inlinable @inline(never)
  mutating func chargeAttempt(_ context: inout Context) {
    let place = Int(attempt.place)
    guard table[place].state != .read else { return }
    let length = UInt16(truncatingIfNeeded: context.now.milliseconds.low32) &- attempt.begunAt
    listening.charge(attemptOf: length, isFirst: table[place].failures == 0)
  }

  /// Has the attempt end now, without anything being held against the peer.
  @inlinable @inline(never)
  mutating func cutAttempt(_ context: inout Context) {
    attempt.isCut = true
    attempt.deadline = context.now
    context.hasNews = true
  }

  /// A peer says whether it takes connections. One that takes none has as many as it can: the time is better
  /// spent on somebody else. But anybody can say so under its address: an attempt goes on for long enough to
  /// succeed with a peer that is said to take none and does.
  @inlinable @inline(never)
  mutating func noteTakesNobody(_ place: Int, _ takesNobody: Bool, _ context: inout Context) {
    table[place].set(Target.takesNobodyFlag, takesNobody)
    if !takesNobody {
      if table[place].failures == 0, table[place].retryAt > context.now { table[place].retryAt = context.now }
    } else if attempt.isActive, !attempt.isCancelled, place == Int(attempt.place),
      !table[place].has(Target.awaitsMessageFlag)
    {
      attempt.isCut = true
      attempt.deadline = context.earlier(attempt.deadline, context.after(Attempt.hastyLength))
      context.hasNews = true
    }
  }

  // MARK: The attempt

  /// An attempt to connect to a peer has begun, which lasts until `limit` at most.
  @inlinable
  mutating func beginAttempt(_ place: Int, othersWait: Bool, limit: Instant, _ context: inout Context) {
    context.sink.count(.attempts)
    table.setHeld(place, true)
    let isHasty = othersWait && table[place].state != .read && !table[place].has(Target.awaitsMessageFlag)
    let deadline = context.after(isHasty ? Attempt.hastyLength : context.configuration.attemptTimeout)
    attempt.isActive = true
    attempt.isCancelled = false
    attempt.isCut = isHasty || limit < deadline
    attempt.place = UInt16(truncatingIfNeeded: place)
    attempt.begunAt = UInt16(truncatingIfNeeded: context.now.milliseconds.low32)
    attempt.deadline = context.earlier(limit, deadline)
    context.wake(by: attempt.deadline)
  }

  /// The attempt ended without a connection. `isAtWork` says that the peer's own connection is being used.
  @inlinable
  mutating func attemptFailed(isAtWork: Bool, _ context: inout Context) {
    chargeAttempt(&context)
    let ended = attempt
    attempt = Attempt()
    workAt = context.now
    let place = Int(ended.place)
    if isAtWork {
      context.sink.count(.attemptsCut)
    } else if ended.isCancelled, ended.isCut {
      // The peer did not have the time it is entitled to: nothing is held against it.
      context.sink.count(.attemptsCut)
      table.setHeld(place, false)
      leaveAlone(place, for: context.configuration.firstRetry, &context)
    } else {
      postpone(place, ended.isCancelled ? .attemptTimeouts : .attemptsFailed, &context)
    }
  }

  /// The attempt is over as the radio was reset.
  @inlinable
  mutating func dropAttempt() {
    guard attempt.isActive else { return }
    table.setHeld(Int(attempt.place), false)
    attempt = Attempt()
  }

  /// A peer opened a connection to us. Two devices may call each other at the same moment: one connection is
  /// all there can be, and ours is tried again later.
  @inlinable
  mutating func called(by peer: DeviceAddress, _ context: inout Context) {
    if attempt.isActive, !attempt.isCancelled, table[Int(attempt.place)].address == peer {
      cutAttempt(&context)
    }
    if strangers.isShort { welcome(peer, &context) }
  }
}

/// How much it is worth to have an exchange with a peer (docs/coordinator.md, section 4).
@usableFromInline
enum PeerRank {
  /// A message of the application's.
  @usableFromInline static var message: Int { 6 }
  /// The lower of the two of a peer that shows a service and is to be read.
  @usableFromInline static var stranger: Int { 4 }
  /// The lower of the two of a peer that may hide a service.
  @usableFromInline static var candidate: Int { 2 }

  /// What a rank counts for when peers are compared: twice the most that a peer's being there does, and that
  /// twice the most of its wait.
  @inlinable
  static func worth(_ rank: Int) -> UInt32 { UInt32(truncatingIfNeeded: rank &+ 1) &* (2 &* worthOfWait) }
  /// See `worth`.
  @usableFromInline static var worthOfWait: UInt32 { 0x8000 }
}

/// How long a peer is left alone at which others were at the same time.
@usableFromInline
enum Retry {
  /// The wait after a first exchange that failed because of others; it doubles with each further failure, up
  /// to 1 s…
  @usableFromInline static var contendedRetry: Interval { .milliseconds(125) }
  /// …for so many failures.
  @usableFromInline static var contendedTries: UInt8 { 8 }
}
