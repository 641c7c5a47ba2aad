import HeraldBluetooth
import HeraldHAL

/// Connections whose numbers exceed the capacity, which are to be closed. Zero bits when there are none.
struct SurplusConnections: BitwiseCopyable {
  /// A bit each.
  private var bits: UInt32
  /// When to command the radio next.
  private(set) var askAt: Instant

  init() {
    bits = 0
    askAt = .start
  }

  /// A connection was opened for which there is no slot. A number above 31 is not stored.
  mutating func opened(_ index: Int, at now: Instant) {
    if index >= 0, index < 32 { bits |= 1 &<< UInt32(truncatingIfNeeded: index) }
    askAt = now
  }

  /// Such a connection has ended.
  mutating func closed(_ index: Int) {
    if index >= 0, index < 32 { bits &= ~(1 &<< UInt32(truncatingIfNeeded: index)) }
  }

  /// Whether there are any.
  var isEmpty: Bool { bits == 0 }

  /// The connections for which the radio gets a disconnect command now, a bit each: at once, and again every
  /// two seconds.
  mutating func due(at now: Instant) -> UInt32 {
    guard bits != 0, now >= askAt else { return 0 }
    askAt = now + .seconds(2)
    return bits
  }
}
