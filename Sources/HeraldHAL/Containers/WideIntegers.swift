// The standard conversions between 64-bit and narrower integers go through an array (`words`) on
// 32-bit targets, which the compiler refuses under `-no-allocations`. These conversions do not.
// Every 64-bit conversion in the allocation-free modules goes through this file.

extension UInt64 {
  /// A 64-bit value from an unsigned 32-bit one.
  @inline(__always)
  public init(wide low: UInt32) {
    self = UInt64(_truncatingBits: UInt(low))
  }

  /// A 64-bit value from its two halves.
  @inline(__always)
  public init(high: UInt32, low: UInt32) {
    self = (UInt64(wide: high) &<< 32) | UInt64(wide: low)
  }

  /// Bits 0…31.
  @inline(__always)
  public var low32: UInt32 { UInt32(truncatingIfNeeded: UInt(truncatingIfNeeded: self)) }

  /// Bits 32…63.
  @inline(__always)
  public var high32: UInt32 { (self &>> 32).low32 }

  /// The value as 32 bits, or the largest 32-bit value if it does not fit.
  public var saturated32: UInt32 { high32 == 0 ? low32 : .max }
}

extension UInt32 {
  /// A thousandth, rounded down: by multiplication, as the smallest cores have no instruction to divide.
  public var thousandth: UInt32 {
    // ⌈2²² / 125⌉ · ⌊n / 8⌋ / 2²²: the error stays below a 125th for all n below 2¹⁸, and on 32-bit targets
    // this takes a fifth of the time.
    if self &>> 18 == 0 { return ((self &>> 3) &* 33_555) &>> 22 }
    // ⌈2³⁵ / 125⌉ · ⌊n / 8⌋ / 2³⁵: the error stays below a 125th for all n below 2³².
    return (UInt64(wide: self &>> 3) &* 0x1062_4DD3).high32 &>> 3
  }
}
