import HeraldHAL

/// How a device slows down those who guess its access key, whatever link they guess on; and which key counts.
public struct AccessGate: BitwiseCopyable, Sendable {
  /// Wrong proofs in a row, as far as they count.
  private var failures: UInt8 = 0
  /// From when on a proof is looked at.
  private var openAt = Instant.start
  /// Changes with the key: sessions that were opened with a former one are over.
  private(set) var keyNumber: UInt32 = 0

  /// A gate without failed attempts.
  public init() {}

  /// How long after a start no proof is looked at: what slows guesses down is not kept, and a restart is not
  /// to be a way around it.
  private static var startDelay: Instant { Instant(milliseconds: 4000) }

  /// Milliseconds until a proof is looked at.
  @inline(never)
  func wait(at now: Instant) -> UInt32 {
    let from = max(openAt, Self.startDelay)
    guard now < from else { return 0 }
    return (from.milliseconds &- now.milliseconds).saturated32
  }

  /// A proof was wrong: the next is looked at after a second, then two, four, … 60.
  mutating func failed(at now: Instant) {
    if failures < 7 { failures &+= 1 }
    openAt = now + .seconds(failures == 7 ? 60 : 1 &<< UInt32(failures &- 1))
  }

  /// A proof was right.
  mutating func passed() { failures = 0 }

  /// The access key was changed or removed.
  mutating func keyChanged() { keyNumber &+= 1 }
}
