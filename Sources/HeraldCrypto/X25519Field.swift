import HeraldHAL

/// Eight numbers modulo p = 2²⁵⁵ − 19, and the formulas of X25519 over them (RFC 7748, section 5).
///
/// A number has sixteen limbs of 16 bits, least significant first, and is any of its representatives below
/// 2²⁵⁶: the product of two limbs has 32 bits, as much as a Cortex-M0 multiplies. No branch and no address in
/// memory depends on a value.
struct X25519Field {
  /// x1, x2, x3, z2, z3, two for intermediate results, and (486662 − 2) / 4.
  var words: [128 of UInt16]

  init() {
    words = .init(repeating: 0)
    words[112] = 0xDB41
    words[113] = 1
  }

  /// Exchanges x2 with x3 and z2 with z3 if `bit` is 1, and nothing if it is 0.
  @inline(never)
  mutating func swap(when bit: UInt16) {
    let mask = 0 &- bit
    for index in 0..<16 {
      let x = mask & (words[unchecked: 16 &+ index] ^ words[unchecked: 32 &+ index])
      words[unchecked: 16 &+ index] ^= x
      words[unchecked: 32 &+ index] ^= x
      let z = mask & (words[unchecked: 48 &+ index] ^ words[unchecked: 64 &+ index])
      words[unchecked: 48 &+ index] ^= z
      words[unchecked: 64 &+ index] ^= z
    }
  }

  /// One step of the ladder: doubles (x2, z2), and adds it to (x3, z3).
  mutating func step() {
    for index in 0..<ladderStep.count {
      let code = Int(ladderStep[index])
      let to = (code &>> 6 & 7) &* 16
      let first = (code &>> 3 & 7) &* 16
      let second = (code & 7) &* 16
      switch code &>> 9 {
      case 0: multiply(first, second, into: to)
      case 1: combine(first, second, sign: 1, into: to)
      default: combine(first, second, sign: -1, into: to)
      }
    }
  }

  /// Part `part`, 0…50, of the computation of z2 to the power of p − 2, in place of x3. The exponent has
  /// ones at all positions but 2 and 4.
  mutating func invert(part: Int) {
    if part == 0 { for index in 0..<16 { words[32 &+ index] = words[48 &+ index] } }
    var bit = 253 &- part &* 5
    let end = max(bit &- 5, -1)
    while bit > end {
      multiply(32, 32, into: 32)
      if bit != 2, bit != 4 { multiply(32, 48, into: 32) }
      bit &-= 1
    }
  }

  /// x2 times the inverse of z2, in its one form below p, in 32 bytes.
  mutating func finish(into result: inout [32 of UInt8]) {
    multiply(16, 32, into: 16)
    for _ in 0..<2 {
      // Subtracts p, and keeps the difference if it is not negative.
      var carry: Int32 = 19
      for index in 0..<16 {
        carry &+= Int32(words[16 &+ index])
        words[80 &+ index] = UInt16(truncatingIfNeeded: carry)
        carry = carry &>> 16
      }
      // With 19 added, bit 255 or a carry says that it was p or more.
      let isLarge = UInt16(truncatingIfNeeded: carry) | words[95] &>> 15
      let mask = 0 &- isLarge
      // p is 2²⁵⁵ less 19: bit 255 is subtracted, from the carry if there is one.
      words[95] = words[95] &- 0x8000
      for index in 0..<16 {
        let difference = mask & (words[16 &+ index] ^ words[80 &+ index])
        words[16 &+ index] ^= difference
      }
    }
    for index in 0..<16 {
      result[2 &* index] = UInt8(truncatingIfNeeded: words[16 &+ index])
      result[2 &* index &+ 1] = UInt8(truncatingIfNeeded: words[16 &+ index] &>> 8)
    }
  }

  /// The product of two numbers.
  @inline(never)
  private mutating func multiply(_ first: Int, _ second: Int, into to: Int) {
    var product: [32 of UInt16] = .init(repeating: 0)
    var low: UInt32 = 0
    for column in 0..<31 {
      var high: UInt32 = 0
      var left = first &+ max(column &- 15, 0)
      var right = second &+ min(column, 15)
      let end = first &+ min(column, 15)
      while left <= end {
        let part = UInt32(words[unchecked: left]) &* UInt32(words[unchecked: right])
        low &+= part & 0xFFFF
        high &+= part &>> 16
        left &+= 1
        right &-= 1
      }
      product[unchecked: column] = UInt16(truncatingIfNeeded: low)
      low = low &>> 16 &+ high
    }
    product[31] = UInt16(truncatingIfNeeded: low)
    // 2²⁵⁶ is 38.
    var carry: Int32 = 0
    for index in 0..<16 {
      carry &+= Int32(product[unchecked: index]) &+ Int32(product[unchecked: 16 &+ index]) &* 38
      words[unchecked: to &+ index] = UInt16(truncatingIfNeeded: carry)
      carry = carry &>> 16
    }
    wrap(carry, to)
  }

  /// The sum of two numbers, or with the sign −1 their difference.
  @inline(never)
  private mutating func combine(_ first: Int, _ second: Int, sign: Int32, into to: Int) {
    var carry: Int32 = 0
    for index in 0..<16 {
      carry &+= Int32(words[unchecked: first &+ index]) &+ sign &* Int32(words[unchecked: second &+ index])
      words[unchecked: to &+ index] = UInt16(truncatingIfNeeded: carry)
      carry = carry &>> 16
    }
    wrap(carry, to)
  }

  /// Adds `carry` times 2²⁵⁶, −1…39 times. The second round is for a sum that is beyond 2²⁵⁶ again, or below
  /// zero; it is then so near to these ends that there is no third.
  @inline(never)
  private mutating func wrap(_ carry: Int32, _ to: Int) {
    var carry = carry
    for _ in 0..<2 {
      carry = carry &* 38
      for index in 0..<16 {
        carry &+= Int32(words[unchecked: to &+ index])
        words[unchecked: to &+ index] = UInt16(truncatingIfNeeded: carry)
        carry = carry &>> 16
      }
    }
  }

  /// Erases the numbers.
  @inline(never)
  mutating func wipe() {
    var all = words.mutableSpan
    for index in 0..<all.count { all[index] = 0 }
  }
}

/// The operations of a step, four octal digits each: 0 multiplies, 1 adds, 2 subtracts; the index of the
/// result, and of both operands. The operands are x1, x2, x3, z2, z3, two for intermediate results, and the
/// constant.
private let ladderStep: [18 of UInt16] = [
  0o1513, 0o2113, 0o1324, 0o2224, 0o0455, 0o0611, 0o0131, 0o0325, 0o1513,
  0o2113, 0o0211, 0o2346, 0o0137, 0o1114, 0o0331, 0o0146, 0o0420, 0o0255,
]
