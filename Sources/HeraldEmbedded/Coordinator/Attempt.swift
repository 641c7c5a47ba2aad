import HeraldBluetooth
import HeraldHAL

/// The one connection attempt that may be under way. Zero bits when there is none.
@usableFromInline
struct Attempt: BitwiseCopyable {
  @usableFromInline var isActive: Bool
  /// We gave it up; the radio has not confirmed that yet.
  @usableFromInline var isCancelled: Bool
  /// It was given less time than it is entitled to, so that the radio can scan.
  @usableFromInline var isCut: Bool
  /// The target's place in the table.
  @usableFromInline var place: UInt16
  /// When it began: milliseconds, their lower 16 bits.
  @usableFromInline var begunAt: UInt16
  /// When it is given up, or, once it is, when to say so again.
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

  /// An attempt at the peer at `place` has begun. `isCut` says that it ends before its time.
  @usableFromInline
  mutating func begin(_ place: Int, until deadline: Instant, isCut: Bool, at now: Instant) {
    isActive = true
    isCancelled = false
    self.isCut = isCut
    self.place = UInt16(truncatingIfNeeded: place)
    begunAt = UInt16(truncatingIfNeeded: now.milliseconds.low32)
    self.deadline = deadline
  }

  /// Ends at `deadline`, before its time.
  @usableFromInline
  mutating func cut(until deadline: Instant) {
    isCut = true
    self.deadline = deadline
  }

  /// Whether it is at the peer at this place, and nobody has given it up.
  @usableFromInline
  func isAlive(at place: Int) -> Bool { isActive && !isCancelled && Int(self.place) == place }

  /// Whether it is to be cancelled now, as it takes too long. It stays active until the radio says how it
  /// ended; a radio that does not is asked again every two seconds.
  @usableFromInline
  mutating func isOverdue(at now: Instant) -> Bool {
    guard now >= deadline else { return false }
    isCancelled = true
    deadline = now + .seconds(2)
    return true
  }

  /// The length of an attempt at a stranger where others wait: a phone advertises once more in it.
  @usableFromInline static var hastyLength: Interval { .milliseconds(1300) }
  /// How long a stranger may take for its answers until it has shown its service, where others wait.
  @usableFromInline static var hastyStep: Interval { .milliseconds(1500) }
  /// How recently a peer was heard that is surely there.
  @usableFromInline static var justNow: Interval { .milliseconds(500) }
}
