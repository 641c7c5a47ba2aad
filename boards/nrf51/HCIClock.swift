import HeraldChips
import HeraldHAL

/// The clock of the board: TIMER0, which QEMU has, unlike the RTC. It keeps the 16 MHz crystal running; on a
/// battery `NRF.RTCClock` takes less current.
typealias BoardClock = NRF.TimerClock<FixedRegisters<0x400080>>

/// The clocks of the board, and the watchdog.
enum Clock {
  /// TIMER0, interrupt 8.
  static var counter: FixedRegisters<0x400080> { FixedRegisters() }
  static var interrupt: UInt32 { 8 }
  /// CLOCK and POWER.
  static var control: FixedRegisters<0x400000> { FixedRegisters() }
  /// The watchdog, which QEMU does not have. The loop executes at least once per second; its longest action
  /// is an erasure.
  static var watchdog: FixedRegisters<0x400100> { FixedRegisters() }
  static var watchdogTimeout: Interval { .seconds(10) }

  /// Starts the clock of the board.
  static func start() -> BoardClock {
    var control = NRF.Clock(control)
    // The board has no crystal for the low-frequency clock, which the watchdog uses.
    control.startLowFrequency(.oscillator)
    control.startHighFrequencyCrystal()
    var clock = BoardClock(counter)
    clock.start()
    return clock
  }
}

/// The handler of TIMER0. Its interrupt has ended the sleep; it is acknowledged, so that it does not recur
/// before the next deadline is set.
@_cdecl("IRQ8_Handler") func clockInterrupted() {
  var clock = BoardClock(Clock.counter)
  if clock.isDue { clock.silence() }
}
