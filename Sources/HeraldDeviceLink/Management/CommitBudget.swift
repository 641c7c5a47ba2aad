import HeraldHAL

/// How often hosts may have a device commit its log: ten times in a row, and from then on once in ten
/// seconds.
///
/// Without a limit a host that requests it a hundred times a second would cause a block for each record; with
/// it the commits of such a host take about six bytes of flash, at most eight, in ten seconds. A request
/// beyond the limit has no effect: its records are committed by the next one within the limit, or by the
/// device itself.
public struct CommitBudget: BitwiseCopyable, Sendable {
  /// Until when the commits so far use up their share of one in ten seconds: milliseconds, modulo 2³².
  private var usedUntil: UInt32 = 0

  /// Nothing used.
  public init() {}

  /// Uses the share of one commit at `now`; `false`, and nothing has changed, if there is none.
  mutating func take(at now: Instant) -> Bool {
    let time = now.milliseconds.low32
    var ahead = usedUntil &- time
    // At most ten commits are in advance: the time is in the past.
    if ahead > 100_000 { ahead = 0 }
    guard ahead <= 90_000 else { return false }
    usedUntil = time &+ ahead &+ 10_000
    return true
  }
}
