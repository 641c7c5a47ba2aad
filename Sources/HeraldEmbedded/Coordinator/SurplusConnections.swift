import HeraldBluetooth
import HeraldHAL

/// Connections with numbers beyond our places, which are to be closed. Zero bits when there are none.
@usableFromInline
struct SurplusConnections: BitwiseCopyable {
  /// A bit each.
  private var bits: UInt32
  /// When to ask the radio next.
  @usableFromInline private(set) var askAt: Instant

  @usableFromInline
  init() {
    bits = 0
    askAt = .start
  }

  /// A connection was opened that there is no place for. The number of one beyond 31 is not kept.
  @usableFromInline
  mutating func opened(_ index: Int, at now: Instant) {
    if index >= 0, index < 32 { bits |= 1 &<< UInt32(truncatingIfNeeded: index) }
    askAt = now
  }

  /// Such a connection is closed.
  @usableFromInline
  mutating func closed(_ index: Int) {
    if index >= 0, index < 32 { bits &= ~(1 &<< UInt32(truncatingIfNeeded: index)) }
  }

  /// Whether there are any.
  @usableFromInline var isEmpty: Bool { bits == 0 }

  /// Those that the radio is to be asked to close now, a bit each: at once, and again every two seconds.
  @usableFromInline
  mutating func due(at now: Instant) -> UInt32 {
    guard bits != 0, now >= askAt else { return 0 }
    askAt = now + .seconds(2)
    return bits
  }
}
