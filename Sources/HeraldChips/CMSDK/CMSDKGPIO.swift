extension CMSDK {
  /// One pin of an AHB GPIO block (4.2) as an output.
  public struct OutputPin<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block
    private let mask: UInt32

    /// Uses pin `number`, 0…15, of the block with these registers.
    public init(_ registers: consuming Block, number: UInt32) {
      self.registers = registers
      mask = 1 &<< (number & 15)
    }

    /// Configures the pin as an output with high level.
    public mutating func start() {
      set(true)
      registers.write(mask, to: GPIORegisters.outputEnable)
    }

    /// Sets the level of the pin.
    public mutating func set(_ isHigh: Bool) {
      let before = registers.read(GPIORegisters.output)
      registers.write(isHigh ? before | mask : before & ~mask, to: GPIORegisters.output)
    }
  }

  private enum GPIORegisters {
    static var output: Register<UInt32> { Register(0x004) }
    static var outputEnable: Register<UInt32> { Register(0x010) }
  }
}
