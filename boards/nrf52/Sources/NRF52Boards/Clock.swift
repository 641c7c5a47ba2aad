import HeraldChips
import HeraldHAL

/// The clock of the board: RTC1. RTC0 belongs to the radio.
package typealias BoardClock = NRF.RTCClock<FixedRegisters<0x400110>>

/// The clocks of the board, and the watchdog.
enum Clock {
  /// RTC1, interrupt 17.
  static var counter: FixedRegisters<0x400110> { FixedRegisters() }
  static var interrupt: UInt32 { 17 }
  /// CLOCK and POWER.
  static var control: MappedRegisters { MappedRegisters(at: 0x4000_0000) }
  /// The watchdog. The loop executes at least once per second; its longest action is an erasure.
  static var watchdog: FixedRegisters<0x400100> { FixedRegisters() }
  static var watchdogTimeout: Interval { .seconds(10) }

  /// Starts the clock of the board.
  static func start(hasLowFrequencyCrystal: Bool) -> BoardClock {
    var control = NRF.Clock(control)
    control.startLowFrequency(hasLowFrequencyCrystal ? .crystal : .synthesized)
    // The internal oscillator deviates by up to 8 %, too much for a UART at 1 Mbaud.
    control.startHighFrequencyCrystal()
    // Takes less than a millisecond. Afterwards the line has its exact speed, USB finds the crystal running
    // and does not start or stop it, and the registers of the RTC are valid (anomaly 20).
    for _ in 0..<20_000 where control.isOnCrystal() && control.lowFrequency() != nil { break }
    var clock = BoardClock(counter)
    clock.start()
    return clock
  }
}
