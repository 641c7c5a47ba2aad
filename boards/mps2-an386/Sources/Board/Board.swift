import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import Startup

/// The MPS2 board with the AN386 image as QEMU emulates it: a Cortex-M4 with the capacities of the nRF52833
/// DK.
public struct Board: FirmwareHardware, ~Copyable {
  /// The flash of the settings.
  public typealias SettingsFlash = FlashMap

  private var clock = CMSDK.TimerClock(counter: Clock.counter, alarm: Clock.alarm, hertz: Clock.hertz)
  private var watchdog = CMSDK.Watchdog(Clock.watchdog)
  private var control = CortexM.SystemControl(MappedRegisters(at: CortexM.systemControlAddress))
  private var reset = CMSDK.OutputPin(Pins.controllerReset, number: 0)

  /// The board after a reset. To be created once.
  public init() {
    clock.start()
    watchdog.start(ticks: Clock.watchdogTicks)
    reset.start()
    for number in Pins.lineInterrupts { control.enable(number) }
    control.enable(Clock.alarmInterrupt)
    // Start-up masks them.
    startup_let_interrupts()
  }

  /// The line to the Bluetooth controller. To be called once.
  public static func controllerLine() -> Line { Lines.startController() }
  /// The management line. To be called once.
  public static func managementLine() -> Line { Lines.startManagement() }
  /// The memory of the log.
  public static func flash() -> FlashMap { FlashMap(start: startup_log_start(), bytes: startup_log_size()) }
  /// The memory of the settings.
  public static func settings() -> FlashMap {
    FlashMap(start: startup_settings_start(), bytes: startup_settings_size())
  }
  /// The source of numbers.
  public static func random() -> Random { Random() }
  /// The memory that a restart retains. To be called once.
  public static func retained() -> RetainedMemory { unsafe RetainedMemory(startup_retained_words()) }

  /// The board, with what the previous run retained. To be called once.
  public static func firmware() -> Firmware<Self> {
    Firmware(hardware: Self(), memory: retained(), settings: settings(), hint: nil)
  }

  /// The time since start-up.
  public mutating func now() -> Instant { clock.now() }

  /// Stops the processor. Bytes from the controller are collected for a millisecond, so that they are
  /// processed packet by packet and not byte by byte.
  public mutating func sleep(until deadline: Instant) -> Bool {
    var until = deadline
    var hasSlept = false
    while true {
      // While interrupts are held off, no handler can run between the check of its queue and the stop, which
      // would then last until the deadline.
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

  /// Restarts the timeout of the watchdog.
  public mutating func feedWatchdog() { watchdog.feed() }
  /// Resets the chip.
  public mutating func restart() { control.reset() }
  /// Asserts or releases the reset line of the controller.
  public mutating func holdController(_ isHeld: Bool) { reset.set(!isHeld) }
  public static var hasControllerReset: Bool { true }
  /// The maximum stack usage since start-up in bytes.
  public mutating func stackUsed() -> UInt32 { startup_stack_used() }
  /// The number of bytes lost on the line to the controller.
  public mutating func overruns() -> UInt32 { Lines.overruns }

  /// Writes the response to a host's information request. Returns its length in bytes, 0 if it does not fit.
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
