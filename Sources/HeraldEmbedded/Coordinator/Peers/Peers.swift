import HeraldBluetooth
import HeraldHAL

/// The peers: the table of targets, the tasks of each, and the connection attempt.
///
/// It processes what was received or read of a peer, and decides which task a peer has (`task`), when it may
/// be connected (`leaveAlone` and its callers), and which peer to connect to (`choosePeer`).
public struct Peers<Parts: DeviceParts, let targets: Int>: ~Copyable {
  /// The state that the machines share.
  public typealias Context = CoreContext<Parts>

  /// The payloads that are shared.
  var sharing: SharingStore
  /// The targets.
  public var table: TargetTable<targets>
  /// The remaining budget of strangers.
  var strangers: StrangerBudget<targets>
  /// The budget of additional scanning for strangers.
  var scanBudget: ScanBudget
  /// The connection attempt that is under way.
  var attempt: Attempt
  /// When the next peer to connect to is chosen.
  var workAt: Instant
  /// The digests of our own payload, which peers may share with us.
  var own: OwnDigests

  /// Whether the device is in a crowd.
  var isCrowded: Bool { TargetTable<targets>.isForCrowds && scanBudget.crowding.isCrowded }

  /// Whether it scans in rounds among peers whose events repeat; compiled out in small tables.
  var isAmongRhythmic: Bool { TargetTable<targets>.isForRooms && scanBudget.isAmongRhythmic }

  /// An empty table.
  init() {
    sharing = SharingStore()
    table = TargetTable()
    strangers = StrangerBudget()
    scanBudget = ScanBudget()
    attempt = Attempt()
    workAt = .never
    own = OwnDigests()
  }
}

extension Peers {
  /// The device starts. `seed` is a number that is unpredictable from outside.
  mutating func start(seed: UInt32) {
    table.setSeed(seed)
    scanBudget.start()
  }

  // MARK: What is owed

  /// The next task of a peer: the first that applies, from the top. This is the one place that defines the
  /// order of tasks, both for the choice of a connection and on an open one.
  mutating func task(for slot: Int, _ context: inout Context) -> PeerTask {
    let peer = table[slot]
    // One that is held has opened a connection: it may not have been received yet.
    if peer.isReceiveOnly || !peer.isConnectable && !peer.isHeld { return .nothing }
    if peer.has(Target.awaitsMessageFlag) { return .sendMessage }
    switch peer.state {
    case .ignored: return .nothing
    case .candidate, .advertised: return .meet
    case .observed: return peer.owesCode ? .readCodes : .nothing
    case .confirmed: return .readPayload
    case .read: break
    }
    if context.configuration.readsModel, !peer.has(Target.modelReadFlag) { return .readModel }
    if peer.owesCode { return .readCodes }

    let isSignalDue = peer.isSignalDue(at: context.now)
    if !context.canAdvertise {
      // The peer cannot receive our advertisements: it has only what we write.
      if context.offersPayload, peer.isPayloadDue(at: context.now) { return .writePayload }
      guard isSignalDue else { return .nothing }
      if peer.system == .iOS, !peer.has(Target.sharedLastFlag), hasSomethingToShare(with: slot, &context) {
        return .share
      }
      return peer.lastRSSI.isAvailable ? .writeRSSI : .nothing
    }
    // An Android phone finds this device and measures its RSSI by itself, and is not connected to again
    // (HP-56). An iPhone may not find this device while its application is in the background, nor other
    // iPhones.
    guard peer.system == .iOS else { return .nothing }
    if context.offersPayload, !peer.has(Target.payloadWrittenFlag) { return .writePayload }
    return isSignalDue && hasSomethingToShare(with: slot, &context) ? .share : .nothing
  }

  /// Whether a peer without a task will have one after some time, without an event.
  mutating func hasRecurringWork(_ slot: Int, _ context: inout Context) -> Bool {
    guard table[slot].state == .read, !table[slot].isReceiveOnly else { return false }
    return !context.canAdvertise || table[slot].system == .iOS && context.configuration.sharesPayloads
  }

  /// Whether there are payloads of others to share with a peer. Our reading of the peer is sent with them, so
  /// there has to be one.
  mutating func hasSomethingToShare(with slot: Int, _ context: inout Context) -> Bool {
    context.configuration.sharesPayloads && table[slot].lastRSSI.isAvailable
      && sharing.hasAnything(for: slot, in: &table, at: context.now)
  }

  /// Sets whether and when a peer has another task.
  @inline(never)
  mutating func settle(_ slot: Int, _ context: inout Context) {
    let isMore = task(for: slot, &context) != .nothing
    let owes = isMore || hasRecurringWork(slot, &context)
    if owes { comeBack(to: slot, in: isMore ? .seconds(1) : .seconds(16), &context) }
    table.setOwesWork(slot, owes)
  }

  /// An exchange has ended all tasks of the peer.
  mutating func exchangeSucceeded(_ slot: Int, _ context: inout Context) {
    table[slot].failures = 0
    table[slot].ignores = 0
    settle(slot, &context)
  }

  /// Holds the slot of a peer that has opened a connection, if the peer is to be read over it
  /// (`Exchanges.readBack`).
  mutating func holdToReadBack(_ peer: DeviceAddress, _ context: inout Context) -> Int? {
    guard let slot = table.find(TargetIdentity(peer)),
      table[slot].isLikeOwn,
      !table[slot].isHeld || attempt.isActive && Int(attempt.slot) == slot,
      task(for: slot, &context) == .meet || task(for: slot, &context) == .readPayload
    else { return nil }
    table.setHeld(slot, true)
    return slot
  }

  /// A task of a peer was done, or cannot be: it is not repeated, or not for some time.
  mutating func noteDone(_ task: PeerTask, _ slot: Int, _ context: inout Context) {
    switch task {
    case .sendMessage:
      table[slot].set(Target.awaitsMessageFlag, false)
    case .writePayload:
      table[slot].notePayloadWritten(at: context.now)
    case .share, .writeRSSI:
      table[slot].noteSignal(at: context.now)
      table[slot].set(Target.sharedLastFlag, task == .share)
    default: break
    }
  }

  /// Our payload has changed: it is to be written again to the peers that have the former one.
  mutating func tellAgain(_ context: inout Context) {
    for slot in 0..<table.slotsUsed where table[slot].has(Target.payloadWrittenFlag) {
      table[slot].set(Target.payloadWrittenFlag, false)
      if !table[slot].isHeld { settle(slot, &context) }
    }
  }

  // MARK: When it may be connected

  /// Makes a peer wait for this interval, plus a random time of up to this many milliseconds, which is one
  /// less than a power of two.
  @inline(never)
  mutating func leaveAlone(
    _ slot: Int, for interval: Interval, andUpTo chance: UInt32 = 0, _ context: inout Context
  ) {
    if keepsWaiting(slot, &context) { return }
    var end = context.after(interval)
    if chance > 0 { end = end + .milliseconds(context.random.next() & chance) }
    table[slot].retryAt = end
  }

  /// Makes a peer with a task wait for this interval.
  @inline(never)
  mutating func comeBack(to slot: Int, in interval: Interval, _ context: inout Context) {
    leaveAlone(slot, for: interval, &context)
    let end = context.after(interval)
    if end < workAt { workAt = end }
  }

  /// An exchange failed because other devices connected to the peer at the same time: the peer is in range,
  /// and is tried again soon.
  mutating func askAgainSoon(_ slot: Int, _ context: inout Context) {
    let delay = Retry.contendedDelay(failures: table[slot].failures, context.configuration)
    let pause = isAmongRhythmic ? scanBudget.pause(125, &context.random) : nil
    leaveAlone(slot, for: pause ?? delay, andUpTo: 511, &context)
  }

  /// Counts a failure and sets when the peer may be tried again. A random time of up to a second keeps two
  /// devices that try each other from doing so in step.
  mutating func postpone(_ slot: Int, _ cause: HeraldCounter, _ context: inout Context) {
    context.sink.count(cause)
    releaseHold(slot, &context)
    table[slot].failures &+= 1
    context.sink.delegate.tell(
      .debug, "an exchange failed: the counter of the cause", Int32(truncatingIfNeeded: cause.rawValue),
      at: context.now)
    let delay = HeraldConfiguration.retryDelay(
      failures: table[slot].failures, first: context.configuration.firstRetry,
      longest: context.configuration.longestRetry)
    leaveAlone(slot, for: delay, andUpTo: 1023, &context)
    workAt = context.now
  }

  /// Releases a target, unless an attempt to connect to it is still under way.
  mutating func releaseHold(_ slot: Int, _ context: inout Context) {
    if attempt.isActive, Int(attempt.slot) == slot { return }
    table.setHeld(slot, false)
  }

  /// Whether a stranger to which no connection was opened may be tried again as soon as it is received again:
  /// in a flood, where its attempts are short and few, and not often.
  mutating func keepsWaiting(_ slot: Int, _ context: inout Context) -> Bool {
    table[slot].state != .read && table[slot].failures <= 2 && isFlooded(&context)
  }

  /// How long a peer may take to respond to a request.
  mutating func stepTimeout(_ slot: Int, _ context: inout Context) -> Interval {
    let isUnproven = table[slot].state == .advertised || table[slot].state == .candidate
    return isUnproven && (isFlooded(&context) || context.now < scanBudget.busyUntil)
      ? Attempt.hastyStep : context.configuration.stepTimeout
  }

  // MARK: Messages of the application's

  /// Makes the next `run` choose a peer to connect to at once.
  mutating func lookForWork(_ context: inout Context) { workAt = context.now }

  /// The same for a message; an attempt under way for another task is cancelled.
  mutating func hasten(_ context: inout Context) {
    context.hasNews = true
    lookForWork(&context)
    if attempt.isActive, !attempt.isCancelled, !table[Int(attempt.slot)].has(Target.awaitsMessageFlag) {
      cutAttempt(&context)
    }
  }

  /// Counts the peers for which a message is pending. If it is dropped now, it is no longer pending for them.
  mutating func awaiting(giveUp: Bool, _ context: inout Context) -> UInt32 {
    var waiting: UInt32 = 0
    for slot in 0..<table.slotsUsed where table[slot].has(Target.awaitsMessageFlag) {
      waiting &+= 1
      guard giveUp else { continue }
      table[slot].set(Target.awaitsMessageFlag, false)
      context.sink.count(.messagesLost)
      if !table[slot].isHeld { settle(slot, &context) }
    }
    return waiting
  }
}
