/// Some of the additional services of a device, by their indices 0…7.
public struct ServiceChanges: Equatable, BitwiseCopyable, Sendable {
  private var bits: UInt8

  /// None of them.
  public init() { bits = 0 }
  private init(bits: UInt8) { self.bits = bits }
  /// All of them.
  public static var all: ServiceChanges { ServiceChanges(bits: .max) }

  /// Adds the service with an index; no effect if it is a member, or above 7.
  public mutating func insert(_ index: Int) { bits |= 1 << UInt8(clamping: index) }
  /// Adds the services of another device part, whose first service has index `first` here.
  public mutating func insert(_ other: ServiceChanges, from first: Int) {
    bits |= other.bits << UInt8(clamping: first)
  }
  /// Whether one is a member.
  public func contains(_ index: Int) -> Bool { bits & 1 << UInt8(clamping: index) != 0 }
}
