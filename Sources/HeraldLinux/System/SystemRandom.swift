import Glibc
import HeraldHAL

/// The kernel's random number generator.
package struct SystemRandom: RandomSource, ~Copyable {
  /// Checks that the generator is available. Fails if the kernel has no `getrandom` (before Linux 3.17), or
  /// does not permit it to this process.
  package init() throws(SystemFailure) {
    var word: UInt32 = 0
    guard getentropy(&word, 4) == 0 else {
      throw SystemFailure("read", "the kernel's random generator", code: errno)
    }
  }

  /// The next 32 random bits.
  package mutating func next() -> UInt32 {
    var word: UInt32 = 0
    // A request of at most 256 bytes is not interrupted, and the initialiser has checked that the call is
    // available.
    while getentropy(&word, 4) != 0 {}
    return word
  }
}
