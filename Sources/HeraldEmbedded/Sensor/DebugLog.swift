import HeraldHAL

/// The severity of a message of the debug log (HP-50).
public enum DebugLevel: UInt8, Comparable, BitwiseCopyable, Sendable {
  /// Intermediate steps, for debugging.
  case debug = 0
  /// Changes of state that come a few times an hour.
  case info = 1
  /// Something that should not happen.
  case fault = 2
  /// Above every message's level: none is delivered.
  case none = 3

  /// Whether `left` is less severe.
  public static func < (left: DebugLevel, right: DebugLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Receives debug messages (HP-50). By default a `SensorDelegate` ignores them.
///
/// The level is a property of the type: the compiler removes unused messages from the image, texts included
/// (`script/footprint` looks for them).
public protocol DebugLog: ~Copyable {
  /// Messages below this level are dropped.
  static var debugLevel: DebugLevel { get }
  /// A debug message. The text states the meaning of the numbers; unused ones are 0.
  mutating func note(
    _ level: DebugLevel, _ text: StaticString, _ first: Int32, _ second: Int32, at now: Instant)
}

extension DebugLog where Self: ~Copyable {
  @inline(__always) public static var debugLevel: DebugLevel { .none }
  @inline(__always)
  public mutating func note(
    _ level: DebugLevel, _ text: StaticString, _ first: Int32, _ second: Int32, at now: Instant
  ) {}

  /// Delivers a message if its level is enabled.
  @inline(__always)
  mutating func tell(
    _ level: DebugLevel, _ text: StaticString, _ first: Int32 = 0, _ second: Int32 = 0, at now: Instant
  ) {
    if level.rawValue >= Self.debugLevel.rawValue { note(level, text, first, second, at: now) }
  }
}
