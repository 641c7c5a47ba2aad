/// The mean of two probabilities in the logistic domain, weighted 3 : 2 and sharpened by a quarter: two
/// contexts that agree are more certain together than each alone. Tables, as the smallest cores have neither
/// division nor logarithms.
enum LogMixing {
  /// The chance of a 1, of 4096, from those of two contexts, 1…4095.
  @inline(__always)
  static func chance(_ first: UInt32, _ second: UInt32) -> UInt32 {
    let sum = 3 &* stretched(first) &+ 2 &* stretched(second)
    let index = min(Int(truncatingIfNeeded: (sum.magnitude &+ 2) &>> 2), 63)
    let chance = UInt32(squashes[unchecked: index])
    return sum < 0 ? 4096 &- chance : chance
  }

  @inline(__always)
  private static func stretched(_ chance: UInt32) -> Int32 {
    Int32(stretches[unchecked: Int(truncatingIfNeeded: (chance &>> 5) & 127)])
  }
}

/// 12·ln(p / (1 − p)) for p = (32·i + 16) / 4096.
private let stretches: [128 of Int8] = [
  -66, -53, -47, -43, -40, -37, -35, -33, -32, -30, -29, -28, -27, -26, -25, -24,
  -23, -22, -21, -21, -20, -19, -19, -18, -17, -17, -16, -16, -15, -14, -14, -13,
  -13, -12, -12, -11, -11, -11, -10, -10, -9, -9, -8, -8, -8, -7, -7, -6,
  -6, -6, -5, -5, -4, -4, -4, -3, -3, -2, -2, -2, -1, -1, -1, 0,
  0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6,
  6, 7, 7, 8, 8, 8, 9, 9, 10, 10, 11, 11, 11, 12, 12, 13,
  13, 14, 14, 15, 16, 16, 17, 17, 18, 19, 19, 20, 21, 21, 22, 23,
  24, 25, 26, 27, 28, 29, 30, 32, 33, 35, 37, 40, 43, 47, 53, 66,
]

/// 4096 / (1 + exp(−i / 12)).
private let squashes: [64 of UInt16] = [
  2048, 2133, 2218, 2303, 2386, 2469, 2550, 2629, 2706, 2782, 2855, 2926,
  2994, 3060, 3123, 3184, 3242, 3297, 3349, 3398, 3445, 3490, 3531, 3571,
  3608, 3642, 3675, 3705, 3734, 3760, 3785, 3808, 3830, 3850, 3868, 3886,
  3902, 3917, 3930, 3943, 3955, 3966, 3976, 3985, 3994, 4002, 4009, 4016,
  4022, 4028, 4033, 4038, 4043, 4047, 4051, 4055, 4058, 4061, 4064, 4066,
  4069, 4071, 4073, 4075,
]
