/// Aborts a pull whose rate is too low: with responses of one byte each it would take days.
struct PullRate {
  /// The minimum number of bytes per period.
  static let least = 1024

  private let period: Duration
  private var end: Duration
  private var bytes = 0

  /// Starts at `start`, in the time of any monotonic clock. A period is fifteen times the timeout of a
  /// response, 30 s by default, and at least 10 s.
  init(timeout: Duration, start: Duration) {
    period = max(timeout * 15, .seconds(10))
    end = start + period
  }

  /// Counts received bytes. `false` if the period that has ended had too few.
  mutating func note(_ count: Int, at now: Duration) -> Bool {
    bytes += count
    guard now >= end else { return true }
    let isEnough = bytes >= Self.least
    bytes = 0
    end = now + period
    return isEnough
  }
}
