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

  /// Starts the clock of the board; with the crystal of the high-frequency clock, unless that is started when
  /// it is required. Without a crystal for the low-frequency clock, that is derived from it.
  static func start(hasLowFrequencyCrystal: Bool, withCrystal: Bool) -> BoardClock {
    var control = NRF.Clock(control)
    control.startLowFrequency(hasLowFrequencyCrystal ? .crystal : .synthesized)
    // The internal oscillator deviates by up to 8 %, more than a UART at 1 Mbaud tolerates.
    if withCrystal { control.startHighFrequencyCrystal() }
    // Less than a millisecond, so that the line starts at its speed, USB finds the crystal running and does
    // not stop it, and the RTC is read when its clock runs: before that its registers are undefined
    // (anomaly 20).
    for _ in 0..<20_000 where !withCrystal || control.isOnCrystal() {
      if control.lowFrequency() != nil { break }
    }
    var clock = BoardClock(counter)
    clock.start()
    return clock
  }
}
