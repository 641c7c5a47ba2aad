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
    var choice = PeerChoice()
    var later = Instant.never
    var place = 0
    while place < table.placesUsed {
      let worth =
        table[place].owesWork
        ? worth(of: place, leastWait: isFlooded ? leastWait : nil, &later, connected: &connected, &context)
        : 0
      choice.consider(place, worth: worth, random: &context.random)
      place &+= 1
    }
    guard choice.alike > 0 else {
      workAt = later
      return nil
    }
    // Where several wait there may be more: it is worth listening for them.
    if choice.isAmongStrangers { listening.listenMore(at: context.now) }
    return (choice.place, choice.alike > 1 || isFlooded)
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
    attempt.cut(until: context.now)
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
    } else if attempt.isAlive(at: place), !table[place].has(Target.awaitsMessageFlag) {
      attempt.cut(until: context.earlier(attempt.deadline, context.after(Attempt.hastyLength)))
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
    attempt.begin(
      place, until: context.earlier(limit, deadline), isCut: isHasty || limit < deadline, at: context.now)
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

  /// The attempt has brought about a connection. `false` if none was under way.
  @inlinable
  mutating func attemptSucceeded(_ context: inout Context) -> Bool {
    guard attempt.isActive else { return false }
    attempt.isActive = false
    chargeAttempt(&context)
    return true
  }

  /// The radio was reset: the attempt is over, and nobody is being connected to.
  @inlinable
  mutating func radioForgot(_ context: inout Context) {
    workAt = context.now
    guard attempt.isActive else { return }
    table.setHeld(Int(attempt.place), false)
    attempt = Attempt()
  }

  /// Whether an attempt at one of the peers is to be cancelled now.
  @inlinable
  mutating func isAttemptOverdue(_ context: inout Context) -> Bool {
    let isOverdue = attempt.isOverdue(at: context.now)
    context.wake(by: attempt.deadline)
    return isOverdue
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
