import HeraldBluetooth
import HeraldHAL

/// How much the radio listens, beyond its schedule, for strangers: peers whose payload is not known.
///
/// A radio that waits for a peer to connect to listens half of the time, one that scans for more strangers
/// all of the time: at 3 and 6 mA that is several times what the schedule takes, and strangers that never
/// answer would have it do so for ever. So this has a budget of the device, in milliseconds of an attempt. An
/// attempt costs its length, a millisecond of additional scanning costs two. A payload that is read gives
/// back more than it costs to read one in a crowd: a crowd does not use the budget up.
///
/// From `listeningLimit` on the device is flooded. Then it scans as scheduled, and attempts to connect only
/// to a stranger that was just heard, for no longer than a phone takes to advertise once more. The limit of a
/// stranger rises with the time for which it has waited: made-up addresses that are gone after some seconds
/// cannot use up what is left for peers that stay.
@usableFromInline
struct ListeningBudget: BitwiseCopyable {
  private var budget: RateBudget
  /// Until when to scan more, as several peers wait to have their payloads read.
  @usableFromInline private(set) var busyUntil: Instant

  /// Nothing is outstanding.
  @usableFromInline
  init() {
    budget = RateBudget()
    busyUntil = .start
  }

  /// What only payloads that are read make up for.
  private static var rest: UInt32 { 32_000 }
  /// What a device starts with: in a large crowd it takes some time until the first payload is read.
  private static var atStart: UInt32 { rest &- 8000 }
  /// Up to what is outstanding more is scanned if there are several strangers.
  private static var busyLimit: UInt32 { rest &+ 6000 }
  /// From what is outstanding on the device is flooded.
  private static var limit: UInt32 { rest &+ 9000 }
  /// How much that rises for a tenth of a second for which a stranger has waited…
  private static var perWait: UInt32 { 50 }
  /// …for at most so many of them.
  private static var longestWait: UInt32 { 160 }
  /// The milliseconds in which time makes up for one.
  private static var pace: UInt32 { 36 }
  /// What a payload that is read makes up for, and what it does while the device is flooded.
  private static var perPayload: (usual: UInt32, flooded: UInt32) { (8000, 500) }
  /// What the first attempt at a stranger costs at most, and what each does after a failure. A peer that has
  /// failed is tried less and less often.
  private static var longestCharge: (first: UInt16, later: UInt16) { (4000, 1500) }
  /// What a connection costs, on which a stranger may say nothing for some time.
  private static var connectionCharge: UInt16 { 64 }
  /// How long it is scanned more since several strangers were there to choose among.
  private static var busyHold: Interval { .seconds(2) }

  /// The device starts.
  @usableFromInline
  mutating func start() { budget.spend(Self.atStart) }

  /// Whether strangers have used up what is there for them.
  @usableFromInline
  mutating func isExhausted(at now: Instant) -> Bool {
    budget.settle(pace: Self.pace, downTo: Self.rest, at: now)
    return budget.spent >= Self.limit
  }

  /// For how many tenths of a second a stranger has to have waited if in a flood there is to be an attempt at
  /// it now; more than any has if there is to be none.
  @usableFromInline
  var leastWait: UInt32 {
    guard budget.spent >= Self.limit else { return 0 }
    let least = (budget.spent &- Self.limit) / Self.perWait &+ 1
    return least <= Self.longestWait ? least : .max
  }

  /// Scans more for some time, as there are several strangers.
  @usableFromInline
  mutating func listenMore(at now: Instant) {
    guard budget.spent < Self.busyLimit else { return }
    let end = now + Self.busyHold
    let more = end.milliseconds &- (busyUntil > now ? busyUntil : now).milliseconds
    budget.spend(more.low32 &* 2)
    busyUntil = end
  }

  /// Charges an attempt at a stranger that took so many milliseconds.
  @usableFromInline
  mutating func charge(attemptOf length: UInt16, isFirst: Bool) {
    let most = isFirst ? Self.longestCharge.first : Self.longestCharge.later
    budget.spend(UInt32((length < most ? length : most) &+ Self.connectionCharge))
  }

  /// A payload was read.
  @usableFromInline
  mutating func credit(isFlooded: Bool) {
    budget.giveBack(isFlooded ? Self.perPayload.flooded : Self.perPayload.usual)
  }
}
