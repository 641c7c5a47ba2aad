import HeraldChips
import HeraldDeviceLink
import HeraldFirmware
import HeraldHAL
import Startup

/// The micro:bit (version 1) with the radio of its chip. There is no management link.
///
/// RADIO, RTC0 and SWI0 have handlers. The interrupts of the clock and of the button, which only end a sleep,
/// have none: they are enabled only during a sleep, while all handlers are held off.
public struct Board: FirmwareHardware, ~Copyable {
  /// The flash of the settings.
  public typealias SettingsFlash = FlashMap
  /// The LED and button A.
  public typealias PanelType = StatusPanel<ButtonAndLight>

  private var clock: BoardClock
  private var watchdog = NRF.WDT(Clock.watchdog)
  private var control = CortexM.SystemControl(CortexM.SystemControlRegisters())

  /// The board after a reset. To be created once.
  public init() {
    startup_hold_interrupts()
    Self.startPowerFail()
    clock = Clock.start()
    watchdog.start(Clock.watchdogTimeout)
  }

  /// The board, with what the previous run retained. To be called once.
  public static func firmware() -> Firmware<Self> {
    var power = NRF.Power(Clock.control)
    let cause = power.takeResetReason().cause
    return unsafe Firmware(
      hardware: Self(), memory: RetainedMemory(startup_retained_words()), settings: settings(), hint: cause)
  }

  /// The time since start-up.
  public mutating func now() -> Instant { clock.now() }

  /// Stops the processor until `deadline`, or until `procedures` has run: after other interrupts of the radio
  /// the loop has nothing to process.
  public mutating func sleep(until deadline: Instant) -> Bool {
    control.forget(Clock.interrupt)
    control.forget(ButtonAndLight.interrupt)
    guard clock.wake(at: deadline) else { return false }
    var hasStopped = false
    var isDue = false
    while !isDue {
      // From here on a handler cannot run between the look at `hasNews` and the stop.
      startup_hold_interrupts()
      isDue = unsafe hasNews
      if !isDue {
        control.enable(Clock.interrupt)
        control.enable(ButtonAndLight.interrupt)
        startup_wait_for_interrupt()
        hasStopped = true
        control.disable(Clock.interrupt)
        control.disable(ButtonAndLight.interrupt)
        isDue = control.isPending(Clock.interrupt) || control.isPending(ButtonAndLight.interrupt)
      }
      startup_let_interrupts()
    }
    unsafe hasNews = false
    clock.acknowledge()
    return hasStopped
  }

  /// Open: with UICR.RBPCONF the registers of the core stay accessible, by which all memory can be read.
  public mutating func debugPort() -> DebugPortState { .open }

  /// Restarts the watchdog's timeout.
  public mutating func feedWatchdog() { watchdog.feed() }
  /// Resets the chip.
  public mutating func restart() { control.reset() }
  /// The maximum stack usage since start-up in bytes.
  public mutating func stackUsed() -> UInt32 { startup_stack_used() }
  /// There is no controller.
  public mutating func overruns() -> UInt32 { 0 }
  /// There is no management link that requests it.
  public mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    0
  }
}
