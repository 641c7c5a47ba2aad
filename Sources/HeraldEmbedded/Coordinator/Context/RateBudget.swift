import HeraldHAL

/// A budget that time restores. Zero bits when nothing is outstanding.
///
/// The cost of a use may be known only afterwards: the last use may then exceed the limit.
struct RateBudget: BitwiseCopyable {
  /// The amount that was used and is not restored.
  private(set) var spent: UInt32
  /// Until when time has been taken into account: milliseconds, their lower 32 bits.
  private var settled: UInt32

  init() {
    spent = 0
    settled = 0
  }

  /// Takes the time until `now` into account: one is restored for every `pace` milliseconds, as long as more
  /// than `rest` is outstanding.
  @inline(never)
  mutating func settle(pace: UInt32, downTo rest: UInt32, at now: Instant) {
    let time = now.milliseconds.low32
    let regained = (time &- settled) / (pace == 0 ? 1 : pace)
    settled = settled &+ regained &* pace
    if spent > rest { spent = spent &- rest > regained ? spent &- regained : rest }
  }

  /// Whether less than `limit` is outstanding at `now`.
  mutating func allows(_ limit: UInt32, pace: UInt32, at now: Instant) -> Bool {
    settle(pace: pace, downTo: 0, at: now)
    return spent < limit
  }

  /// Spends this amount.
  mutating func spend(_ amount: UInt32) { spent = spent &+ amount }

  /// Restores this amount.
  mutating func giveBack(_ amount: UInt32) { spent = spent > amount ? spent &- amount : 0 }
}
