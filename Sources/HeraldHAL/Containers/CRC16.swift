/// The cyclic redundancy check of SMP over serial lines, "XMODEM": polynomial 0x1021, initially 0, no
/// reflection.
///
/// Fed with its own value at the end, most significant byte first, it becomes 0.
public struct CRC16: Equatable, BitwiseCopyable, Sendable {
  /// The check of what has been fed.
  public private(set) var value: UInt16 = 0

  /// The checksum of no bytes.
  public init() {}

  /// Feeds one byte.
  public mutating func feed(_ byte: UInt8) {
    // Eight steps of the shift register at once: the polynomial has few terms, so no table is needed.
    value = value.byteSwapped ^ UInt16(byte)
    value ^= (value & 0xFF) &>> 4
    value ^= value &<< 12
    value ^= (value & 0xFF) &<< 5
  }

  /// The check of `bytes`.
  public init(_ bytes: Span<UInt8>) {
    for index in 0..<bytes.count { feed(bytes[unchecked: index]) }
  }
}
