import HeraldCrypto
import HeraldHAL

/// The key from which a device generates its resolvable private addresses, and with which others resolve them
/// (Core Specification, Vol 3, Part H, 2.4.2.1).
public struct IdentityResolvingKey: BitwiseCopyable, Sendable {
  /// The sixteen bytes, most significant first, as the specification prints them. HCI carries them the other
  /// way round.
  public var bytes: [16 of UInt8]

  /// The key with these bytes, most significant first.
  public init(_ bytes: [16 of UInt8]) { self.bytes = bytes }

  /// All zeros, which stands for no key.
  public static var none: IdentityResolvingKey { IdentityResolvingKey(.init(repeating: 0)) }
  /// Whether this is no key.
  public var isNone: Bool { bytes.span.isZeroInConstantTime }

  /// Overwrites the key with zeros.
  public mutating func wipe() {
    var span = bytes.mutableSpan
    span.wipe()
  }

  /// A new key.
  public static func make<Source: RandomSource & ~Copyable>(random: inout Source) -> IdentityResolvingKey {
    var key = IdentityResolvingKey(.init(repeating: 0))
    var bytes = key.bytes.mutableSpan
    random.fill(&bytes)
    return key
  }
}

/// Addresses that change and that only holders of the key can resolve (Vol 6, Part B, 1.3.2.2): 24 bits
/// `prand` in the upper half, of which the top two are 01, and their hash under the key in the lower half.
public enum ResolvablePrivateAddress {
  /// The random address hash function ah (Vol 3, Part H, 2.2.2): 24 bits from the key and the 24 bits of
  /// `prand`.
  public static func hash(_ key: IdentityResolvingKey, prand: UInt32) -> UInt32 {
    var block: [16 of UInt8] = .init(repeating: 0)
    block[13] = UInt8(truncatingIfNeeded: prand &>> 16)
    block[14] = UInt8(truncatingIfNeeded: prand &>> 8)
    block[15] = UInt8(truncatingIfNeeded: prand)
    AES128.encrypt(&block, key: key.bytes)
    return UInt32(block[13]) &<< 16 | UInt32(block[14]) &<< 8 | UInt32(block[15])
  }

  /// A new address. `nil` if the random source returns only all zeros or all ones, which the specification
  /// forbids and a working source does not return eight times in a row.
  public static func make<Source: RandomSource & ~Copyable>(
    _ key: IdentityResolvingKey, random: inout Source
  ) -> DeviceAddress? {
    for _ in 0..<8 {
      let bits = random.next() & 0x3F_FFFF
      guard bits != 0, bits != 0x3F_FFFF else { continue }
      return address(key, prand: 0x40_0000 | bits)
    }
    return nil
  }

  /// Whether `address` was generated with this key. One in 16 million of other devices' addresses matches by
  /// chance.
  public static func resolves(_ address: DeviceAddress, with key: IdentityResolvingKey) -> Bool {
    guard address.isResolvablePrivate else { return false }
    let prand = UInt32(address.high) &<< 8 | address.low &>> 24
    return hash(key, prand: prand) == address.low & 0xFF_FFFF
  }

  private static func address(_ key: IdentityResolvingKey, prand: UInt32) -> DeviceAddress {
    DeviceAddress(
      high: UInt16(truncatingIfNeeded: prand &>> 8), low: prand &<< 24 | hash(key, prand: prand),
      kind: .random)
  }
}
