import Foundation

/// Whether a date that a device states can be believed. Records keep the dates that follow from it, believed
/// or not; people are told.
public enum PlausibleDate {
  /// 2020-01-01T00:00:00Z: there was no Herald before.
  public static let earliest: UInt64 = 1_577_836_800_000
  /// How far ahead of this computer's clock a device may be, in milliseconds: a day.
  public static let ahead: UInt64 = 86_400_000

  /// This computer's date, in milliseconds since 1970-01-01T00:00:00Z.
  public static var now: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }

  /// Whether a moment can be, at the moment `now` by this computer's clock. If that lies before 2020 itself,
  /// it has no say.
  public static func believes(_ unixMilliseconds: UInt64, now: UInt64) -> Bool {
    unixMilliseconds >= earliest && (now < earliest || unixMilliseconds <= now &+ ahead)
  }

  /// What is wrong with the clock of a device that states this moment; `nil` if nothing is.
  public static func complaint(about unixMilliseconds: UInt64, now: UInt64 = now) -> HostLinkError? {
    guard !believes(unixMilliseconds, now: now) else { return nil }
    return HostLinkError(
      .partial,
      "the device's clock says \(UTCTimestamp.seconds(unixMilliseconds)) UTC, which cannot be, and its records are dated by it",
      advice: "`herald-host time sync` sets it; check this computer's date, too")
  }
}
