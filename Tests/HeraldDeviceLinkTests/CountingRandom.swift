import HeraldHAL

/// A random source whose numbers are all different.
struct CountingRandom: RandomSource {
  var last: UInt32
  mutating func next() -> UInt32 {
    last &+= 0x9E37_79B9
    return last
  }
}
