import HeraldHAL

/// The time that the processor has slept.
public struct TimeAsleep: BitwiseCopyable, Sendable {
  /// The time asleep since start-up, in milliseconds.
  public private(set) var milliseconds: UInt64 = 0

  /// Creates the state after a start.
  public init() {}

  /// Adds a sleep from `start` to `end`.
  public mutating func slept(from start: Instant, to end: Instant) {
    milliseconds &+= UInt64(wide: end.since(start).milliseconds)
  }

  /// The share of the time since start-up, in tenths of a percent: 0…1,000.
  public func perMille(at now: Instant) -> Int {
    guard now.milliseconds > 0 else { return 0 }
    let share = milliseconds &* 1_000 / now.milliseconds
    return Int(truncatingIfNeeded: min(share, 1_000))
  }
}
