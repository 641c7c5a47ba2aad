/// Where the power comes from and how much of it there is.
public struct PowerReading: Equatable, BitwiseCopyable, Sendable {
  /// Charge in percent, 0…100.
  public var level: UInt8
  /// Whether an external source feeds the device.
  public var isExternal: Bool

  /// More than 100 percent counts as 100.
  public init(level: UInt8, isExternal: Bool) {
    self.level = level < 100 ? level : 100
    self.isExternal = isExternal
  }
}

/// The measurement of a board's power supply.
public protocol PowerSource: ~Copyable {
  /// The current state; `nil` if it cannot be read.
  mutating func read() -> PowerReading?
}
