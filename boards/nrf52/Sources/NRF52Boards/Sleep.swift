import HeraldChips
import HeraldHAL
import Startup

/// The parts of the chip that a sleep uses: the clock, the interrupt controller, and the LED that shows it.
public struct NRF52Sleep<Kit: NRF52Kit>: ~Copyable {
  package var clock: BoardClock
  package var control = CortexM.SystemControl(CortexM.SystemControlRegisters())

  init(clock: consuming BoardClock) { self.clock = clock }

  /// The interrupts that end every sleep and have no handler: CLOCK and POWER (the supply of USB), the clock,
  /// USBD, UARTE0 if it is the management link, and GPIOTE if there is a button.
  package static var count: Int { 3 &+ (Kit.hasSerialLink ? 1 : 0) &+ (Kit.button == nil ? 0 : 1) }
  package static func number(_ index: Int) -> UInt32 {
    switch index {
    case 0: 0
    case 1: Clock.interrupt
    case 2: 39
    case 3 where Kit.hasSerialLink: 2
    default: NRF52Panel<Kit>.interrupt
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
    Kit.awakeLight?.set(false)
    startup_wait_for_interrupt()
    Kit.awakeLight?.set(true)
  }

  /// Resets the chip; takes effect some cycles later.
  static func reset() {
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.reset()
  }
}
