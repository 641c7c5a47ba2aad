import HeraldChips
import HeraldDeviceLink
import HeraldFirmware
import HeraldHAL
import Startup

/// The micro:bit (version 1), with a Bluetooth controller on its edge connector. Its only UART goes to that:
/// there is no management link.
public struct Board: FirmwareHardware, ~Copyable {
  /// Where settings are kept.
  public typealias SettingsFlash = FlashMap

  private var clock: BoardClock
  private var watchdog = NRF.WDT(Clock.watchdog)
  private var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
  private var port = NRF.GPIO(FixedRegisters<0x500000>())

  /// The board after a reset. To be made once.
  public init() {
    clock = Clock.start()
    Pins.configure(&port)
    watchdog.start(Clock.watchdogTimeout)
    control.enable(ControllerLine.interrupt)
    control.enable(Clock.interrupt)
  }

  /// What a restart leaves. To be taken once.
  public static func retained() -> RetainedMemory { unsafe RetainedMemory(startup_retained_words()) }

  /// Why the chip was reset, by its own register; `nil` if the program did that.
  public static func resetReason() -> RestartCause? {
    var power = NRF.Power(Clock.control)
    return power.takeResetReason().cause
  }

  /// The board, with what the run before left. To be taken once.
  public static func firmware() -> Firmware<Self> {
    Firmware(hardware: Self(), memory: retained(), settings: settings(), hint: resetReason())
  }

  /// The time since start-up.
  public mutating func now() -> Instant { clock.now() }

  /// Stops the processor. What comes from the controller is gathered, so that it is looked at a packet at a
  /// time and not a byte at a time.
  public mutating func sleep(until deadline: Instant) -> Bool {
    var hasSlept = false
    // Held, a handler cannot run between the look at its queue and the stop, which then would last to the
    // deadline.
    startup_hold_interrupts()
    if !Self.hasInput, clock.wake(at: deadline) {
      repeat {
        stop()
        hasSlept = true
      } while !Self.hasInput && !clock.isDue
    }
    if Self.hasInput {
      gather()
      hasSlept = true
    }
    quietClock()
    startup_let_interrupts()
    return hasSlept
  }

  /// Waits for the rest of a packet: until nothing has come for the time of six bytes. An interrupt for each
  /// byte would keep the processor busy at full speed; so the line is looked at by the clock, when its FIFO
  /// is full.
  // Not inlined: its loop wants all registers.
  @inline(never)
  private mutating func gather() {
    var line = ControllerLine.service
    line.hold(true)
    // The first byte's interrupt, which has not been let. The line makes it again if there is something else
    // to it.
    control.forget(ControllerLine.interrupt)
    let start = clock.beginSteps()
    let end = start &+ Self.gatherMicroseconds &* 32
    var look = start
    // What was there at the start may be in the queue already.
    while line.receive() || look == start, look != end {
      look &+= Self.gatherMicroseconds
      let isAhead = clock.wake(atCount: look)
      control.forget(Clock.interrupt)
      if isAhead { waitForClock() }
    }
    line.hold(false)
  }

  /// Stops the processor until the clock's interrupt, and lets others be served. With interrupts held, as
  /// they are afterwards.
  private mutating func waitForClock() {
    while true {
      startup_wait_for_interrupt()
      if clock.isDue { return }
      startup_let_interrupts()
      startup_hold_interrupts()
      // Its own handler was among those that were let.
      if clock.isDue { return }
    }
  }

  /// Stops the processor until an interrupt, and lets that be served if it is neither the clock's nor a
  /// byte's. With interrupts held, as they are afterwards.
  private mutating func stop() {
    startup_wait_for_interrupt()
    guard !Self.hasInput, !clock.isDue else { return }
    startup_let_interrupts()
    startup_hold_interrupts()
  }

  private mutating func quietClock() {
    clock.acknowledge()
    control.forget(Clock.interrupt)
  }

  /// Puts the watchdog off.
  public mutating func feedWatchdog() { watchdog.feed() }
  /// Resets the chip.
  public mutating func restart() { control.reset() }
  /// Pulls the controller's reset line.
  public mutating func holdController(_ isHeld: Bool) { port.set(Pins.controllerReset, !isHeld) }
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
