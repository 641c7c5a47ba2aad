/// An RTC (nRF52840 Product Specification, "RTC"; nRF51 Series Reference Manual, "RTC").
///
/// Rules that are kept:
/// - "Prescaler": written only while the RTC stands.
/// - "Compare": with the counter at N, a value of N+2 or more that is written is met; N and N+1 are not,
///   before the counter has gone round.
/// - "Event control": an event is generated only if its interrupt is enabled (or its route to PPI, which is
///   not modelled).
/// - "COUNTER": 24 bits.
final class RTCModel: Peripheral {
  /// What each access of the driver takes, in periods of 32,768 Hz.
  var periodsPerAccess: UInt64 = 0
  private var isRunning = false
  private var periods: UInt64 = 0
  private var prescaler: UInt32 = 0
  private var compareValue: UInt32 = 0
  /// The counter that a new compare value has to be two ahead of.
  private var writtenAt: UInt64 = 0
  private var interrupts: UInt32 = 0
  private var hasMatched = false

  private var ticks: UInt64 { periods / UInt64(prescaler + 1) }
  private var counter: UInt32 { UInt32(truncatingIfNeeded: ticks) & 0xFF_FFFF }

  /// Whether the interrupt line is up.
  var interruptIsPending: Bool { hasMatched && interrupts & 1 << 16 != 0 }

  /// Time passes.
  func pass(periods count: UInt64) {
    guard isRunning else { return }
    let before = ticks
    periods += count
    // The first tick at which the value is equal, not before two after it was written.
    let earliest = max(before + 1, writtenAt + 2)
    let period: UInt64 = 1 << 24
    let match = earliest + (UInt64(compareValue) + period - earliest % period) % period
    if match <= ticks, interrupts & 1 << 16 != 0 { hasMatched = true }
  }

  override func value(at offset: UInt32) -> UInt32 {
    pass(periods: periodsPerAccess)
    switch offset {
    case 0x140: return hasMatched ? 1 : 0
    case 0x504: return counter
    default: return super.value(at: offset)
    }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    pass(periods: periodsPerAccess)
    switch offset {
    case 0x000: isRunning = true
    case 0x004: isRunning = false
    case 0x008: periods = 0
    case 0x140: hasMatched = false
    case 0x304: interrupts |= word
    case 0x308: interrupts &= ~word
    case 0x508:
      if isRunning { fault("PRESCALER was written while the RTC runs") }
      prescaler = word & 0xFFF
    case 0x540:
      if word > 0xFF_FFFF { fault("CC has 24 bits") }
      compareValue = word & 0xFF_FFFF
      writtenAt = ticks
    default: super.setValue(word, at: offset)
    }
  }
}
