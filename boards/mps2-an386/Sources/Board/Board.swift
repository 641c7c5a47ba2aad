import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import Startup

/// The MPS2 board with the AN386 image, as QEMU has it: an nRF52833's twin with other peripherals.
public struct Board: FirmwareHardware, ~Copyable {
  /// Where settings are kept.
  public typealias SettingsFlash = FlashMap

  private var clock = CMSDK.TimerClock(counter: Clock.counter, alarm: Clock.alarm, hertz: Clock.hertz)
  private var watchdog = CMSDK.Watchdog(Clock.watchdog)
  private var control = CortexM.SystemControl(MappedRegisters(at: CortexM.systemControlAddress))
  private var reset = CMSDK.OutputPin(Pins.controllerReset, number: 0)

  /// The board after a reset. To be made once.
  public init() {
    clock.start()
    watchdog.start(ticks: Clock.watchdogTicks)
    reset.start()
    for number in Pins.lineInterrupts { control.enable(number) }
    control.enable(Clock.alarmInterrupt)
  }

  /// The line to the Bluetooth controller. To be taken once.
  public static func controllerLine() -> Line { Lines.startController() }
  /// The management line. To be taken once.
  public static func managementLine() -> Line { Lines.startManagement() }
  /// The memory of the log.
  public static func flash() -> FlashMap { FlashMap(start: startup_log_start(), bytes: startup_log_size()) }
  /// The memory of what is kept beside it.
  public static func settings() -> FlashMap {
    FlashMap(start: startup_settings_start(), bytes: startup_settings_size())
  }
  /// The source of numbers.
  public static func random() -> Random { Random() }
  /// What a restart leaves. To be taken once.
  public static func retained() -> RetainedMemory { unsafe RetainedMemory(startup_retained_words()) }

  /// The board, with what the run before left. To be taken once.
  public static func firmware() -> Firmware<Self> {
    Firmware(hardware: Self(), memory: retained(), settings: settings(), hint: nil)
  }

  /// The time since start-up.
  public mutating func now() -> Instant { clock.now() }

  /// Stops the processor. What comes from the controller is gathered for a millisecond, so that it is looked
  /// at a packet at a time and not a byte at a time.
  public mutating func sleep(until deadline: Instant) -> Bool {
    var until = deadline
    var hasSlept = false
    while true {
      // Held, a handler cannot run between the look at its queue and the stop, which then would last to the
      // deadline.
      startup_hold_interrupts()
      let waiting = Lines.waiting
      if waiting > 0, until == deadline {
        let gathered = clock.now() + .milliseconds(1)
        if gathered < until { until = gathered }
      }
      guard waiting < 256, clock.wake(at: until) else { break }
      startup_wait_for_interrupt()
      hasSlept = true
      clock.acknowledge()
      control.forget(Clock.alarmInterrupt)
      startup_let_interrupts()
    }
    startup_let_interrupts()
    return hasSlept
  }

  /// Puts the watchdog off.
  public mutating func feedWatchdog() { watchdog.feed() }
  /// Resets the chip.
  public mutating func restart() { control.reset() }
  /// Pulls the controller's reset line.
  public mutating func holdController(_ isHeld: Bool) { reset.set(!isHeld) }
  public static var hasControllerReset: Bool { true }
  /// Bytes of stack used.
  public mutating func stackUsed() -> UInt32 { startup_stack_used() }
  /// Bytes lost on the line to the controller.
  public mutating func overruns() -> UInt32 { Lines.overruns }

  /// What the board is.
  public mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    var writer = ByteWriter(text._mutatingExtracting(0...))
    switch field {
    case .kernelName: writer.text("Herald")
    case .nodeName: writer.text("AN386")
    case .kernelRelease, .kernelVersion: writer.text(HeraldRelease.version)
    case .machine: writer.text("armv7em")
    case .processor: writer.text("Cortex-M4")
    case .hardwarePlatform: writer.text("mps2-an386")
    case .buildDate, .operatingSystem: return 0
    }
    return writer.overflowed ? 0 : writer.count
  }
}
