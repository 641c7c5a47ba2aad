import HeraldHAL

/// The rate limit of a device against guesses of its access key, over all links; and the number of the valid
/// key.
public struct AccessGate: BitwiseCopyable, Sendable {
  /// Successive wrong proofs, as far as they count.
  private var failures: UInt8 = 0
  /// From when on a proof is evaluated.
  private var openAt = Instant.start
  /// Changes with the key: sessions that were opened with a former one have ended.
  private(set) var keyNumber: UInt32 = 0

  /// A gate without failed attempts.
  public init() {}

  /// How long after a start no proof is evaluated: the rate limit is not stored, and a restart must not
  /// bypass it.
  private static var startDelay: Instant { Instant(milliseconds: 4000) }

  /// Milliseconds until a proof is evaluated.
  @inline(never)
  func wait(at now: Instant) -> UInt32 {
    let from = max(openAt, Self.startDelay)
    guard now < from else { return 0 }
    return (from.milliseconds &- now.milliseconds).saturated32
  }

  /// A proof was wrong: the next is evaluated after a second, then two, four, … 60.
  mutating func failed(at now: Instant) {
    if failures < 7 { failures &+= 1 }
    openAt = now + .seconds(failures == 7 ? 60 : 1 &<< UInt32(failures &- 1))
  }

  /// A proof was right.
  mutating func passed() { failures = 0 }

  /// The access key was changed or removed.
  mutating func keyChanged() { keyNumber &+= 1 }
}
