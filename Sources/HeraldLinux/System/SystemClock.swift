import Glibc
import HeraldHAL

/// The device's clock: milliseconds since it was created. It is monotonic and advances during suspend.
package struct SystemClock: Sendable {
  private let start: UInt64

  /// Creates a clock that starts at zero.
  package init() { start = Self.milliseconds(of: CLOCK_BOOTTIME) }

  /// The current time.
  package var now: Instant { Instant(milliseconds: Self.milliseconds(of: CLOCK_BOOTTIME) &- start) }

  /// The system time: milliseconds since 1970-01-01T00:00:00Z.
  package static var unixMilliseconds: UInt64 { milliseconds(of: CLOCK_REALTIME) }

  private static func milliseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) &* 1000 &+ UInt64(time.tv_nsec) / 1_000_000
  }
}
