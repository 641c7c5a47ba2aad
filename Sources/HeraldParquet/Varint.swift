/// Numbers of variable length (ULEB128): seven bits in each byte, least significant first; the top bit says
/// that another follows.
enum Varint {
  /// Appends an unsigned number.
  static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a signed number by zigzag: 0, -1, 1, -2, … as 0, 1, 2, 3, …
  static func append(zigzag value: Int64, to bytes: inout [UInt8]) {
    append(UInt64(bitPattern: value << 1 ^ value >> 63), to: &bytes)
  }
}
