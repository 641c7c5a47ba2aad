import HeraldChips
import HeraldHAL

/// The clock of the board: RTC1. RTC0 and TIMER0 belong to the radio.
typealias BoardClock = NRF.RTCClock<FixedRegisters<0x400110>>

/// The clocks of the board, and the watchdog.
enum Clock {
  /// RTC1, interrupt 17.
  static var counter: FixedRegisters<0x400110> { FixedRegisters() }
  static var interrupt: UInt32 { 17 }
  /// CLOCK and POWER.
  static var control: FixedRegisters<0x400000> { FixedRegisters() }
  /// The watchdog. The loop executes at least once per second; its longest action is an erasure.
  static var watchdog: FixedRegisters<0x400100> { FixedRegisters() }
  static var watchdogTimeout: Interval { .seconds(10) }

  /// Starts the clock of the board.
  static func start() -> BoardClock {
    var control = NRF.Clock(control)
    control.startHighFrequencyCrystal()
    // The board has no crystal for the low-frequency clock, and its RC oscillator deviates too much.
    control.startLowFrequency(.synthesized)
    for _ in 0..<20_000 where control.isOnCrystal() && control.lowFrequency() != nil { break }
    var clock = BoardClock(counter)
    clock.start()
    return clock
  }
}
