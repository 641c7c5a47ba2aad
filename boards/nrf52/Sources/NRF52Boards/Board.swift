import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import Startup

/// A board with an nRF52833 or nRF52840. `Bluetooth` is the radio of the chip, or a controller on the header.
public struct NRF52Board<Kit: NRF52Kit, Bluetooth: NRF52Bluetooth & ~Copyable>: FirmwareHardware, ~Copyable {
  /// The flash of the settings.
  public typealias SettingsFlash = NRF52Flash<Bluetooth.Pause>

  /// The LED, button and cable.
  public typealias PanelType = StatusPanel<NRF52Panel<Kit>>

  /// The cause of the last reset.
  private let restartHint: RestartCause?
  private var sleeper: NRF52Sleep<Kit>
  private var bluetooth: Bluetooth
  private var watchdog = NRF.WDT(Clock.watchdog)

  /// The board after a reset. To be created once, before its lines.
  public init() {
    startup_hold_interrupts()
    Self.checkVectorTable()
    Self.followDebugLock()
    var sleep = FixedRegisters<0x4007AC>()
    NRF.easeSleep(&sleep)
    if Kit.isBehindBootLoader { BootLoaderPeripherals.stop() }
    // The reset reason is left for the next start.
    if Self.configureChip() {
      NRF52Sleep<Kit>.reset()
      while true {}
    }
    var power = NRF.Power(Clock.control)
    restartHint = power.takeResetReason().cause
    if Kit.hasDCDC { power.enableDCDC() }
    Kit.startPowerFail()
    sleeper = NRF52Sleep(
      clock: Clock.start(
        hasLowFrequencyCrystal: Kit.hasLowFrequencyCrystal,
        withCrystal: !Bluetooth.stopsCrystal || !Kit.hasLowFrequencyCrystal))
    bluetooth = Bluetooth()
    Kit.awakeLight?.configure(isOn: true)
    Kit.readyLight?.configure(isOn: false)
    Kit.configurePins()
    watchdog.start(Clock.watchdogTimeout)
    bluetooth.enableInterrupts(&sleeper)
  }

  /// Starts the boot loader if the vector table is not complete: it was interrupted while it wrote the page
  /// with the table, the last one of an update by a UF2 file. It checks no more of an application than its
  /// first two words.
  private static func checkVectorTable() {
    guard case .retained(let value) = Kit.bootLoaderEntry, startup_table_is_whole() == 0 else { return }
    var power = NRF.Power(Clock.control)
    power.retain(value)
    NRF52Sleep<Kit>.reset()
    while true {}
  }

  /// Writes the words of UICR that the board requires and that are erased. Returns whether a reset is
  /// required.
  private static func configureChip() -> Bool {
    var needsReset = false
    if let pin = Kit.resetPin {
      // The reset pin of an erased chip is not configured.
      var resetPin = NRF.ResetPin(FixedRegisters<0x100010>(), controller: FixedRegisters<0x4001E0>())
      needsReset = resetPin.connect(pin)
    }
    if Kit.needsOutputVoltage {
      var power = NRF.Power(Clock.control)
      if power.isHighVoltage() {
        var output = NRF.OutputVoltage(FixedRegisters<0x100010>(), controller: FixedRegisters<0x4001E0>())
        if output.select(.millivolts3000) { needsReset = true }
      }
    }
    return needsReset
  }

  /// Sets the debug port as UICR says, also on revisions that lock it at each reset: otherwise a chip that
  /// was unlocked once would have to be erased, with its log, each time a probe writes an image.
  private static func followDebugLock() {
    guard isHardened else { return }
    var power = NRF.Power(Clock.control)
    power.setDebugPort(accessProtection)
  }

  /// Whether the chip is of a revision that locks the debug port at each reset.
  private static var isHardened: Bool {
    var factory = NRF.FactoryInformation(FixedRegisters<0x100000>())
    return factory.revision() >= (Kit.chip == .nRF52833 ? 1 : 5)
  }

  private static var accessProtection: NRF.AccessProtection {
    NRF.AccessProtection(FixedRegisters<0x100012>().load(at: 0x08), isHardened: isHardened)
  }

  /// By UICR, which the chip has read at the last reset.
  public mutating func debugPort() -> DebugPortState { Self.accessProtection.port }

  /// The board, with what the previous run retained. To be called once.
  public static func firmware() -> Firmware<Self> {
    let board = Self()
    let hint = board.restartHint
    return unsafe Firmware(
      hardware: board, memory: RetainedMemory(startup_retained_words()), settings: settings(), hint: hint)
  }

  /// The time since start-up.
  public mutating func now() -> Instant { sleeper.clock.now() }

  /// Stops the processor until `deadline` or an interrupt that the loop has to process.
  public mutating func sleep(until deadline: Instant) -> Bool { bluetooth.sleep(until: deadline, &sleeper) }

  /// Shows whether the radio is ready.
  public mutating func show(isReady: Bool) { Kit.readyLight?.set(isReady) }

  /// Restarts the timeout of the watchdog.
  public mutating func feedWatchdog() { watchdog.feed() }
  /// Resets the chip.
  public mutating func restart() { NRF52Sleep<Kit>.reset() }
  /// Whether there is a boot loader that can be entered.
  public static var entersBootLoader: Bool { Kit.bootLoaderEntry != nil }
  /// Resets the chip into the boot loader.
  public mutating func enterBootLoader() {
    switch Kit.bootLoaderEntry {
    case .retained(let value):
      var power = NRF.Power(Clock.control)
      power.retain(value)
    case .resetPin(let number):
      NRF.Pin(number).becomeOutput(high: false)
      // The pin reset occurs here. If UICR selects no reset pin, the image is restarted.
      for _ in 0..<1000 { _ = sleeper.clock.now() }
    case nil: break
    }
    NRF52Sleep<Kit>.reset()
  }
  /// Asserts or releases the controller's reset line.
  public mutating func holdController(_ isHeld: Bool) { bluetooth.holdReset(isHeld) }
  /// Whether there is such a line.
  public static var hasControllerReset: Bool { Bluetooth.hasReset }
  /// The maximum stack usage since start-up in bytes.
  public mutating func stackUsed() -> UInt32 { startup_stack_used() }
  /// The number of losses of bytes from the controller.
  public mutating func overruns() -> UInt32 { Bluetooth.overruns }

  /// Writes the response to a host's information request. Returns its length in bytes, 0 if it does not fit.
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
