/// A proximity system other than Herald that this device can observe and be a peer of.
public enum NeighbourSystem: UInt8, BitwiseCopyable, Sendable {
  /// CovidWatch: contact event numbers of 16 bytes (HP-52…HP-54).
  case covidWatch = 0
  /// C19X: beacon codes of 8 bytes (HP-55).
  case c19x = 1
}

/// Some of the systems.
public struct NeighbourSystems: Equatable, BitwiseCopyable, Sendable {
  var bits: UInt8

  public init() { bits = 0 }
  /// Adds `system`; no effect if it is a member.
  public mutating func insert(_ system: NeighbourSystem) { bits |= 1 &<< system.rawValue }
  /// Adds all of `other`.
  public mutating func insert(_ other: NeighbourSystems) { bits |= other.bits }
  /// Whether one is among them.
  public func contains(_ system: NeighbourSystem) -> Bool { bits & (1 &<< system.rawValue) != 0 }
}
