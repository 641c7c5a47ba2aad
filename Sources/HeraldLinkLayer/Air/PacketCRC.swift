/// The cyclic redundancy check of a link layer packet: 24 bits over the PDU (Core Specification, Vol 6, Part
/// B, 3.1.1), polynomial x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x + 1.
///
/// Most radios compute it in hardware. This implementation is for radios that do not, and for tests.
public enum PacketCRC {
  /// The initial value of the register on the advertising channels.
  public static var advertisingInit: UInt32 { 0x55_5555 }

  /// The CRC of `pdu`. The register is initialised with the 24 bits of `start`, CRCInit as a number, of which
  /// bit 0 is transmitted first in CONNECT_IND. Bits 0…7 of the result are the first byte transmitted.
  public static func check(_ pdu: Span<UInt8>, start: UInt32) -> UInt32 {
    // The register is stored in reversed bit order, because bytes are transmitted least significant bit
    // first.
    var register = mirrored(start)
    for index in 0..<pdu.count {
      register ^= UInt32(pdu[unchecked: index])
      var bit = 0
      while bit < 8 {
        register = register & 1 == 0 ? register &>> 1 : (register &>> 1) ^ 0xDA_6000
        bit &+= 1
      }
    }
    return register
  }

  /// The low 24 bits of a value in reversed order.
  private static func mirrored(_ value: UInt32) -> UInt32 {
    var rest = value
    var result: UInt32 = 0
    var bit = 0
    while bit < 24 {
      result = result &<< 1 | rest & 1
      rest = rest &>> 1
      bit &+= 1
    }
    return result
  }
}
