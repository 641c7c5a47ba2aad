import Glibc
import HeraldHAL

/// The kernel's random generator, without a limit on the number of requests.
public struct SystemRandom: RandomSource, ~Copyable {
  /// Fails only where the kernel has no `getrandom` (before Linux 3.17), or forbids it to this process.
  public init() throws(SystemFailure) {
    var word: UInt32 = 0
    guard getentropy(&word, 4) == 0 else {
      throw SystemFailure("read", "the kernel's random generator", code: errno)
    }
  }

  /// The next 32 random bits.
  public mutating func next() -> UInt32 {
    var word: UInt32 = 0
    // So few bytes are never interrupted, and what worked at start keeps working.
    while getentropy(&word, 4) != 0 {}
    return word
  }
}
