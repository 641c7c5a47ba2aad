import HeraldBluetooth
import HeraldHAL

/// When to look for peers that have not been heard for too long: not before the next one's time comes. Zero
/// bits before the first look, which is due at once.
@usableFromInline
struct Ageing: BitwiseCopyable {
  /// When the next look is due.
  @usableFromInline private(set) var dueAt: Instant
  private var expiry: Interval

  @usableFromInline
  init() {
    dueAt = .start
    expiry = .zero
  }

  /// A look begins: with no peers the next is due after `expiry`.
  @usableFromInline
  mutating func begin(expiry: Interval, at now: Instant) {
    self.expiry = expiry
    dueAt = now + expiry
  }

  /// Whether a peer that has been silent for so long is to be forgotten. One that is engaged (held, or
  /// waiting for a message) may be let go at any moment: then the next look is due in a second.
  @usableFromInline
  mutating func isOver(_ silence: Interval, isEngaged: Bool, at now: Instant) -> Bool {
    if silence < expiry {
      due(by: now + Interval(milliseconds: expiry.milliseconds &- silence.milliseconds))
    } else if isEngaged {
      due(by: now + .seconds(1))
    } else {
      return true
    }
    return false
  }

  private mutating func due(by moment: Instant) {
    if moment < dueAt { dueAt = moment }
  }
}
