/// Data whitening: PDU and CRC are combined with this bit sequence, which avoids long runs of equal bits
/// (Core Specification, Vol 6, Part B, 3.2). It is produced by a shift register of seven bits with the
/// polynomial x⁷ + x⁴ + 1.
///
/// Most radios do this in hardware. This implementation is for radios that do not, and for tests.
public struct Whitening: BitwiseCopyable, Sendable {
  private var register: UInt8

  /// The bit sequence for a packet on the channel with this index, 0…39.
  public init(channel: UInt8) { register = 0x40 | (channel & 0x3F) }

  /// The next eight bits, the first of them in bit 0. An exclusive or with a byte whitens or de-whitens it.
  public mutating func next() -> UInt8 {
    var bits: UInt8 = 0
    var bit = 0
    while bit < 8 {
      // The last bit of the register is the output; it is fed back to position 0 and added at position 4. Bit
      // 6 is position 0.
      let out = register & 1
      register = register &>> 1
      if out != 0 { register ^= 0x44 }
      bits |= out &<< UInt8(truncatingIfNeeded: bit)
      bit &+= 1
    }
    return bits
  }
}
