/// A moment on the clock of a radio: microseconds, modulo 2³².
///
/// 32 bits wrap after 71 minutes. All that a link layer plans or looks back to is less than a minute away, so
/// a difference is never ambiguous, and a processor of 32 bits adds and compares in one instruction what
/// would be four with 64. Earlier and later are therefore relations between moments less than 35 minutes
/// apart, and there is no order of all of them.
public struct RadioTime: Hashable, BitwiseCopyable, Sendable {
  /// Microseconds, modulo 2³².
  public let microseconds: UInt32

  /// The moment with this number.
  @inlinable
  public init(microseconds: UInt32) { self.microseconds = microseconds }

  /// The moment so many microseconds later.
  @inlinable
  public static func + (left: RadioTime, right: UInt32) -> RadioTime {
    RadioTime(microseconds: left.microseconds &+ right)
  }

  /// The moment so many microseconds earlier.
  @inlinable
  public static func - (left: RadioTime, right: UInt32) -> RadioTime {
    RadioTime(microseconds: left.microseconds &- right)
  }

  /// Whether this comes before `other`.
  @inlinable
  public func isBefore(_ other: RadioTime) -> Bool {
    Int32(bitPattern: microseconds &- other.microseconds) < 0
  }

  /// How many microseconds this comes after `earlier`; 0 if it comes before.
  @inlinable
  public func since(_ earlier: RadioTime) -> UInt32 {
    isBefore(earlier) ? 0 : microseconds &- earlier.microseconds
  }
}
