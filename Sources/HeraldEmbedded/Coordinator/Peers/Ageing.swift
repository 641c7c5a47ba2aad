import HeraldBluetooth
import HeraldHAL

/// When the table is searched next for peers that have been silent for too long: not before the next target's
/// expiry. Zero bits before the first search, which is due at once.
struct Ageing: BitwiseCopyable {
  /// When the next search is due.
  private(set) var dueAt: Instant
  private var expiry: Interval

  init() {
    dueAt = .start
    expiry = .zero
  }

  /// A search begins: with no peers the next search is due after `expiry`.
  mutating func begin(expiry: Interval, at now: Instant) {
    self.expiry = expiry
    dueAt = now + expiry
  }

  /// Whether a peer that has been silent for so long is to be forgotten. One that is engaged (held, or
  /// waiting for a message) may be released at any moment: the next search is then due in a second.
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
