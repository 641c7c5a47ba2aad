import HeraldHAL

/// Random numbers for advertising delays and access addresses. They are not suitable for secrets.
struct XorShift: RandomSource, BitwiseCopyable {
  private var state: UInt32

  init(seed: UInt32) { state = seed }

  mutating func next() -> UInt32 {
    if state == 0 { state = 0x9E37_79B9 }
    state ^= state &<< 13
    state ^= state &>> 17
    state ^= state &<< 5
    return state
  }
}
