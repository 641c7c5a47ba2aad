import HeraldChips
import Startup

/// The state in which a boot loader leaves the chip when it jumps to the image.
enum BootLoaderPeripherals {
  /// Stops the peripherals that the boot loaders of these boards use and that the image configures in part
  /// only, and disables all interrupts. The watchdog, which cannot be stopped, is taken over by its driver.
  static func stop() {
    startup_forget_interrupts()
    var power = NRF.Power(Clock.control)
    power.disableInterrupts()
    // RTC0 to RTC2, TIMER0 to TIMER2.
    let counters: [3 of UInt32] = [0x4000_B000, 0x4001_1000, 0x4002_4000]
    for index in counters.indices {
      var counter = MappedRegisters(at: counters[index])
      NRF.stopCounter(&counter)
    }
    let timers: [3 of UInt32] = [0x4000_8000, 0x4000_9000, 0x4000_A000]
    for index in timers.indices {
      var timer = MappedRegisters(at: timers[index])
      NRF.stopTimer(&timer)
    }
    // The source can be changed only while the clock is stopped.
    var clock = NRF.Clock(Clock.control)
    clock.stopLowFrequency()
  }
}
