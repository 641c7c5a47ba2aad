import HeraldHAL

/// How much a message of the debug log matters (HP-50).
public enum DebugLevel: UInt8, Comparable, BitwiseCopyable, Sendable {
  /// Steps on the way, for who looks for a mistake.
  case debug = 0
  /// Changes of state that come a few times an hour.
  case info = 1
  /// Something that should not happen.
  case fault = 2
  /// More than any message has: nothing is told.
  case none = 3

  /// Whether `left` matters less.
  @inlinable
  public static func < (left: DebugLevel, right: DebugLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Who is told what goes on inside the device, in words (HP-50). Every `SensorDelegate` is one that by
/// default wants nothing.
///
/// The level is a property of the type: the compiler leaves out of the image what nobody wants, texts
/// included (`script/footprint` looks for them).
public protocol DebugLog: ~Copyable {
  /// What matters less than this is not told.
  static var debugLevel: DebugLevel { get }
  /// A message. What the numbers are is for the text to say; one that it says nothing of is 0.
  mutating func note(
    _ level: DebugLevel, _ text: StaticString, _ first: Int32, _ second: Int32, at now: Instant)
}

extension DebugLog where Self: ~Copyable {
  @inlinable @inline(__always) public static var debugLevel: DebugLevel { .none }
  @inlinable @inline(__always)
  public mutating func note(
    _ level: DebugLevel, _ text: StaticString, _ first: Int32, _ second: Int32, at now: Instant
  ) {}

  /// Tells a message if it matters enough.
  @inlinable @inline(__always)
  mutating func tell(
    _ level: DebugLevel, _ text: StaticString, _ first: Int32 = 0, _ second: Int32 = 0, at now: Instant
  ) {
    if level.rawValue >= Self.debugLevel.rawValue { note(level, text, first, second, at: now) }
  }
}
