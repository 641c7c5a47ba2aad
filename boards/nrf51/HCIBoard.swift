import HeraldChips
import HeraldDeviceLink
import HeraldFirmware
import HeraldHAL
import Startup

/// A board with an nRF51822, and with a Bluetooth controller, which uses the only UART: there is no
/// management link.
public struct Board: FirmwareHardware, ~Copyable {
  /// The flash of the settings.
  public typealias SettingsFlash = FlashMap

  private var clock: BoardClock
  private var watchdog = NRF.WDT(Clock.watchdog)
  private var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
  private var port = NRF.GPIO(FixedRegisters<0x500000>())

  /// The board after a reset. To be created once.
  public init() {
    clock = Clock.start()
    Pins.configure(&port)
    watchdog.start(Clock.watchdogTimeout)
    control.enable(ControllerLine.interrupt)
    control.enable(Clock.interrupt)
  }

  /// The memory that a restart retains. To be called once.
  public static func retained() -> RetainedMemory { unsafe RetainedMemory(startup_retained_words()) }

  /// The cause of the last reset, from the register of the chip; `nil` if the program caused it.
  public static func resetReason() -> RestartCause? {
    var power = NRF.Power(Clock.control)
    return power.takeResetReason().cause
  }

  /// The board, with what the previous run retained. To be called once.
  public static func firmware() -> Firmware<Self> {
    Firmware(hardware: Self(), memory: retained(), settings: settings(), hint: resetReason())
  }

  /// The time since start-up.
  public mutating func now() -> Instant { clock.now() }

  /// Stops the processor. Bytes from the controller are collected, so that they are processed packet by
  /// packet and not byte by byte.
  public mutating func sleep(until deadline: Instant) -> Bool {
    var hasSlept = false
    // While interrupts are held off, no handler can run between the check of its queue and the stop, which
    // would then last until the deadline.
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

  /// Waits for the rest of a packet: until no byte was received for the time of six bytes. An interrupt for
  /// each byte would occupy the processor completely; therefore the FIFO is read by the clock, when it is
  /// full.
  // Not inlined: its loop uses all registers.
  @inline(never)
  private mutating func gather() {
    var line = ControllerLine.service
    line.hold(true)
    // The pending interrupt of the first byte. The line raises it again if it has another cause.
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

  /// Stops the processor until the interrupt of the clock; handlers of others run. To be called while
  /// interrupts are held off, as they are afterwards.
  private mutating func waitForClock() {
    while true {
      startup_wait_for_interrupt()
      if clock.isDue { return }
      startup_let_interrupts()
      startup_hold_interrupts()
      // Its handler may have run.
      if clock.isDue { return }
    }
  }

  /// Stops the processor until an interrupt; its handler runs if it is neither that of the clock nor that of
  /// a received byte. To be called while interrupts are held off, as they are afterwards.
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

  /// Open: with UICR.RBPCONF the registers of the core stay accessible, by which all memory can be read.
  public mutating func debugPort() -> DebugPortState { .open }

  /// Restarts the timeout of the watchdog.
  public mutating func feedWatchdog() { watchdog.feed() }
  /// Resets the chip.
  public mutating func restart() { control.reset() }
  /// Asserts or releases the reset line of the controller.
  public mutating func holdController(_ isHeld: Bool) { port.set(Pins.controllerReset, !isHeld) }
  public static var hasControllerReset: Bool { true }
  /// The maximum stack usage since start-up in bytes.
  public mutating func stackUsed() -> UInt32 { startup_stack_used() }
  /// The number of bytes lost on the line to the controller: 0 while the controller obeys the flow control.
  public mutating func overruns() -> UInt32 { Self.lostBytes }
  /// There is no management link that requests it.
  public mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    0
  }
}
