import HeraldHAL

/// The function X25519 (RFC 7748, section 5), in parts short enough to be done between radio events: the
/// x-coordinate of a multiple of a point.
///
/// `begin`, then `advance` until it returns `true`, then `finish`. Each call of `advance` is one step of the
/// Montgomery ladder or an equal part of the inversion: about ten multiplications in the field. Neither the
/// operations nor the addresses that they use depend on the scalar or the point. Takes 194 bytes of
/// RAM and half a kilobyte of stack.
public struct X25519: BitwiseCopyable, Sendable {
  private var scalar: [32 of UInt8] = .init(repeating: 0)
  /// x1; x2, x3, z2, z3 of the ladder.
  private var limbs: [80 of UInt16] = .init(repeating: 0)
  /// How many steps of the ladder, and then parts of the inversion, are left.
  private var left: UInt16 = 0

  private static var bits: UInt16 { 255 }
  /// The exponent of the inversion, p − 2, has 254 bits after its first: five in each part.
  private static var parts: UInt16 { 51 }

  /// Idle, all zero bits.
  public init() {}

  /// Begins with a scalar of 32 bytes, which is clamped, and the x-coordinate of a point, 32 bytes of which
  /// the highest bit is ignored. An empty `point` is the base point.
  public mutating func begin(scalar bytes: Span<UInt8>, point: Span<UInt8>) {
    for index in 0..<min(32, bytes.count) { scalar[index] = bytes[index] }
    begin(point: point)
  }

  /// Begins again with the scalar that was used before.
  @inline(never)
  public mutating func begin(point: Span<UInt8>) {
    scalar[0] &= 248
    scalar[31] = scalar[31] & 127 | 64
    for index in 0..<80 { limbs[index] = 0 }
    if point.count == 32 {
      for index in 0..<16 {
        limbs[index] = UInt16(point[2 &* index]) | UInt16(point[2 &* index &+ 1]) &<< 8
      }
      limbs[15] &= 0x7FFF
    } else {
      limbs[0] = 9
    }
    for index in 0..<16 { limbs[32 &+ index] = limbs[index] }
    limbs[16] = 1
    limbs[64] = 1
    left = Self.bits &+ Self.parts
  }

  /// Does the next part. Returns whether all are done.
  @inline(never)
  public mutating func advance() -> Bool {
    guard left > 0 else { return true }
    left &-= 1
    var field = X25519Field()
    for index in 0..<80 { field.words[unchecked: index] = limbs[unchecked: index] }
    if left >= Self.parts {
      let bit = Int(left &- Self.parts)
      field.swap(when: self.bit(bit) ^ self.bit(bit &+ 1))
      field.step()
      if bit == 0 { field.swap(when: self.bit(0)) }
    } else {
      field.invert(part: Int(Self.parts &- 1 &- left))
    }
    for index in 0..<80 { limbs[unchecked: index] = field.words[unchecked: index] }
    field.wipe()
    return left == 0
  }

  /// Writes the result, once `advance` has returned `true`. It is all zeros for points of low order only.
  @inline(never)
  public mutating func finish(into result: inout [32 of UInt8]) {
    var field = X25519Field()
    for index in 0..<80 { field.words[index] = limbs[index] }
    field.finish(into: &result)
    field.wipe()
  }

  /// Erases all values derived from the scalar, and the scalar.
  @inline(never)
  public mutating func wipe() {
    var bytes = scalar.mutableSpan
    bytes.wipe()
    for index in 0..<80 { limbs[index] = 0 }
    left = 0
  }

  private func bit(_ index: Int) -> UInt16 {
    index < 255 ? UInt16(scalar[index &>> 3] &>> UInt8(truncatingIfNeeded: index & 7) & 1) : 0
  }

  /// Whether a point has low order, so that the result is zero with every scalar. The points and encodings
  /// are those with x = 0, 1, p − 1, p, p + 1 and the two of order 8.
  @inline(never)
  public static func isLowOrder(_ point: Span<UInt8>) -> Bool {
    guard point.count == 32 else { return true }
    var same: UInt8 = 0b1111
    for index in 0..<32 {
      let byte = index == 31 ? point[index] & 0x7F : point[index]
      let isFirst = index == 0
      if isFirst ? byte > 1 : byte != 0 { same &= ~1 }
      if isFirst ? byte < 0xEC || byte > 0xEE : byte != (index == 31 ? 0x7F : 0xFF) { same &= ~2 }
      if byte != orderEight[index] { same &= ~4 }
      if byte != orderEight[32 &+ index] { same &= ~8 }
    }
    return same != 0
  }
}

/// The x-coordinates of the two points of order 8, little-endian.
private let orderEight: [64 of UInt8] = [
  0xE0, 0xEB, 0x7A, 0x7C, 0x3B, 0x41, 0xB8, 0xAE, 0x16, 0x56, 0xE3, 0xFA, 0xF1, 0x9F, 0xC4, 0x6A, 0xDA, 0x09,
  0x8D, 0xEB, 0x9C, 0x32, 0xB1, 0xFD, 0x86, 0x62, 0x05, 0x16, 0x5F, 0x49, 0xB8, 0x00, 0x5F, 0x9C, 0x95, 0xBC,
  0xA3, 0x50, 0x8C, 0x24, 0xB1, 0xD0, 0xB1, 0x55, 0x9C, 0x83, 0xEF, 0x5B, 0x04, 0x44, 0x5C, 0xC4, 0x58, 0x1C,
  0x8E, 0x86, 0xD8, 0x22, 0x4E, 0xDD, 0xD0, 0x9F, 0x11, 0x57,
]
