import HeraldBluetooth
import HeraldHAL

/// How much the radio scans and waits, beyond its schedule, for strangers: peers whose payload is not known.
///
/// A radio that waits for a peer to connect, or scans for more strangers, receives all of the time: at 6 mA
/// that is many times the consumption of the schedule, and strangers that never respond would cause it
/// without end. It is therefore limited by a budget of the device. An attempt costs its length in
/// milliseconds, or twice that on a device that scans in rounds, whose schedule takes the least; a
/// millisecond of additional scanning costs two. A payload that is read restores more than it costs to read
/// one in a crowd: a crowd does not use the budget up.
///
/// From `limit` on the device is flooded. It then scans as scheduled, and attempts to connect only
/// to a stranger that was just received, for no longer than a phone takes to advertise once more. The limit
/// of a stranger rises with the time for which it has waited: generated addresses that are gone after some
/// seconds cannot use up what is left for peers that stay.
struct ScanBudget: BitwiseCopyable {
  private var budget: RateBudget
  /// Until when additional scanning runs, as several peers wait to have their payloads read.
  private(set) var busyUntil: Instant
  /// Scanning is in rounds, or is to be after the start: an attempt costs twice its length.
  private var isInRounds: Bool
  /// Scanning is in rounds: there is no additional scanning, as a window receives all peers, and time
  /// restores less, as a flood must not cost more than the rounds.
  private(set) var isSparing: Bool
  /// Of a crowd that arrives more is scanned.
  var crowd: CrowdArrival
  /// Among peers whose events repeat, attempts at strangers are brief, and spread.
  var room: RhythmicRoom
  /// In a crowd strangers are attempted only when they can be expected.
  var crowding: Crowding

  /// Nothing is outstanding.
  init() {
    budget = RateBudget()
    busyUntil = .start
    isInRounds = false
    isSparing = false
    crowd = CrowdArrival()
    room = RhythmicRoom()
    crowding = Crowding()
  }

  /// The part that is restored only by payloads that are read.
  private static var rest: UInt32 { 32_000 }
  /// The initial value: in a large crowd it takes some time until the first payload is read.
  private static var atStart: UInt32 { rest &- 8000 }
  /// Below this outstanding amount there is additional scanning if there are several strangers.
  private static var busyLimit: UInt32 { rest &+ 6000 }
  /// From this outstanding amount on the device is flooded.
  private static var limit: UInt32 { rest &+ 9000 }
  /// How much the limit rises for each tenth of a second for which a stranger has waited…
  private static var perWait: UInt32 { 50 }
  /// …up to this many tenths.
  private static var longestWait: UInt32 { 160 }
  /// The milliseconds in which time restores one, and in rounds.
  private static var pace: (usual: UInt32, sparing: UInt32) { (36, 2048) }
  /// What a payload that is read restores, normally and while the device is flooded.
  private static var perPayload: (usual: UInt32, flooded: UInt32) { (8000, 500) }
  /// How many milliseconds of the first attempt at a stranger, and of each attempt after a failure, are
  /// charged at most. A peer that has failed is tried less and less often.
  private static var longestCharge: (first: UInt16, later: UInt16) { (4000, 1500) }
  /// What is added for a connection, on which a stranger may stay silent for some time.
  private static var connectionCharge: UInt16 { 64 }
  /// How long additional scanning continues after several strangers were available.
  private static var busyHold: Interval { .seconds(2) }

  /// The device starts.
  mutating func start() { budget.spend(Self.atStart) }

  /// Whether strangers have used up their budget.
  mutating func isExhausted(at now: Instant) -> Bool {
    budget.settle(
      pace: isSparing ? Self.pace.sparing : Self.pace.usual, downTo: Self.rest, at: now)
    return budget.spent >= Self.limit
  }

  /// For how many tenths of a second a stranger has to have waited to be attempted now, in a flood; more than
  /// any can have waited if there is to be no attempt.
  var leastWait: UInt32 {
    guard budget.spent >= Self.limit else { return 0 }
    let least = (budget.spent &- Self.limit) / Self.perWait &+ 1
    return least <= Self.longestWait ? least : .max
  }

  /// Starts additional scanning, as there are several strangers.
  mutating func scanMore(at now: Instant) {
    guard !isSparing, !crowding.isCrowded, budget.spent < Self.busyLimit else { return }
    let end = now + Self.busyHold
    let more = end.milliseconds &- (busyUntil > now ? busyUntil : now).milliseconds
    budget.spend(more.low32 &* 2)
    busyUntil = end
  }

  /// Whether scanning is in rounds, once the start has passed, and whether it is now.
  mutating func note(isInRounds: Bool, isSparing: Bool) {
    self.isInRounds = isInRounds
    self.isSparing = isSparing
  }

  /// What a survey has found of the peers around.
  mutating func note(_ survey: PeerSurvey) {
    crowd.note(known: survey.known)
    room = survey.room
  }

  /// Whether the device scans in rounds among many peers whose events repeat, of which few have changed their
  /// addresses.
  var isAmongRhythmic: Bool { isSparing && room.isCalm }

  /// The time until the next attempt at a stranger that those of the room attempt as well; `nil` in a crowd.
  /// `least`: up to this many ms if the device were alone.
  func pause<Random: RandomSource & ~Copyable>(_ least: UInt32, _ random: inout Random) -> Interval? {
    crowding.isCrowded ? nil : room.pause(least, chance: random.next())
  }

  /// Charges an attempt at a stranger of this many milliseconds.
  mutating func charge(attemptOf length: UInt16, isFirst: Bool) {
    let most = isFirst ? Self.longestCharge.first : Self.longestCharge.later
    let charge = UInt32((length < most ? length : most) &+ Self.connectionCharge)
    budget.spend(isInRounds ? charge &* 2 : charge)
  }

  /// A peer has a payload, which `isNew` if no peer had it before.
  mutating func notePayload(isNew: Bool) { if isNew, isSparing { crowd.note() } }

  /// A payload was read.
  mutating func credit(isFlooded: Bool) {
    crowding.noteRead()
    budget.giveBack(isFlooded ? Self.perPayload.flooded : Self.perPayload.usual)
  }
}
