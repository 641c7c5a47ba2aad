/// The checksum of zlib and of IEEE 802.3, a byte at a time: 0xCBF43926 of the digits 1 to 9.
public struct CRC32: BitwiseCopyable, Sendable {
  private var rest: UInt32 = .max

  /// The checksum of no bytes.
  public init() {}

  /// The checksum of the bytes so far.
  public var value: UInt32 { ~rest }

  /// Continues with a byte.
  public mutating func add(_ byte: UInt8) {
    rest ^= UInt32(byte)
    for _ in 0..<8 { rest = (rest &>> 1) ^ (rest & 1 == 0 ? 0 : 0xEDB8_8320) }
  }

  /// Continues with bytes.
  @inline(never)
  public mutating func add(_ bytes: Span<UInt8>) {
    for index in 0..<bytes.count { add(bytes[unchecked: index]) }
  }

  /// The checksum of `bytes`.
  public static func of(_ bytes: Span<UInt8>) -> UInt32 {
    var crc = CRC32()
    crc.add(bytes)
    return crc.value
  }
}
