import HeraldChips
import HeraldHAL

/// What the board counts with: TIMER0, which QEMU has, unlike the RTC. It keeps the 16 MHz crystal running; a
/// micro:bit that is to last on a battery takes `NRF.RTCClock` in its place.
typealias BoardClock = NRF.TimerClock<FixedRegisters<0x400080>>

/// The clocks of the board, and the watchdog.
enum Clock {
  /// TIMER0, interrupt 8.
  static var counter: FixedRegisters<0x400080> { FixedRegisters() }
  static var interrupt: UInt32 { 8 }
  /// CLOCK and POWER.
  static var control: FixedRegisters<0x400000> { FixedRegisters() }
  /// The watchdog, which QEMU does not have. A loop that is well goes round once a second; the longest thing
  /// it does is an erasure.
  static var watchdog: FixedRegisters<0x400100> { FixedRegisters() }
  static var watchdogTimeout: Interval { .seconds(10) }

  /// Starts the clock of the board.
  static func start() -> BoardClock {
    var control = NRF.Clock(control)
    // The board has no crystal for the slow clock, which the watchdog runs on.
    control.startLowFrequency(.oscillator)
    control.startHighFrequencyCrystal()
    var clock = BoardClock(counter)
    clock.start()
    return clock
  }
}

/// The vector table's entry for TIMER0: it has woken the processor, and is not to do so again before it is
/// set again.
@_cdecl("IRQ8_Handler") func clockInterrupted() {
  var clock = BoardClock(Clock.counter)
  if clock.isDue { clock.silence() }
}
