import HeraldHAL

extension NRF {
  /// The power supply of the chip (nRF51 Series Reference Manual, "POWER"; nRF52840 Product Specification,
  /// "POWER").
  public struct Power<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Uses the supply control with these registers, at 0x4000_0000.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Reads and clears the reset reasons (RESETREAS). The bits accumulate until they are cleared.
    public mutating func takeResetReason() -> ResetReason {
      let reason = registers.read(At.resetReason)
      registers.write(reason, to: At.resetReason)
      return reason
    }

    /// Enables the DC/DC converter of the core's supply. Requires the inductor on the board: without it the
    /// core loses its supply.
    public mutating func enableDCDC() { registers.write(1, to: At.dcdcEnable) }

    /// Opens the debug port if `protection` leaves it open, and otherwise locks it until the next reset, so
    /// that nothing the program does later opens it ("Debug and trace", "Access port protection"; Nordic's
    /// IN-141).
    ///
    /// For chip revisions that lock the port at every reset, which alone have these registers: it stays
    /// locked unless both UICR and the program open it. APPROTECT.FORCEPROTECT is written once after a reset.
    public mutating func setDebugPort(_ protection: AccessProtection) {
      if protection.port == .open {
        registers.write(AccessProtection.disabledByHardware, to: At.debugPort)
      } else {
        registers.write(0, to: At.forcedProtection)
      }
    }

    /// Whether VBUS is present. Only chips with USB have this register.
    public mutating func hasUSBSupply() -> Bool { registers.read(At.usbSupply) & 1 != 0 }

    /// Whether the chip is supplied through VDDH (MAINREGSTATUS). Only the nRF52833 and nRF52840 have this
    /// register.
    public mutating func isHighVoltage() -> Bool { registers.read(At.mainSupply) & 1 != 0 }

    /// Writes GPREGRET, which is retained over a reset by the program, for the boot loader to read.
    public mutating func retain(_ value: UInt8) { registers.write(UInt32(value), to: At.retained) }

    /// Disables all interrupts of POWER and CLOCK.
    public mutating func disableInterrupts() { registers.write(0xFFF, to: At.disableInterrupts) }

    private typealias At = PowerRegisters
  }

  /// UICR.APPROTECT of an nRF52, which closes the debug port ("UICR").
  public struct AccessProtection: BitwiseCopyable, Sendable {
    /// HwDisabled.
    static var disabledByHardware: UInt32 { 0x5A }
    private let value: UInt32
    private let isHardened: Bool

    /// The contents of the register, at 0x1000_1208. `isHardened`: the chip is of a revision that locks the
    /// port at every reset.
    public init(_ value: UInt32, isHardened: Bool) {
      self.value = value & 0xFF
      self.isHardened = isHardened
    }

    /// The port after a reset, once the program has called `Power.setDebugPort`. Hardened revisions are open
    /// with HwDisabled (0x5A) alone; earlier ones with Disabled (0xFF), and closed with Enabled (0). What
    /// other values do there is not known.
    public var port: DebugPortState {
      if isHardened { return value == Self.disabledByHardware ? .open : .closed }
      return value == 0 ? .closed : value == 0xFF ? .open : .notKnown
    }
  }

  /// The reset reasons. Several may be set; none means power-on or brown-out.
  public struct ResetReason: RegisterValue, Equatable {
    /// The contents of the register.
    public let bits: UInt32

    /// The reset reasons in `bits`.
    public init(bits: UInt32) { self.bits = bits }

    /// Whether the reset pin caused the reset.
    public var isPin: Bool { bits & 1 != 0 }
    /// Whether the watchdog caused the reset.
    public var isWatchdog: Bool { bits & 1 &<< 1 != 0 }
    /// Whether software requested the reset by SYSRESETREQ.
    public var isRequested: Bool { bits & 1 &<< 2 != 0 }
    /// Whether a lockup caused the reset: a fault in the fault handler.
    public var isLockup: Bool { bits & 1 &<< 3 != 0 }
    /// Whether the reset is a wake-up from System OFF: by a pin, a comparator, the debugger, NFC or USB.
    public var isWakeUp: Bool { bits & 0x001F_0000 != 0 }
    /// Whether the reset is a power-on or brown-out reset.
    public var isPowerOn: Bool { bits == 0 }

    /// The most significant reason; `nil` if software requested the reset.
    public var cause: RestartCause? {
      // With a pin reset, further bits are set erroneously (anomaly 136 of the nRF52).
      if isPin { return .resetLine }
      if isWatchdog { return .watchdog }
      if isLockup { return .lockup }
      if isRequested { return nil }
      return isPowerOn ? .powerOn : nil
    }
  }

  private enum PowerRegisters {
    static var disableInterrupts: Register<UInt32> { Register(0x308) }
    static var resetReason: Register<ResetReason> { Register(0x400) }
    /// USBREGSTATUS.
    static var usbSupply: Register<UInt32> { Register(0x438) }
    /// GPREGRET.
    static var retained: Register<UInt32> { Register(0x51C) }
    /// APPROTECT.FORCEPROTECT.
    static var forcedProtection: Register<UInt32> { Register(0x550) }
    /// APPROTECT.DISABLE.
    static var debugPort: Register<UInt32> { Register(0x558) }
    static var dcdcEnable: Register<UInt32> { Register(0x578) }
    /// MAINREGSTATUS.
    static var mainSupply: Register<UInt32> { Register(0x640) }
  }

  /// Workaround for anomaly 246 of the nRF52833 and nRF52840: otherwise an access of the processor to RAM
  /// that coincides with a slower one by a peripheral may increase the sleep current by about 350 µA. The
  /// workaround costs up to 40 µA while the 16 MHz clock runs.
  ///
  /// `registers` are those from 0x4007_AC00 on, which are documented only in the errata.
  public static func easeSleep<Block: RegisterBlock & ~Copyable>(_ registers: inout Block) {
    registers.write(2, to: Register<UInt32>(0x84))
  }

  /// Values programmed by the factory (nRF51 Series Reference Manual, "FICR"; nRF52840 Product Specification,
  /// "FICR").
  public struct FactoryInformation<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Uses the information registers, at 0x1000_0000.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// The unique identifier of this chip: DEVICEID, as two words, low and high.
    public mutating func deviceIdentifier() -> (low: UInt32, high: UInt32) {
      (registers.read(Register<UInt32>(0x060)), registers.read(Register<UInt32>(0x064)))
    }

    /// The device address of this chip, the high 16 bits and the low 32 bits, if it is a public one:
    /// DEVICEADDRTYPE and DEVICEADDR. `nil` if it is a random number.
    public mutating func publicAddress() -> (high: UInt32, low: UInt32)? {
      guard registers.read(Register<UInt32>(0x0A0)) & 1 == 0 else { return nil }
      return (registers.read(Register<UInt32>(0x0A8)) & 0xFFFF, registers.read(Register<UInt32>(0x0A4)))
    }

    /// The revision of an nRF52, from 0 on: an undocumented word, which Nordic's start-up code uses to
    /// distinguish chips.
    public mutating func revision() -> UInt32 { registers.read(Register<UInt32>(0x134)) }
  }
}
