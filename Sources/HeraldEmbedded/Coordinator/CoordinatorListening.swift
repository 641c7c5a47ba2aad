// How much the radio listens, beyond its schedule, for strangers: peers whose payload is not known.
//
// A radio that waits for a peer to connect to listens half of the time, one that scans for more strangers all
// of the time: at 3 and 6 mA that is several times what the schedule takes, and strangers that never answer
// would have it do so for ever. So this has a budget of the device, in milliseconds of an attempt. An attempt
// costs its length, a millisecond of additional scanning costs two. A payload that is read gives back more
// than it costs to read one in a crowd: a crowd does not use the budget up.
//
// From `listeningLimit` on the device is flooded. Then it scans as scheduled, and attempts to connect only to
// a stranger that was just heard, for no longer than a phone takes to advertise once more. The limit of a
// stranger rises with the time for which it has waited: made-up addresses that are gone after some seconds
// cannot use up what is left for peers that stay.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// What only payloads that are read make up for.
  @inlinable
  static var listeningCredit: UInt32 { 32_000 }
  /// What a device starts with: in a large crowd it takes some time until the first payload is read.
  @inlinable
  static var listeningAtStart: UInt32 { listeningCredit &- 8000 }
  /// Up to what is outstanding more is scanned if there are several strangers.
  @inlinable
  static var busyLimit: UInt32 { listeningCredit &+ 6000 }
  /// From what is outstanding on the device is flooded.
  @inlinable
  static var listeningLimit: UInt32 { listeningCredit &+ 9000 }
  /// How much that rises for a tenth of a second for which a stranger has waited…
  @inlinable
  static var listeningPerWait: UInt32 { 50 }
  /// …for at most so many of them.
  @inlinable
  static var longestWait: UInt32 { 160 }
  /// The milliseconds in which time makes up for one.
  @inlinable
  static var listeningPace: UInt32 { 36 }
  /// What a payload that is read makes up for, and what it does while the device is flooded.
  @inlinable
  static var listeningPerPayload: (usual: UInt32, flooded: UInt32) { (8000, 500) }
  /// What the first attempt at a stranger costs at most, and what each does after a failure. A peer that has
  /// failed is tried less and less often.
  @inlinable
  static var longestCharge: (first: UInt16, later: UInt16) { (4000, 1500) }
  /// What a connection costs, on which a stranger may say nothing for some time.
  @inlinable
  static var connectionCharge: UInt16 { 64 }
  /// The length of an attempt at a stranger where others wait: a phone advertises once more in it.
  @inlinable
  static var hastyAttempt: Interval { .milliseconds(1300) }
  /// How long a stranger may take for its answers until it has shown its service, where others wait.
  @inlinable
  static var hastyStep: Interval { .milliseconds(1500) }
  /// How recently a peer was heard that is surely there.
  @inlinable
  static var justNow: Interval { .milliseconds(500) }

  /// Whether strangers have used up what is there for them: of listening, or of identities
  /// (`StrangerBudget`). Few are taken in then, and an attempt at one of them would be long, as nobody else
  /// waits.
  @inlinable @inline(never)
  mutating func isFlooded() -> Bool {
    listening.settle(pace: Self.listeningPace, downTo: Self.listeningCredit, at: context.now)
    return listening.spent >= Self.listeningLimit || strangers.isShort
  }

  /// For how many tenths of a second a stranger has to have waited if in a flood there is to be an attempt at
  /// it now; more than any has if there is to be none.
  @inlinable
  mutating func leastWaitInFlood() -> UInt32 {
    guard listening.spent >= Self.listeningLimit else { return 0 }
    let least = (listening.spent &- Self.listeningLimit) / Self.listeningPerWait &+ 1
    return least <= Self.longestWait ? least : .max
  }

  /// Scans more for some time, as there are several strangers.
  @inlinable
  mutating func listenMore() {
    guard listening.spent < Self.busyLimit else { return }
    let end = context.after(Self.busyHold)
    let more = end.milliseconds &- (busyUntil > context.now ? busyUntil : context.now).milliseconds
    listening.spend(more.low32 &* 2)
    busyUntil = end
  }

  /// The attempt that has ended is charged, if it was at a stranger.
  @inlinable @inline(never)
  mutating func chargeAttempt() {
    let place = Int(attempt.place)
    guard table[place].state != .read else { return }
    let length = UInt16(truncatingIfNeeded: context.now.milliseconds.low32) &- attempt.begunAt
    let most = table[place].failures == 0 ? Self.longestCharge.first : Self.longestCharge.later
    listening.spend(UInt32((length < most ? length : most) &+ Self.connectionCharge))
  }

  /// A payload was read.
  @inlinable
  mutating func creditPayload() {
    listening.giveBack(isFlooded() ? Self.listeningPerPayload.flooded : Self.listeningPerPayload.usual)
  }

  /// Whether a stranger to which no connection came about may be tried again as soon as it is heard again: in
  /// a flood, where its attempts are short and few, and not often.
  @inlinable
  mutating func keepsWaiting(_ place: Int) -> Bool {
    table[place].state != .read && table[place].failures <= 2 && isFlooded()
  }

  /// How long a peer may take to answer a request.
  @inlinable
  mutating func stepTimeout(_ place: Int) -> Interval {
    let isUnproven = table[place].state == .advertised || table[place].state == .candidate
    return isUnproven && (isFlooded() || context.now < busyUntil)
      ? Self.hastyStep : context.configuration.stepTimeout
  }
}
