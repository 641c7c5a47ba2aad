import HeraldChips
import HeraldHAL

/// Pseudorandom numbers: this board has no random number generator. They are derived from the counter, whose
/// lowest bits depend on the times at which bytes are received, and are predictable by anyone who knows
/// these. Sufficient in an emulator only.
public struct Random: RandomSource, ~Copyable {
  private var state: UInt32 = 0x9E37_79B9

  init() {}

  /// The next 32 bits.
  public mutating func next() -> UInt32 {
    state ^= Clock.counter.load(at: 4)
    // Marsaglia's xorshift, which would remain at 0.
    if state == 0 { state = 1 }
    state ^= state &<< 13
    state ^= state &>> 17
    state ^= state &<< 5
    return state
  }
}
