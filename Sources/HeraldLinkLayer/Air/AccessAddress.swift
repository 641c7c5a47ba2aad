import HeraldHAL

/// The 32-bit access address at the beginning of all packets of a connection (Core Specification, Vol 6, Part
/// B, 2.1.2).
public struct AccessAddress: Equatable, BitwiseCopyable, Sendable {
  /// The bits of the address; bit 0 is transmitted first.
  public let rawValue: UInt32

  /// Creates the address with these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The access address of all packets on the advertising channels.
  public static var advertising: AccessAddress { AccessAddress(rawValue: 0x8E89_BED6) }

  /// Whether the address is that of the advertising channels or differs from it in one bit only.
  public var resemblesAdvertising: Bool {
    (rawValue ^ Self.advertising.rawValue).nonzeroBitCount <= 1
  }

  /// Whether a central may choose the address for a connection: it differs from that of the advertising
  /// channels in at least two bits; it has at most six consecutive equal bits and at most 24 transitions; its
  /// four bytes are not all equal; its six most significant bits have at least two transitions.
  ///
  /// The caller ensures that it differs from those of other connections.
  public var isValid: Bool {
    if resemblesAdvertising { return false }
    // Bit n is set if bits n and n + 1 differ.
    let transitions = (rawValue ^ (rawValue &>> 1)) & 0x7FFF_FFFF
    if transitions.nonzeroBitCount > 24 { return false }
    // The transitions among bits 26…31.
    if (transitions &>> 26).nonzeroBitCount < 2 { return false }
    if rawValue == rawValue.byteSwapped, rawValue & 0xFFFF == rawValue &>> 16,
      rawValue & 0xFF == rawValue &>> 8 & 0xFF
    {
      return false
    }
    // Seven consecutive equal bits have six consecutive positions without a transition.
    var equal = ~transitions & 0x7FFF_FFFF
    var shift = 1
    while shift < 6 {
      equal &= equal &>> 1
      shift &+= 1
    }
    return equal == 0
  }

  /// A random address that a central may choose. Random bits are drawn until they are valid: one draw in 14
  /// is not, so that after 16 draws the source is assumed to be defective and a fixed address is used.
  public static func random<Source: RandomSource & ~Copyable>(from source: inout Source) -> AccessAddress {
    var draws = 0
    while draws < 16 {
      let address = AccessAddress(rawValue: source.next())
      if address.isValid { return address }
      draws &+= 1
    }
    return AccessAddress(rawValue: 0x5065_5DA3)
  }
}
