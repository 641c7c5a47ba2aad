/// The digests of our own payload and of the one before that: peers may pass either on to us for some time.
/// Zero bits before there is one.
@usableFromInline
struct OwnDigests: BitwiseCopyable {
  private var present: UInt64
  private var former: UInt64

  @usableFromInline
  init() {
    present = 0
    former = 0
  }

  /// Whether a payload is the one we offer, or the one before.
  @usableFromInline @inline(never)
  func contains(_ digest: UInt64) -> Bool { digest == present || digest == former }

  /// Takes note of our payload. `false` if it is the one that is known.
  @usableFromInline
  mutating func note(_ digest: UInt64) -> Bool {
    guard digest != present else { return false }
    former = present
    present = digest
    return true
  }
}
