/// Whether a log arrives fast enough to wait for the rest of it: a device whose answers have a byte each
/// would otherwise keep a pull going for days.
struct PullRate {
  /// How many bytes have to come in each period.
  static let least = 1024

  private let period: Duration
  private var end: Duration
  private var bytes = 0

  /// From the moment `start` on, of any clock that runs on. A period is as long as fifteen answers may take
  /// that come at the last moment, 30 s by default, and at least 10 s.
  init(timeout: Duration, start: Duration) {
    period = max(timeout * 15, .seconds(10))
    end = start + period
  }

  /// Takes note of bytes that have come. `false` if too few came in the period that has ended.
  mutating func note(_ count: Int, at now: Duration) -> Bool {
    bytes += count
    guard now >= end else { return true }
    let isEnough = bytes >= Self.least
    bytes = 0
    end = now + period
    return isEnough
  }
}
