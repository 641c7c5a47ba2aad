import HeraldBluetooth
import HeraldHAL

/// Some of the services by which Herald devices are known. Not an `OptionSet`, whose array literal would
/// bring in the allocator.
public struct HeraldServiceSet: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// One bit per service.
  public let rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The empty set.
  @inlinable
  public static var none: HeraldServiceSet { HeraldServiceSet(rawValue: 0) }
  /// `HeraldUUIDs.service`, 128 bits.
  @inlinable
  public static var long: HeraldServiceSet { HeraldServiceSet(rawValue: 1) }
  /// `HeraldUUIDs.shortService`, 0xFCF6.
  @inlinable
  public static var short: HeraldServiceSet { HeraldServiceSet(rawValue: 2) }
  /// A provider's own (HP-37).
  @inlinable
  public static var custom: HeraldServiceSet { HeraldServiceSet(rawValue: 4) }

  /// Whether there are none.
  @inlinable
  public var isEmpty: Bool { rawValue == 0 }
  /// Whether all of `other` are among these.
  @inlinable
  public func contains(_ other: HeraldServiceSet) -> Bool { rawValue & other.rawValue == other.rawValue }
  /// These and those of `other`.
  @inlinable
  public func union(_ other: HeraldServiceSet) -> HeraldServiceSet {
    HeraldServiceSet(rawValue: rawValue | other.rawValue)
  }
}

extension UUID128 {
  /// All zeros, which stands for "none" where an optional would spoil the zero bits of an idle state.
  static var zero: UUID128 { UUID128(UInt64(wide: 0), UInt64(wide: 0)) }
  /// The UUID, or `nil` if it is all zeros.
  @inline(__always)
  var orNil: UUID128? { self == .zero ? nil : self }
}
