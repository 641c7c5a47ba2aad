import HeraldBluetooth
import HeraldHAL

// The choice of the peer to connect to.

extension Peers {
  /// Of the peers that need an exchange, the one with the highest priority: of those of the highest rank one
  /// that was heard just now, of these any, at random. The most recently heard would be the choice of every
  /// device at the same time, and the requests to connect would collide. In a flood it is the stranger that
  /// has waited for longest. If there is none, `workAt` becomes the moment when that may change by itself.
  /// Returns also whether other strangers wait.
  @inlinable
  mutating func choosePeer<let connections: Int>(
    isFlooded: Bool, connected: inout ConnectionTable<connections>, _ context: inout Context
  ) -> (place: Int, othersWait: Bool)? {
    let leastWait: UInt32? = isFlooded ? listening.leastWait : nil
    if TargetTable<targets>.isForCrowds { listening.crowding.beginCount(at: context.now) }
    var choice = PeerChoice()
    var later = Instant.never
    var place = 0
    while place < table.placesUsed {
      let worth =
        table[place].owesWork
        ? worth(of: place, leastWait: leastWait, &later, connected: &connected, &context) : 0
      choice.consider(place, worth: worth, random: &context.random)
      place &+= 1
    }
    guard choice.alike > 0 else {
      workAt = later
      return nil
    }
    // Where several wait there may be more: additional scanning starts.
    if choice.isAmongStrangers { listening.listenMore(at: context.now) }
    return (choice.place, choice.alike > 1 || isFlooded)
  }

  /// The weight of an exchange now with a peer that needs one, compared with others; 0 if none is possible,
  /// and `later` is then the moment when that may change by itself, if it was a later one. `leastWait` is for
  /// how many tenths of a second a stranger has to have waited in a flood; `nil` if there is no flood.
  @inlinable
  mutating func worth<let connections: Int>(
    of place: Int, leastWait: UInt32?, _ later: inout Instant, connected: inout ConnectionTable<connections>,
    _ context: inout Context
  ) -> UInt32 {
    let silence = table[place].silence(at: context.now)
    let isRhythmic = isAmongRhythmic && table[place].isCrowdMember(at: context.now)
    guard
      isRhythmic || silence <= context.configuration.inRange || table[place].has(Target.awaitsMessageFlag),
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
    if TargetTable<targets>.isForCrowds, table[place].isCrowdMember(at: context.now) {
      listening.crowding.count()
      if isCrowded, rank < PeerRank.message {
        return table[place].isAwaitedToConnect(inCrowd: true, &later, &context)
          ? 0 : PeerRank.worth(rank) &+ PeerRank.worthOfWait
      }
    }
    if listening.isSparing, leastWait == nil, rank < PeerRank.message,
      table[place].isAwaitedToConnect(inCrowd: isRhythmic, &later, &context)
    {
      return 0
    }
    let isThere = silence <= Attempt.justNow || listening.isSparing && leastWait == nil
    // A peer that is not connectable, or is reported so, is tried when there is no other.
    let worth =
      table[place].has(Target.takesNobodyFlag)
      ? 1 : PeerRank.worth(rank) &+ (isThere ? PeerRank.worthOfWait : 0)
    guard let leastWait, rank >= PeerRank.candidate, rank < PeerRank.message else { return worth }
    let wait = table[place].wait(at: context.now)
    // It is considered again at its next advertisement.
    guard isThere, wait >= leastWait else { return 0 }
    return worth &+ (wait < PeerRank.worthOfWait ? wait : PeerRank.worthOfWait &- 1)
  }

  /// The rank of an exchange with a peer now, −1 for none: a message of the application comes first; then a
  /// first exchange with a peer that shows a Herald service, then with one that may hide it, in either case
  /// one heard more than once ahead of one heard once, whose address may be generated and never respond; then
  /// signals to a peer that is known.
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

  /// Whether strangers have used up their budget of scanning, or of identities (`StrangerBudget`). Few are
  /// then added to the table, and an attempt at one of them would be long, as no other peer waits.
  @inlinable @inline(never)
  mutating func isFlooded(_ context: inout Context) -> Bool {
    !isCrowded && (listening.isExhausted(at: context.now) || strangers.isShort)
  }

  /// Charges the attempt that has ended, if it was to a stranger.
  @inlinable @inline(never)
  mutating func chargeAttempt(_ context: inout Context) {
    let place = Int(attempt.place)
    guard table[place].state != .read else { return }
    let length = UInt16(truncatingIfNeeded: context.now.milliseconds.low32) &- attempt.begunAt
    listening.charge(attemptOf: length, isFirst: table[place].failures == 0)
  }

  /// Ends the attempt now, without counting a failure of the peer.
  @inlinable @inline(never)
  mutating func cutAttempt(_ context: inout Context) {
    attempt.cut(until: context.now)
    context.hasNews = true
  }

  /// A peer's advertisement shows whether it is connectable. One that is not has as many connections as it
  /// can hold: the time is better spent on another peer. But such an advertisement can be forged under its
  /// address: an attempt continues for long enough to succeed with a peer that is connectable in fact.
  @inlinable @inline(never)
  mutating func noteTakesNobody(_ place: Int, _ takesNobody: Bool, _ context: inout Context) {
    table[place].note(takesNobody: takesNobody, at: context.now)
    guard takesNobody, attempt.isAlive(at: place), !table[place].has(Target.awaitsMessageFlag) else { return }
    attempt.cut(until: context.earlier(attempt.deadline, context.after(AttemptLength.hasty)))
    context.hasNews = true
  }

  // MARK: The attempt

  /// An attempt to connect to a peer has begun, which lasts until `limit` at most.
  @inlinable
  mutating func beginAttempt(_ place: Int, othersWait: Bool, limit: Instant, _ context: inout Context) {
    context.sink.count(.attempts)
    table.setHeld(place, true)
    let length = AttemptLength(
      of: table[place], othersWait: othersWait, isSparing: listening.isSparing,
      isFlooded: isFlooded(&context), isCrowded: isCrowded, isRhythmic: isAmongRhythmic, &context)
    attempt.begin(place, length, limit: limit, at: context.now)
    context.wake(by: attempt.deadline)
  }

  /// The attempt ended without a connection. `isAtWork` says that the peer's own connection is being used.
  @inlinable
  mutating func attemptFailed(isAtWork: Bool, _ context: inout Context) {
    chargeAttempt(&context)
    if isCrowded { listening.crowding.pause(chance: context.random.next(), at: context.now) }
    let ended = attempt
    attempt = Attempt()
    workAt = context.now
    let place = Int(ended.place)
    if isAtWork {
      context.sink.count(.attemptsCut)
    } else if ended.isCancelled, ended.isCut {
      // The peer did not have its full time: this is not counted as a failure.
      context.sink.count(.attemptsCut)
      table.setHeld(place, false)
      let pause = ended.isBrief && isAmongRhythmic ? listening.pause(500, &context.random) : nil
      let next = ended.isBrief ? AttemptLength.nextWindow : context.configuration.firstRetry
      leaveAlone(place, for: pause ?? next, &context)
    } else {
      postpone(place, ended.isCancelled ? .attemptTimeouts : .attemptsFailed, &context)
    }
  }

  /// The attempt has led to a connection. `false` if none was under way.
  @inlinable
  mutating func attemptSucceeded(_ context: inout Context) -> Bool {
    guard attempt.isActive else { return false }
    attempt.isActive = false
    if isCrowded { listening.crowding.pause(chance: context.random.next(), at: context.now) }
    chargeAttempt(&context)
    return true
  }

  /// The radio was reset: the attempt has ended.
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

  /// A peer opened a connection to this device. Two devices may connect to each other at the same moment:
  /// only one connection is possible, and the attempt of this device is repeated later.
  @inlinable
  mutating func called(by peer: DeviceAddress, _ context: inout Context) {
    if attempt.isActive, !attempt.isCancelled, table[Int(attempt.place)].address == peer {
      cutAttempt(&context)
    }
    if strangers.isShort { welcome(peer, &context) }
  }
}
