import HeraldBluetooth
import HeraldHAL

/// The one connection attempt that may be under way. Zero bits when there is none.
@usableFromInline
struct Attempt: BitwiseCopyable {
  @usableFromInline var isActive: Bool
  /// The attempt was cancelled; the radio has not confirmed that yet.
  @usableFromInline var isCancelled: Bool
  /// The attempt is shorter than the configured timeout, so that the radio can scan.
  @usableFromInline var isCut: Bool
  /// The target's place in the table.
  @usableFromInline var place: UInt16
  /// When it began: milliseconds, their lower 16 bits.
  @usableFromInline var begunAt: UInt16
  /// When the attempt is cancelled, or, once it is, when the cancellation is repeated.
  @usableFromInline var deadline: Instant

  @usableFromInline
  init() {
    isActive = false
    isCancelled = false
    isCut = false
    place = 0
    begunAt = 0
    deadline = .start
  }

  /// An attempt at the peer at `place` has begun. `isCut`: it ends before the configured timeout.
  @usableFromInline
  mutating func begin(_ place: Int, until deadline: Instant, isCut: Bool, at now: Instant) {
    isActive = true
    isCancelled = false
    self.isCut = isCut
    self.place = UInt16(truncatingIfNeeded: place)
    begunAt = UInt16(truncatingIfNeeded: now.milliseconds.low32)
    self.deadline = deadline
  }

  /// Ends at `deadline`, before the configured timeout.
  @usableFromInline
  mutating func cut(until deadline: Instant) {
    isCut = true
    self.deadline = deadline
  }

  /// Whether the attempt is to the peer at this place and has not been cancelled.
  @usableFromInline
  func isAlive(at place: Int) -> Bool { isActive && !isCancelled && Int(self.place) == place }

  /// Whether the attempt is to be cancelled now because its deadline has passed. It stays active until the
  /// radio reports how it ended; if the radio reports nothing, the cancellation is repeated every two
  /// seconds.
  @usableFromInline
  mutating func isOverdue(at now: Instant) -> Bool {
    guard now >= deadline else { return false }
    isCancelled = true
    deadline = now + .seconds(2)
    return true
  }

  /// The length of an attempt to connect to a stranger while other peers wait: a phone advertises once more
  /// within it.
  @usableFromInline static var hastyLength: Interval { .milliseconds(1300) }
  /// How long a stranger may take for its responses until it has shown its service, while other peers wait.
  @usableFromInline static var hastyStep: Interval { .milliseconds(1500) }
  /// How recently a peer must have been heard to be certainly in range.
  @usableFromInline static var justNow: Interval { .milliseconds(500) }
}
