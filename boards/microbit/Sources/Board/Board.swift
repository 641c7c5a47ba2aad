import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import Startup

/// The micro:bit (version 1), with a Bluetooth controller on its edge connector. Its only UART goes to that: there is no management link.
public struct Board: FirmwareHardware, ~Copyable {
  /// Where settings are kept.
  public typealias SettingsFlash = FlashMap

  private var clock: BoardClock
  private var watchdog = NRF.WDT(Clock.watchdog)
  private var control = CortexM.SystemControl(MappedRegisters(at: CortexM.systemControlAddress))
  private var port = NRF.GPIO(MappedRegisters(at: 0x5000_0000))

  /// The board after a reset. To be made once.
  public init() {
    clock = Clock.start()
    Pins.configure(&port)
    watchdog.start(Clock.watchdogTimeout)
    control.enable(2)
    control.enable(Clock.interrupt)
  }

  /// What a restart leaves. To be taken once.
  public static func retained() -> RetainedMemory { unsafe RetainedMemory(startup_retained_words()) }

  /// Why the chip was reset, by its own register; `nil` if the program did that.
  public static func resetReason() -> RestartCause? {
    var power = NRF.Power(Clock.control)
    return power.takeResetReason().cause
  }

  /// The time since start-up.
  public mutating func now() -> Instant { clock.now() }

  /// Stops the processor. What comes from the controller is gathered for a millisecond, so that it is looked at a packet at a time and not a
  /// byte at a time.
  public mutating func sleep(until deadline: Instant) -> Bool {
    var until = deadline
    var hasSlept = false
    while true {
      // Held, a handler cannot run between the look at its queue and the stop, which then would last to the deadline.
      startup_hold_interrupts()
      if Self.hasInput, until == deadline {
        let gathered = clock.now() + .milliseconds(1)
        if gathered < until { until = gathered }
      }
      guard clock.wake(at: until) else { break }
      startup_wait_for_interrupt()
      hasSlept = true
      clock.acknowledge()
      control.forget(Clock.interrupt)
      startup_let_interrupts()
    }
    clock.acknowledge()
    control.forget(Clock.interrupt)
    startup_let_interrupts()
    return hasSlept
  }

  /// Puts the watchdog off.
  public mutating func feedWatchdog() { watchdog.feed() }
  /// Resets the chip.
  public mutating func restart() { control.reset() }
  /// Pulls the controller's reset line.
  public mutating func holdController(_ isHeld: Bool) { port.set(Pins.controllerReset, !isHeld) }
  /// There is one.
  public static var hasControllerReset: Bool { true }
  /// Bytes of stack used.
  public mutating func stackUsed() -> UInt32 { startup_stack_used() }
  /// Bytes lost on the line to the controller: none, as long as it keeps to the flow control.
  public mutating func overruns() -> UInt32 { Self.lostBytes }
  /// Nobody can ask.
  public mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    0
  }
}
