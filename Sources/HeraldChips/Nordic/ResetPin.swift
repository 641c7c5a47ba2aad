extension NRF {
  /// The selection of the reset pin: PSELRESET in UICR (nRF52833 and nRF52840 Product Specifications, "UICR"
  /// and "POWER", "Pin reset").
  ///
  /// UICR is written like flash, word by word, and erased only together with the whole chip. Both PSELRESET
  /// words must select the same pin; they take effect at the next reset.
  public struct ResetPin<Block: RegisterBlock & ~Copyable, Memory: RegisterBlock & ~Copyable>: ~Copyable {
    private var controller: Block
    private var configuration: Memory

    /// Uses UICR, as a block whose first word is at 0x1000_1000, and the registers of NVMC, which writes it.
    public init(_ configuration: consuming Memory, controller: consuming Block) {
      self.configuration = configuration
      self.controller = controller
    }

    /// Selects pin `number` of port 0 as reset pin, unless another one is selected. Returns whether a reset
    /// of the chip is now required.
    ///
    /// Only erased words are written, each once, so that an operation interrupted by a loss of power between
    /// the two is completed. A failed write does not request a reset, so that a caller that resets the chip
    /// if this is `true` does so only once.
    public mutating func connect(_ number: UInt8) -> Bool {
      let wanted = UInt32(number)
      var isWritten = false
      for index in UInt32(0)..<2 {
        let address = 0x200 &+ index &* 4
        let word = configuration.load(at: address)
        if word == wanted { continue }
        guard word == .max else { return false }
        guard writeConfiguration(wanted, at: address, in: &configuration, by: &controller) else {
          return false
        }
        isWritten = true
      }
      return isWritten
    }
  }

  /// Writes an erased word of UICR. Returns whether it then has this value.
  private static func writeConfiguration<
    Block: RegisterBlock & ~Copyable, Memory: RegisterBlock & ~Copyable
  >(
    _ word: UInt32, at address: UInt32, in configuration: inout Memory, by controller: inout Block
  ) -> Bool {
    controller.write(.write, to: NVMCRegisters.configuration)
    configuration.store(word, at: address)
    // At most 43 µs, during which the processor is halted if it executes from flash.
    for _ in 0..<10_000 where controller.read(NVMCRegisters.ready) & 1 != 0 { break }
    controller.write(.read, to: NVMCRegisters.configuration)
    return configuration.load(at: address) == word
  }

  /// The voltage of VDD of a chip that is supplied through VDDH: REGOUT0 in UICR (nRF52833 and nRF52840
  /// Product Specifications, "UICR", and "POWER", "Regulator supply voltage").
  ///
  /// UICR is written like flash, and erased only together with the whole chip. The word takes effect at the
  /// next reset.
  public struct OutputVoltage<Block: RegisterBlock & ~Copyable, Memory: RegisterBlock & ~Copyable>: ~Copyable
  {
    private var controller: Block
    private var configuration: Memory

    /// Uses UICR, as a block whose first word is at 0x1000_1000, and the registers of NVMC, which writes it.
    public init(_ configuration: consuming Memory, controller: consuming Block) {
      self.configuration = configuration
      self.controller = controller
    }

    /// A voltage, as VOUT has it. An erased word selects 1.8 V.
    public enum Level: UInt32, BitwiseCopyable, Sendable {
      /// 2.7 V.
      case millivolts2700 = 3
      /// 3.0 V.
      case millivolts3000 = 4
      /// 3.3 V.
      case millivolts3300 = 5
    }

    /// Selects a voltage, unless one is selected. Returns whether a reset of the chip is now required.
    ///
    /// Only an erased word is written. A failed write does not request a reset, so that a caller that resets
    /// the chip if this is `true` does so only once.
    public mutating func select(_ level: Level) -> Bool {
      guard configuration.load(at: 0x304) == .max else { return false }
      return NRF.writeConfiguration(~7 | level.rawValue, at: 0x304, in: &configuration, by: &controller)
    }
  }
}
