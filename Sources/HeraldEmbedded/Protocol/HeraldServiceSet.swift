import HeraldBluetooth
import HeraldHAL

/// A set of the services that identify Herald devices. Not an `OptionSet`, whose array literal would bring in
/// the allocator.
public struct HeraldServiceSet: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// One bit per service.
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The empty set.
  public static var none: HeraldServiceSet { HeraldServiceSet(rawValue: 0) }
  /// `HeraldUUIDs.service`, 128 bits.
  public static var long: HeraldServiceSet { HeraldServiceSet(rawValue: 1) }
  /// `HeraldUUIDs.shortService`, 0xFCF6.
  public static var short: HeraldServiceSet { HeraldServiceSet(rawValue: 2) }
  /// The provider's own service (HP-37).
  public static var custom: HeraldServiceSet { HeraldServiceSet(rawValue: 4) }

  /// Whether the set is empty.
  public var isEmpty: Bool { rawValue == 0 }
  /// Whether all of `other` are among these.
  public func contains(_ other: HeraldServiceSet) -> Bool { rawValue & other.rawValue == other.rawValue }
  /// These and those of `other`.
  public func union(_ other: HeraldServiceSet) -> HeraldServiceSet {
    HeraldServiceSet(rawValue: rawValue | other.rawValue)
  }
}

extension UUID128 {
  /// All zeros, which means "none" where an optional would prevent an idle state of zero bits.
  static var zero: UUID128 { UUID128(UInt64(wide: 0), UInt64(wide: 0)) }
  /// The UUID, or `nil` if it is all zeros.
  @inline(__always)
  var orNil: UUID128? { self == .zero ? nil : self }
}
