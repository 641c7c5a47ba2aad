import HeraldHAL

/// The 32 bits that packets of one connection begin with (Core Specification, Vol 6, Part B, 2.1.2).
public struct AccessAddress: Equatable, BitwiseCopyable, Sendable {
  /// The bits, of which bit 0 is sent first.
  public let rawValue: UInt32

  /// The address with these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// That of all packets on the advertising channels.
  public static var advertising: AccessAddress { AccessAddress(rawValue: 0x8E89_BED6) }

  /// Whether a receiver would take one for the advertising channels' address: no more than one bit differs.
  public var resemblesAdvertising: Bool {
    (rawValue ^ Self.advertising.rawValue).nonzeroBitCount <= 1
  }

  /// Whether a central may choose it for a connection: it is not like the advertising channels'; it has no
  /// more than six equal bits in a row and no more than 24 transitions; its four bytes are not all equal; its
  /// six most significant bits have two transitions at least.
  ///
  /// That it differs from those of other connections is for the caller to see to.
  public var isValid: Bool {
    if resemblesAdvertising { return false }
    // Bit n tells whether bits n and n + 1 differ.
    let transitions = (rawValue ^ (rawValue &>> 1)) & 0x7FFF_FFFF
    if transitions.nonzeroBitCount > 24 { return false }
    // The transitions among bits 26…31.
    if (transitions &>> 26).nonzeroBitCount < 2 { return false }
    if rawValue == rawValue.byteSwapped, rawValue & 0xFFFF == rawValue &>> 16,
      rawValue & 0xFF == rawValue &>> 8 & 0xFF
    {
      return false
    }
    // Seven equal bits in a row have six places in a row without a transition.
    var equal = ~transitions & 0x7FFF_FFFF
    var shift = 1
    while shift < 6 {
      equal &= equal &>> 1
      shift &+= 1
    }
    return equal == 0
  }

  /// One that a central may choose. The random bits are drawn anew until they are valid: one in 14 is not, so
  /// after 16 draws something is wrong with the source, and a fixed one is taken.
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
