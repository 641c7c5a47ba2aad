/// A chip with this controller. The chips differ in their anomalies.
public enum USBDChip: UInt8, BitwiseCopyable, Sendable {
  /// nRF52833: anomalies 187, 211 and 223.
  case nRF52833
  /// nRF52840: anomalies 171, 187, 199 and 211. The workaround for 223 is applied as well, as it takes only
  /// microseconds, once.
  case nRF52840
}

#if hasFeature(Embedded)
  extension USBD where Block == MappedRegisters {
    /// Creates the controller of this chip. `buffer` has 64 bytes of RAM, aligned to four, with no other
    /// user.
    ///
    /// The interrupts USBD (39) and POWER_CLOCK (0) end a sleep if the board enables them.
    public init(chip: USBDChip, buffer: UnsafeMutableRawBufferPointer) {
      unsafe self.init(
        usbd: MappedRegisters(at: USBDRegisters.base), supply: MappedRegisters(at: USBSupplyRegisters.base),
        trim: MappedRegisters(at: USBTrimRegisters.base), chip: chip, buffer: buffer)
    }
  }
#endif

extension USBD where Block: ~Copyable {
  /// Starts the peripheral step by step while VBUS is present. Returns `false` when it is absent, or when the
  /// start must be repeated.
  mutating func followSupply() -> Bool {
    for index in 0..<3 { supply.write(0, to: USBSupplyRegisters.supplyEvents.at(index)) }
    supply.write(0, to: USBSupplyRegisters.crystalStarted)
    let status = supply.read(USBSupplyRegisters.supply)
    guard status.isPresent, !isBroken else { return false }
    switch phase {
    case .off:
      if !supply.read(USBSupplyRegisters.crystal).isRunning {
        startedCrystal = true
        supply.write(1, to: USBSupplyRegisters.startCrystal)
      }
      // Anomaly 187: the peripheral cannot be enabled. Anomaly 211: it stays suspended for too long. This
      // setting is the workaround for both, for the second one as long as the peripheral is enabled.
      setTrim(USBTrimRegisters.activity, 3)
      enable()
      finishEnabling()
    case .starting: finishEnabling()
    case .waiting: attach(status)
    case .attached: break
    }
    return true
  }

  private mutating func enable() {
    phase = .starting
    if chip == .nRF52840 { setTrim(USBTrimRegisters.wakeUp, 0xC0) }
    usbd.write(1, to: USBDRegisters.enable)
  }

  private mutating func finishEnabling() {
    guard wait(forCause: USBDEventCause.ready) else { return }
    if !wasEnabled {
      // Anomaly 223: after a reset of the chip the peripheral may malfunction unless it is enabled twice.
      wasEnabled = true
      usbd.write(0, to: USBDRegisters.enable)
      enable()
      guard wait(forCause: USBDEventCause.ready) else { return }
    }
    if chip == .nRF52840 { setTrim(USBTrimRegisters.wakeUp, 0) }
    phase = .waiting
    attach(supply.read(USBSupplyRegisters.supply))
  }

  /// Connects the device to the bus after the regulator is stable and the crystal oscillator runs.
  private mutating func attach(_ status: USBSupplyStatus) {
    guard status.isSettled, supply.read(USBSupplyRegisters.crystal).isRunning else { return }
    phase = .attached
    usbd.write(.bus, to: USBDRegisters.enableInterrupts)
    usbd.write(1, to: USBDRegisters.pullUp)
  }

  /// Disconnects the device from the bus, and powers the peripheral down.
  mutating func switchOff() {
    usbd.write(0, to: USBDRegisters.pullUp)
    usbd.write(.bus, to: USBDRegisters.disableInterrupts)
    usbd.write(0, to: USBDRegisters.enable)
    if chip == .nRF52840 { setTrim(USBTrimRegisters.wakeUp, 0) }
    setTrim(USBTrimRegisters.activity, 0)
    // Otherwise another user had started the crystal oscillator before.
    if startedCrystal { supply.write(1, to: USBSupplyRegisters.stopCrystal) }
    startedCrystal = false
    isSuspended = false
    isBroken = false
    phase = .off
    forget()
  }

  /// Leaves low power mode, in which no data can be moved.
  mutating func wake() {
    guard isSuspended else { return }
    isSuspended = false
    // Anomaly 171: the peripheral may not wake up.
    if chip == .nRF52840 { setTrim(USBTrimRegisters.wakeUp, 0xC0) }
    usbd.write(0, to: USBDRegisters.lowPower)
    // The host signals resume for 20 ms; this takes microseconds.
    _ = wait(forCause: USBDEventCause.awake)
    if chip == .nRF52840 { setTrim(USBTrimRegisters.wakeUp, 0) }
  }

  /// Waits for a cause and clears it. Times out after about 0.2 ms at 64 MHz.
  private mutating func wait(forCause cause: UInt32) -> Bool {
    for _ in 0..<1_000 where usbd.read(USBDRegisters.eventCause).has(cause) {
      usbd.write(USBDEventCause(bits: cause), to: USBDRegisters.eventCause)
      return true
    }
    return false
  }

  private mutating func setTrim(_ register: Register<UInt32>, _ value: UInt32) {
    // An earlier program may have left the registers unlocked; writing the key would then lock them.
    let isLocked = trim.read(USBTrimRegisters.key) == 0
    if isLocked { trim.write(USBTrimRegisters.unlock, to: USBTrimRegisters.key) }
    trim.write(value, to: register)
    if isLocked { trim.write(USBTrimRegisters.unlock, to: USBTrimRegisters.key) }
  }
}
