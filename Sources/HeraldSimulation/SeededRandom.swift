import HeraldHAL

/// A seeded generator (SplitMix64): the same seed gives the same simulation, on every machine.
public struct SeededRandom: RandomSource, BitwiseCopyable, Sendable {
  private var state: UInt64

  /// Creates a generator with this seed.
  public init(seed: UInt64) { state = seed }

  /// A 64-bit hash of `value`: a pseudo-random number that can be computed in any order.
  static func hash(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }

  /// The next 64 random bits.
  @inline(__always)
  public mutating func next64() -> UInt64 {
    state = state &+ 0x9E37_79B9_7F4A_7C15
    return Self.hash(state)
  }

  /// The next 32 random bits.
  public mutating func next() -> UInt32 { UInt32(truncatingIfNeeded: next64() &>> 32) }

  /// A number in 0..<`bound`; `bound` must be greater than 0. The bias is below `bound`/2³².
  public mutating func below(_ bound: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(next()) &* UInt64(bound)) &>> 32)
  }

  /// A number in 0..<1.
  public mutating func unit() -> Double { Double(next64() >> 11) / Double(1 << 53) }

  /// A number with approximately normal distribution, mean 0 and standard deviation 1: the sum of twelve
  /// uniform numbers, limited to ±6.
  public mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += unit() }
    return sum
  }
}
