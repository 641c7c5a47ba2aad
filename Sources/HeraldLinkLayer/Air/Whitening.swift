/// The bits that PDU and CRC are added to on the air, so that there are no long runs of equal ones (Core
/// Specification, Vol 6, Part B, 3.2): a shift register of seven bits, polynomial x⁷ + x⁴ + 1.
///
/// A radio does this in hardware. This is for radios that do not, and for tests.
public struct Whitening: BitwiseCopyable, Sendable {
  private var register: UInt8

  /// The bits for a packet on the channel with this index, 0…39.
  public init(channel: UInt8) { register = 0x40 | (channel & 0x3F) }

  /// The next eight bits, the first of them in bit 0. Adding a byte to them whitens it, and undoes it.
  public mutating func next() -> UInt8 {
    var bits: UInt8 = 0
    var place = 0
    while place < 8 {
      // The register's last bit goes out, and comes back at its position 0 and, added, at its position 4. Bit
      // 6 is position 0.
      let out = register & 1
      register = register &>> 1
      if out != 0 { register ^= 0x44 }
      bits |= out &<< UInt8(truncatingIfNeeded: place)
      place &+= 1
    }
    return bits
  }
}
