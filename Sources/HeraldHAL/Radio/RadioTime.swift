/// A time on the clock of a radio: microseconds, modulo 2³².
///
/// 32 bits overflow after 71 minutes. All times that a link layer schedules or refers to are less than a
/// minute away, so that a difference is never ambiguous, and a 32-bit processor adds and compares in one
/// instruction instead of four with 64 bits. "Earlier" and "later" are therefore relations between times less
/// than 35 minutes apart; there is no total order.
public struct RadioTime: Hashable, BitwiseCopyable, Sendable {
  /// Microseconds, modulo 2³².
  public let microseconds: UInt32

  /// The time with this number of microseconds.
  public init(microseconds: UInt32) { self.microseconds = microseconds }

  /// The time this number of microseconds later.
  public static func + (left: RadioTime, right: UInt32) -> RadioTime {
    RadioTime(microseconds: left.microseconds &+ right)
  }

  /// The time this number of microseconds earlier.
  public static func - (left: RadioTime, right: UInt32) -> RadioTime {
    RadioTime(microseconds: left.microseconds &- right)
  }

  /// Whether this time is before `other`.
  public func isBefore(_ other: RadioTime) -> Bool {
    Int32(bitPattern: microseconds &- other.microseconds) < 0
  }

  /// The number of microseconds from `earlier` to this time; 0 if this time is before `earlier`.
  public func since(_ earlier: RadioTime) -> UInt32 {
    isBefore(earlier) ? 0 : microseconds &- earlier.microseconds
  }
}
