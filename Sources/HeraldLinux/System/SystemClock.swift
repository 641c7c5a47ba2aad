import Glibc
import HeraldHAL

/// The device's clock: milliseconds since the process made it, never going back, running on while the machine
/// sleeps.
public struct SystemClock: Sendable {
  private let start: UInt64

  /// A clock that starts now.
  public init() { start = Self.milliseconds(of: CLOCK_BOOTTIME) }

  /// The moment it is.
  public var now: Instant { Instant(milliseconds: Self.milliseconds(of: CLOCK_BOOTTIME) &- start) }

  /// The machine's own date: milliseconds since 1970-01-01T00:00:00Z.
  public static var unixMilliseconds: UInt64 { milliseconds(of: CLOCK_REALTIME) }

  private static func milliseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) &* 1000 &+ UInt64(time.tv_nsec) / 1_000_000
  }
}
