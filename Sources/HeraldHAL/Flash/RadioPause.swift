/// Reserves time between the events of a radio in the same processor, for operations that halt the processor:
/// erasing and programming its flash.
public protocol RadioPause: ~Copyable {
  /// Whether there is such a radio. If there is none, an operation is not divided.
  static var isRequired: Bool { get }
  /// Returns when the radio has no event in the next `microseconds`, or after a time stated by the
  /// implementation if there was no such interval: the operation is then to be executed nevertheless.
  mutating func begin(microseconds: UInt32)
  /// The operation has ended.
  mutating func end()
}

/// No radio in the same processor: the calls have no effect and generate no code.
public struct NoRadioPause: RadioPause, BitwiseCopyable, Sendable {
  public init() {}
  public static var isRequired: Bool { false }
  public mutating func begin(microseconds: UInt32) {}
  public mutating func end() {}
}
