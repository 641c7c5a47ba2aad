import HeraldHAL

extension NRF {
  /// The power-fail comparator: it warns when VDD falls below a threshold (nRF51 Series Reference Manual,
  /// "POWER", "Power-fail comparator"; nRF52840 Product Specification, "POWER", "Power supply supervisor").
  ///
  /// While it is enabled and VDD is below the threshold, the controller of the flash executes no writes, and
  /// on the nRF52833 and nRF52840 the processor may then stop during one (anomaly 242, "NVMC operations
  /// during POFWARN cause the CPU to hang"). It is therefore disabled for each operation of the flash, which
  /// is not begun after a warning: `suspend`, `resume`.
  public struct PowerFail<Chip: PowerFailChip, Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block
    private let enabled: UInt32

    /// Uses the comparator with these registers, at 0x4000_0000. `millivolts` is the threshold, rounded down
    /// to one that the chip has.
    public init(_ registers: consuming Block, below millivolts: UInt32) {
      self.registers = registers
      enabled = 1 | Chip.powerFailThreshold(millivolts) &<< 1
    }

    /// Enables the comparator.
    public mutating func start() { registers.write(enabled, to: At.configuration) }

    /// Whether VDD has fallen below the threshold since `forget`.
    public mutating func hasWarned() -> Bool { registers.hasHappened(At.warning) }

    /// Clears the warning, and restarts the comparator: there is another warning only if VDD falls below the
    /// threshold again.
    public mutating func forget() {
      registers.write(0, to: At.configuration)
      registers.clear(At.warning)
      start()
    }

    /// Disables the comparator for an operation of the flash. Returns `false`, with the comparator enabled,
    /// if there is a warning: the operation is not to be executed.
    public mutating func suspend() -> Bool {
      registers.write(0, to: At.configuration)
      // A warning between a check and this write would not be seen.
      guard hasWarned() else { return true }
      start()
      return false
    }

    /// Enables the comparator after the operation.
    public mutating func resume() { start() }

    private typealias At = PowerFailRegisters
  }

  /// VDD as the supply of flash memories.
  ///
  /// VDD is measured at the first use, and after a warning of the comparator until it is 0.1 V above the
  /// threshold: the comparator indicates only that VDD falls below it, not that it is still below. Several
  /// memories with the same supply have one of these each.
  public struct FlashVoltage<
    Chip: PowerFailChip, Block: RegisterBlock & ~Copyable, Meter: SupplyMeter & ~Copyable
  >: FlashSupply, ~Copyable {
    private var comparator: PowerFail<Chip, Block>
    private var meter: Meter
    private let sufficient: UInt32
    private var isLow = true

    /// VDD, measured by `meter`; `minimum` in millivolts. `registers` are those of the comparator, which has
    /// been started with the same threshold.
    public init(_ registers: consuming Block, meter: consuming Meter, minimum: UInt32) {
      comparator = PowerFail(registers, below: minimum)
      self.meter = meter
      sufficient = minimum &+ 100
    }

    @inline(never)
    public mutating func isSufficient() -> Bool {
      if !isLow, !comparator.hasWarned() { return true }
      isLow = true
      guard let voltage = meter.supplyMillivolts() else {
        // The comparator alone decides.
        isLow = comparator.hasWarned()
        return !isLow
      }
      guard voltage >= sufficient else { return false }
      comparator.forget()
      isLow = false
      return true
    }

    public mutating func begin() -> Bool { isSufficient() && comparator.suspend() }
    public mutating func end() { comparator.resume() }
  }

  private enum PowerFailRegisters {
    /// POFWARN.
    static var warning: Register<Event> { Register(0x108) }
    /// POFCON.
    static var configuration: Register<UInt32> { Register(0x510) }
  }
}

/// A measurement of VDD.
public protocol SupplyMeter: ~Copyable {
  /// VDD in millivolts; `nil` if the converter does not respond.
  mutating func supplyMillivolts() -> UInt32?
}

/// The thresholds of a chip's power-fail comparator.
public protocol PowerFailChip {
  /// The value of POFCON.THRESHOLD for the highest threshold of at most `millivolts`; the lowest one, if all
  /// are above.
  static func powerFailThreshold(_ millivolts: UInt32) -> UInt32
}

extension NRF.NRF51822: PowerFailChip {
  /// 2.1, 2.3, 2.5 and 2.7 V are 0…3.
  public static func powerFailThreshold(_ millivolts: UInt32) -> UInt32 {
    millivolts < 2_100 ? 0 : min((millivolts &- 2_100) / 200, 3)
  }
}

extension NRF.NRF52: PowerFailChip {
  /// 1.7…2.8 V in steps of 0.1 V are 4…15.
  public static func powerFailThreshold(_ millivolts: UInt32) -> UInt32 {
    millivolts < 1_700 ? 4 : min((millivolts &- 1_700) / 100, 11) &+ 4
  }
}
