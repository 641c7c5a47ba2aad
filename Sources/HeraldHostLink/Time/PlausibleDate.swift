import Foundation

/// Whether a date reported by a device is plausible. Records keep the dates that result from it in any case;
/// implausible dates are reported to the user.
public enum PlausibleDate {
  /// 2020-01-01T00:00:00Z, before the first version of Herald.
  public static let earliest: UInt64 = 1_577_836_800_000
  /// The maximum plausible deviation of a device ahead of this computer's clock, in milliseconds: one day.
  public static let ahead: UInt64 = 86_400_000

  /// This computer's date, in milliseconds since 1970-01-01T00:00:00Z.
  public static var now: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }

  /// Whether a date is plausible, given this computer's date `now`, which is ignored if it is before 2020.
  public static func believes(_ unixMilliseconds: UInt64, now: UInt64) -> Bool {
    unixMilliseconds >= earliest && (now < earliest || unixMilliseconds <= now &+ ahead)
  }

  /// The error of the clock of a device that reports this date; `nil` if it is plausible.
  public static func complaint(about unixMilliseconds: UInt64, now: UInt64 = now) -> HostLinkError? {
    guard !believes(unixMilliseconds, now: now) else { return nil }
    return HostLinkError(
      .partial,
      "the device's clock says \(UTCTimestamp.seconds(unixMilliseconds)) UTC, which cannot be, and its records are dated by it",
      advice:
        "check this computer's date; if that is right, `herald-host time sync \(ClockGuard.option)` sets the device's"
    )
  }
}
