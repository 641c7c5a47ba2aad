/// The digests of our present payload and the one before: peers may share either with us for some time. Zero
/// bits before there is one.
struct OwnDigests: BitwiseCopyable {
  private var present: UInt64
  private var former: UInt64

  init() {
    present = 0
    former = 0
  }

  /// Whether a payload is the one we offer, or the one before.
  @inline(never)
  func contains(_ digest: UInt64) -> Bool { digest == present || digest == former }

  /// Stores the digest of our payload. `false` if it is unchanged.
  mutating func note(_ digest: UInt64) -> Bool {
    guard digest != present else { return false }
    former = present
    present = digest
    return true
  }
}
