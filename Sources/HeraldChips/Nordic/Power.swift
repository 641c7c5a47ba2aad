import HeraldHAL

extension NRF {
  /// The supply of the chip (nRF51 Series Reference Manual, "POWER"; nRF52840 Product Specification,
  /// "POWER").
  public struct Power<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// The supply control with these registers, at 0x4000_0000.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// The reasons of the reset: RESETREAS. The hardware sets further bits until it is cleared, which this
    /// function does.
    public mutating func takeResetReason() -> ResetReason {
      let reason = registers.read(At.resetReason)
      registers.write(reason, to: At.resetReason)
      return reason
    }

    /// Switches the DC/DC converter of the core's supply on. The board needs its inductor: without it the
    /// chip loses its supply.
    public mutating func enableDCDC() { registers.write(1, to: At.dcdcEnable) }

    /// Opens the debug port if `accessProtection`, which is UICR.APPROTECT, is 0x5A; with anything else it
    /// stays locked until the next reset ("Debug and trace", "Access port protection"; Nordic's IN-141).
    ///
    /// For revisions that lock it at every reset, which alone have this register, APPROTECT.DISABLE: it stays
    /// locked on them unless both UICR and the program open it.
    public mutating func setDebugPort(_ accessProtection: UInt32) {
      registers.write(accessProtection, to: At.debugPort)
    }

    /// Whether there is voltage on VBUS. Chips with USB alone have this register.
    public mutating func hasUSBSupply() -> Bool { registers.read(At.usbSupply) & 1 != 0 }

    private typealias At = PowerRegisters
  }

  /// The reasons of the reset. There may be several; none means a loss of power, or a brown-out.
  public struct ResetReason: RegisterValue, Equatable {
    /// What is in the register.
    public let bits: UInt32

    /// The reasons that `bits` stand for.
    public init(bits: UInt32) { self.bits = bits }

    /// The reset pin.
    public var isPin: Bool { bits & 1 != 0 }
    /// The watchdog.
    public var isWatchdog: Bool { bits & 1 &<< 1 != 0 }
    /// The program itself, by SYSRESETREQ.
    public var isRequested: Bool { bits & 1 &<< 2 != 0 }
    /// A lockup: a fault in the fault handler.
    public var isLockup: Bool { bits & 1 &<< 3 != 0 }
    /// The end of a sleep with everything off: a pin, a comparator, the debugger, NFC or USB.
    public var isWakeUp: Bool { bits & 0x001F_0000 != 0 }
    /// The supply came, or came back.
    public var isPowerOn: Bool { bits == 0 }

    /// The most significant reason; `nil` if the restart was requested by software.
    public var cause: RestartCause? {
      // Beside the pin's, bits are set that should not be (anomaly 136 of the nRF52).
      if isPin { return .resetLine }
      if isWatchdog { return .watchdog }
      if isLockup { return .lockup }
      if isRequested { return nil }
      return isPowerOn ? .powerOn : nil
    }
  }

  private enum PowerRegisters {
    static var resetReason: Register<ResetReason> { Register(0x400) }
    /// USBREGSTATUS.
    static var usbSupply: Register<UInt32> { Register(0x438) }
    /// APPROTECT.DISABLE.
    static var debugPort: Register<UInt32> { Register(0x558) }
    static var dcdcEnable: Register<UInt32> { Register(0x578) }
  }

  /// Limits the sleep current: otherwise an access of the processor to RAM that coincides with a slower one
  /// by a peripheral may leave some 350 µA on (anomaly 246 of nRF52833 and nRF52840). The cost is up to 40 µA
  /// while the 16 MHz clock runs.
  ///
  /// `registers` are those from 0x4007_AC00 on, which no chapter describes.
  public static func easeSleep<Block: RegisterBlock & ~Copyable>(_ registers: inout Block) {
    registers.write(2, to: Register<UInt32>(0x84))
  }

  /// Values programmed by the factory (nRF51 Series Reference Manual, "FICR"; nRF52840 Product Specification,
  /// "FICR").
  public struct FactoryInformation<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// The information registers, at 0x1000_0000.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// The number of this chip, which is unique: DEVICEID, as two words, low and high.
    public mutating func deviceIdentifier() -> (low: UInt32, high: UInt32) {
      (registers.read(Register<UInt32>(0x060)), registers.read(Register<UInt32>(0x064)))
    }

    /// Which revision of its kind an nRF52 is, from 0 on: a word that no chapter names, by which Nordic's own
    /// start-up code tells what a chip has.
    public mutating func revision() -> UInt32 { registers.read(Register<UInt32>(0x134)) }
  }
}
