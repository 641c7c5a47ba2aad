import HeraldChips
import HeraldHAL

/// Numbers that look random and are not: this board has no generator. They are drawn from the counter, whose
/// lowest bits depend on when bytes come from outside, and are predictable with that knowledge. Good enough
/// for an emulator; a device that is worn needs a chip with a generator.
public struct Random: RandomSource, ~Copyable {
  private var state: UInt32 = 0x9E37_79B9

  init() {}

  /// The next 32 bits.
  public mutating func next() -> UInt32 {
    state ^= Clock.counter.load(at: 4)
    // Marsaglia's xorshift; it stays at 0 once it is there.
    if state == 0 { state = 1 }
    state ^= state &<< 13
    state ^= state &>> 17
    state ^= state &<< 5
    return state
  }
}
