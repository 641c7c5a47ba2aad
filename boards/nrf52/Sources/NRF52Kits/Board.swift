import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import Startup

/// What tells boards with an nRF52 apart.
public protocol NRF52Kit {
  /// The chip.
  static var chip: USBDChip { get }
  /// What `script/build` calls it.
  static var identifier: StaticString { get }
}

/// A development kit of Nordic's with an nRF52 that has USB, and a Bluetooth controller on its header.
///
/// No interrupt has a handler: all are held from start-up on, and those that are let through to the processor
/// end its sleep.
public struct NRF52Board<Kit: NRF52Kit>: FirmwareHardware, ~Copyable {
  /// Where settings are kept.
  public typealias SettingsFlash = NRF52Flash

  /// Why the chip was reset.
  private let restartHint: RestartCause?
  private var clock: BoardClock
  private var arrivals = NRF.UARTEArrivals(Lines.controller)
  private var watchdog = NRF.WDT(Clock.watchdog)
  private var port0 = NRF.GPIO(FixedRegisters<0x500000>())
  private var port1 = NRF.GPIO(FixedRegisters<0x500003>())
  private var control = CortexM.SystemControl(CortexM.SystemControlRegisters())

  /// The board after a reset. To be made once, before its lines.
  public init() {
    startup_hold_interrupts()
    Self.followDebugLock()
    var sleep = FixedRegisters<0x4007AC>()
    NRF.easeSleep(&sleep)
    var resetPin = NRF.ResetPin(FixedRegisters<0x100010>(), controller: FixedRegisters<0x4001E0>())
    // A chip that was erased has no reset button. What it says of its reset is left for the start behind this
    // one.
    if resetPin.connect(Pins.reset) {
      control.reset()
      while true {}
    }
    var power = NRF.Power(Clock.control)
    restartHint = power.takeResetReason().cause
    power.enableDCDC()
    clock = Clock.start()
    Pins.configure(&port0, &port1)
    watchdog.start(Clock.watchdogTimeout)
    for index in 0..<Interrupts.count { control.enable(Interrupts.number(index)) }
  }

  /// Leaves the debug port to UICR alone, on revisions too that lock it at each reset: a chip that was
  /// unlocked once would else have to be erased, with its log, for every image that a probe is to write.
  private static func followDebugLock() {
    var factory = NRF.FactoryInformation(FixedRegisters<0x100000>())
    guard factory.revision() >= (Kit.chip == .nRF52833 ? 1 : 5) else { return }
    var power = NRF.Power(Clock.control)
    // UICR.APPROTECT.
    power.setDebugPort(FixedRegisters<0x100012>().load(at: 0x08))
  }

  /// The board, with what the run before left. To be taken once.
  public static func firmware() -> Firmware<Self> {
    let board = Self()
    let hint = board.restartHint
    return unsafe Firmware(
      hardware: board, memory: RetainedMemory(startup_retained_words()), settings: settings(), hint: hint)
  }

  /// The time since start-up.
  public mutating func now() -> Instant { clock.now() }

  /// Stops the processor until `deadline` or an interrupt. What comes from the controller is gathered for a
  /// millisecond, two at the most, so that it is looked at a packet at a time and not a byte at a time: the
  /// line's two halves hold 2.5 ms' worth.
  public mutating func sleep(until deadline: Instant) -> Bool {
    guard stop(until: deadline) else { return false }
    guard arrivals.hasBegun else { return true }
    arrivals.hold(true)
    let gathered = clock.now() + .milliseconds(2)
    _ = stop(until: gathered < deadline ? gathered : deadline)
    arrivals.hold(false)
    return true
  }

  /// Stops the processor until `deadline` or an interrupt; not at all, and `false`, if there is nothing to
  /// stop for.
  private mutating func stop(until deadline: Instant) -> Bool {
    // What was dealt with is forgotten. An event that was not is still set, and its interrupt comes again at
    // once.
    for index in 0..<Interrupts.count { control.forget(Interrupts.number(index)) }
    guard clock.wake(at: deadline) else { return false }
    port0.set(Pins.awakeLight, true)
    startup_wait_for_interrupt()
    port0.set(Pins.awakeLight, false)
    clock.acknowledge()
    return true
  }

  /// Shows whether the controller is ready.
  public mutating func show(isReady: Bool) { port0.set(Pins.readyLight, !isReady) }

  /// Puts the watchdog off.
  public mutating func feedWatchdog() { watchdog.feed() }
  /// Resets the chip.
  public mutating func restart() { control.reset() }
  /// Pulls the controller's reset line.
  public mutating func holdController(_ isHeld: Bool) { port1.set(Pins.controllerReset, !isHeld) }
  public static var hasControllerReset: Bool { true }
  /// Bytes of stack used.
  public mutating func stackUsed() -> UInt32 { startup_stack_used() }
  /// Times that bytes from the controller were lost.
  public mutating func overruns() -> UInt32 { Self.lostBytes }

  /// What the board is.
  public mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    if field == .nodeName { return Self.tellSerialNumber(into: &text) }
    var writer = ByteWriter(text._mutatingExtracting(0...))
    switch field {
    case .kernelName: writer.text("Herald")
    case .kernelRelease, .kernelVersion: writer.text(HeraldRelease.version)
    case .machine: writer.text("armv7em")
    case .processor: writer.text("Cortex-M4")
    case .hardwarePlatform: writer.text(Kit.identifier)
    case .nodeName, .buildDate, .operatingSystem: return 0
    }
    return writer.overflowed ? 0 : writer.count
  }
}

/// The interrupts that end a sleep: CLOCK and POWER (USB's supply), UARTE0, RTC0, USBD.
private enum Interrupts {
  static var count: Int { 4 }
  static func number(_ index: Int) -> UInt32 {
    switch index {
    case 0: 0
    case 1: 2
    case 2: Clock.interrupt
    default: 39
    }
  }
}
