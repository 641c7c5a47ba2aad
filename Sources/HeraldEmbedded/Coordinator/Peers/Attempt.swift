import HeraldBluetooth
import HeraldHAL

/// The one connection attempt that may be under way. Zero bits when there is none.
struct Attempt: BitwiseCopyable {
  var isActive: Bool
  /// The attempt was cancelled; the radio has not confirmed that yet.
  var isCancelled: Bool
  /// The attempt is shorter than the configured timeout, so that the radio can scan.
  var isCut: Bool
  /// The attempt lasts as long as the window in which the peer is expected to advertise.
  var isBrief: Bool
  /// The target's slot in the table.
  var slot: UInt16
  /// When it began: milliseconds, their lower 16 bits.
  var begunAt: UInt16
  /// When the attempt is cancelled, or, once it is, when the cancellation is repeated.
  var deadline: Instant

  init() {
    isActive = false
    isCancelled = false
    isCut = false
    isBrief = false
    slot = 0
    begunAt = 0
    deadline = .start
  }

  /// An attempt at the peer at `slot` has begun. `limit`: when it ends at the latest.
  mutating func begin(_ slot: Int, _ length: AttemptLength, limit: Instant, at now: Instant) {
    let end = now + length.length
    isActive = true
    isCancelled = false
    isCut = length.isCut || limit < end
    isBrief = length.isBrief
    self.slot = UInt16(truncatingIfNeeded: slot)
    begunAt = UInt16(truncatingIfNeeded: now.milliseconds.low32)
    deadline = limit < end ? limit : end
  }

  /// Ends at `deadline`, before the configured timeout.
  mutating func cut(until deadline: Instant) {
    isCut = true
    self.deadline = deadline
  }

  /// Whether the attempt is to the peer at this slot and has not been cancelled.
  func isAlive(at slot: Int) -> Bool { isActive && !isCancelled && Int(self.slot) == slot }

  /// Whether the attempt is to be cancelled now because its deadline has passed. It stays active until the
  /// radio reports how it ended; if the radio reports nothing, the cancellation is repeated every two
  /// seconds.
  mutating func isOverdue(at now: Instant) -> Bool {
    guard now >= deadline else { return false }
    isCancelled = true
    deadline = now + .seconds(2)
    return true
  }

  /// How long a stranger may take for its responses until it has shown its service, while other peers wait.
  static var hastyStep: Interval { .milliseconds(1500) }
  /// How recently a peer must have been received to be certainly in range.
  static var justNow: Interval { .milliseconds(500) }
}
