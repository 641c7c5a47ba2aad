import HeraldBluetooth
import HeraldHAL

/// ZigZag encoding of signed differences: 0, −1, 1, −2, 2, … are 0, 1, 2, 3, 4, …, at most 255.
enum ZigZag {
  /// Encodes a difference.
  @inline(__always)
  static func folded(_ difference: Int8) -> UInt32 {
    UInt32(UInt8(bitPattern: (difference &<< 1) ^ (difference &>> 7)))
  }

  /// Decodes the lowest eight bits of a number.
  @inline(__always)
  static func unfolded(_ number: UInt32) -> Int8 {
    let byte = UInt8(truncatingIfNeeded: number)
    return Int8(bitPattern: (byte &>> 1) ^ (0 &- (byte & 1)))
  }
}
