import HeraldBluetooth
import HeraldHAL

// The choice of the peer to connect to.

extension Peers {
  /// Of the peers that need an exchange, the one with the highest priority: of those of the highest rank one
  /// that was received just now, of these any, at random. The most recently received would be the choice of
  /// every device at the same time, and the requests to connect would collide. In a flood it is the stranger
  /// that has waited for longest. If there is none, `workAt` becomes the moment when that may change by
  /// itself. Returns also whether other strangers wait.
  mutating func choosePeer<let connections: Int>(
    isFlooded: Bool, connected: inout ConnectionTable<connections>, _ context: inout Context
  ) -> (slot: Int, othersWait: Bool)? {
    let leastWait: UInt32? = isFlooded ? scanBudget.leastWait : nil
    if TargetTable<targets>.isForCrowds { scanBudget.crowding.beginCount(at: context.now) }
    var choice = PeerChoice()
    var later = Instant.never
    var slot = 0
    while slot < table.slotsUsed {
      let worth =
        table[slot].owesWork
        ? worth(of: slot, leastWait: leastWait, &later, connected: &connected, &context) : 0
      choice.consider(slot, worth: worth, random: &context.random)
      slot &+= 1
    }
    guard choice.alike > 0 else {
      workAt = later
      return nil
    }
    // Where several wait there may be more: additional scanning starts.
    if choice.isAmongStrangers { scanBudget.scanMore(at: context.now) }
    return (choice.slot, choice.alike > 1 || isFlooded)
  }

  /// The weight of an exchange now with a peer that needs one, compared with others; 0 if none is possible,
  /// and `later` is then the moment when that may change by itself, if it was a later one. `leastWait` is for
  /// how many tenths of a second a stranger has to have waited in a flood; `nil` if there is no flood.
  mutating func worth<let connections: Int>(
    of slot: Int, leastWait: UInt32?, _ later: inout Instant, connected: inout ConnectionTable<connections>,
    _ context: inout Context
  ) -> UInt32 {
    let silence = table[slot].silence(at: context.now)
    let isRhythmic = isAmongRhythmic && table[slot].isCrowdMember(at: context.now)
    guard
      isRhythmic || silence <= context.configuration.inRange || table[slot].has(Target.awaitsMessageFlag),
      !table[slot].isHeld, !connected.isConnected(table[slot].address)
    else { return 0 }
    var rank = -1
    if table[slot].retryAt <= context.now {
      rank = self.rank(of: slot, &context)
      if rank < 0 { settle(slot, &context) }
    }
    guard rank >= 0 else {
      if table[slot].owesWork { later = context.earlier(later, table[slot].retryAt) }
      return 0
    }
    if TargetTable<targets>.isForCrowds, table[slot].isCrowdMember(at: context.now) {
      scanBudget.crowding.count()
      if isCrowded, rank < PeerRank.message {
        return table[slot].isAwaitedToConnect(inCrowd: true, &later, &context)
          ? 0 : PeerRank.worth(rank) &+ PeerRank.worthOfWait
      }
    }
    if scanBudget.isSparing, leastWait == nil, rank < PeerRank.message,
      table[slot].isAwaitedToConnect(inCrowd: isRhythmic, &later, &context)
    {
      return 0
    }
    let isThere = silence <= Attempt.justNow || scanBudget.isSparing && leastWait == nil
    // A peer that is not connectable, or is reported so, is tried when there is no other.
    let worth =
      table[slot].has(Target.refusesConnectionsFlag)
      ? 1 : PeerRank.worth(rank) &+ (isThere ? PeerRank.worthOfWait : 0)
    guard let leastWait, rank >= PeerRank.candidate, rank < PeerRank.message else { return worth }
    let wait = table[slot].wait(at: context.now)
    // It is considered again at its next advertisement.
    guard isThere, wait >= leastWait else { return 0 }
    return worth &+ (wait < PeerRank.worthOfWait ? wait : PeerRank.worthOfWait &- 1)
  }

  /// The rank of an exchange with a peer now, −1 for none: a message of the application comes first; then a
  /// first exchange with a peer that shows a Herald service, then with one that may hide it, in either case
  /// one received more than once ahead of one received once, whose address may be generated and never
  /// respond; then signals to a peer that is known.
  mutating func rank(of slot: Int, _ context: inout Context) -> Int {
    switch task(for: slot, &context) {
    case .nothing: return -1
    case .sendMessage: return PeerRank.message
    case .meet, .readPayload:
      let isRepeated = table[slot].readings > 1 ? 1 : 0
      return (table[slot].state == .candidate ? PeerRank.candidate : PeerRank.stranger) &+ isRepeated
    case .readModel, .readCodes, .writePayload: return 1
    case .share, .writeRSSI: return 0
    }
  }

  /// Whether strangers have used up their budget of scanning, or of identities (`StrangerBudget`). Few are
  /// then added to the table, and an attempt at one of them would be long, as no other peer waits.
  @inline(never)
  mutating func isFlooded(_ context: inout Context) -> Bool {
    !isCrowded && (scanBudget.isExhausted(at: context.now) || strangers.isShort)
  }

  /// Charges the attempt that has ended, if it was to a stranger.
  @inline(never)
  mutating func chargeAttempt(_ context: inout Context) {
    let slot = Int(attempt.slot)
    guard table[slot].state != .read else { return }
    let length = UInt16(truncatingIfNeeded: context.now.milliseconds.low32) &- attempt.begunAt
    scanBudget.charge(attemptOf: length, isFirst: table[slot].failures == 0)
  }

  /// Ends the attempt now, without counting a failure of the peer.
  @inline(never)
  mutating func cutAttempt(_ context: inout Context) {
    attempt.cut(until: context.now)
    context.hasNews = true
  }

  /// A peer's advertisement shows whether it is connectable. One that is not has as many connections as it
  /// can hold: the time is better spent on another peer. But such an advertisement can be forged under its
  /// address: an attempt continues for long enough to succeed with a peer that is connectable in fact.
  @inline(never)
  mutating func noteRefusesConnections(_ slot: Int, _ refuses: Bool, _ context: inout Context) {
    table[slot].note(refusesConnections: refuses, at: context.now)
    guard refuses, attempt.isAlive(at: slot), !table[slot].has(Target.awaitsMessageFlag) else { return }
    attempt.cut(until: context.earlier(attempt.deadline, context.after(AttemptLength.hasty)))
    context.hasNews = true
  }

  // MARK: The attempt

  /// An attempt to connect to a peer has begun, which lasts until `limit` at most.
  mutating func beginAttempt(_ slot: Int, othersWait: Bool, limit: Instant, _ context: inout Context) {
    context.sink.count(.attempts)
    table.setHeld(slot, true)
    let length = AttemptLength(
      of: table[slot], othersWait: othersWait, isSparing: scanBudget.isSparing,
      isFlooded: isFlooded(&context), isCrowded: isCrowded, isRhythmic: isAmongRhythmic, &context)
    attempt.begin(slot, length, limit: limit, at: context.now)
    context.wake(by: attempt.deadline)
  }

  /// The attempt ended without a connection. `isAtWork` says that the peer's own connection is being used.
  mutating func attemptFailed(isAtWork: Bool, _ context: inout Context) {
    chargeAttempt(&context)
    if isCrowded { scanBudget.crowding.pause(chance: context.random.next(), at: context.now) }
    let ended = attempt
    attempt = Attempt()
    workAt = context.now
    let slot = Int(ended.slot)
    if isAtWork {
      context.sink.count(.attemptsCut)
    } else if ended.isCancelled, ended.isCut {
      // The peer did not have its full time: this is not counted as a failure.
      context.sink.count(.attemptsCut)
      table.setHeld(slot, false)
      let pause = ended.isBrief && isAmongRhythmic ? scanBudget.pause(500, &context.random) : nil
      let next = ended.isBrief ? AttemptLength.nextWindow : context.configuration.firstRetry
      leaveAlone(slot, for: pause ?? next, &context)
    } else {
      postpone(slot, ended.isCancelled ? .attemptTimeouts : .attemptsFailed, &context)
    }
  }

  /// The attempt has led to a connection. `false` if none was under way.
  mutating func attemptSucceeded(_ context: inout Context) -> Bool {
    guard attempt.isActive else { return false }
    attempt.isActive = false
    if isCrowded { scanBudget.crowding.pause(chance: context.random.next(), at: context.now) }
    chargeAttempt(&context)
    return true
  }

  /// The radio was reset: the attempt has ended.
  mutating func radioForgot(_ context: inout Context) {
    workAt = context.now
    guard attempt.isActive else { return }
    table.setHeld(Int(attempt.slot), false)
    attempt = Attempt()
  }

  /// Whether an attempt at one of the peers is to be cancelled now.
  mutating func isAttemptOverdue(_ context: inout Context) -> Bool {
    let isOverdue = attempt.isOverdue(at: context.now)
    context.wake(by: attempt.deadline)
    return isOverdue
  }

  /// A peer opened a connection to this device. Two devices may connect to each other at the same moment:
  /// only one connection is possible, and the attempt of this device is repeated later.
  mutating func noteConnection(from peer: DeviceAddress, _ context: inout Context) {
    if attempt.isActive, !attempt.isCancelled, table[Int(attempt.slot)].address == peer {
      cutAttempt(&context)
    }
    if strangers.isShort { admitConnected(peer, &context) }
  }
}
