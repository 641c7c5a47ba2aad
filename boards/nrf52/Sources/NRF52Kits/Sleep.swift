import HeraldChips
import HeraldHAL
import Startup

/// The parts of the chip that a sleep uses: the clock, the interrupt controller, and the LED that shows it.
public struct NRF52Sleep: ~Copyable {
  package var clock: BoardClock
  package var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
  var port = NRF.GPIO(FixedRegisters<0x500000>())

  init(clock: consuming BoardClock) { self.clock = clock }

  /// The interrupts that end every sleep and have no handler: CLOCK and POWER (the supply of USB), the clock,
  /// USBD.
  package static var count: Int { 3 }
  package static func number(_ index: Int) -> UInt32 {
    switch index {
    case 0: 0
    case 1: Clock.interrupt
    default: 39
    }
  }

  /// Clears pending interrupts that were processed, and sets the clock to `deadline`. An event that was not
  /// processed is still set, and its interrupt becomes pending again at once. Returns `false` if the deadline
  /// has passed.
  package mutating func prepare(until deadline: Instant) -> Bool {
    for index in 0..<Self.count { control.forget(Self.number(index)) }
    return clock.wake(at: deadline)
  }

  /// Stops the processor until an interrupt is pending.
  package mutating func stop() {
    port.set(Pins.awakeLight, true)
    startup_wait_for_interrupt()
    port.set(Pins.awakeLight, false)
  }

  /// Resets the chip; takes effect some cycles later.
  static func reset() {
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.reset()
  }
}
