extension CMSDK {
  /// One pin of an AHB GPIO block (4.2) as an output.
  public struct OutputPin<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block
    private let mask: UInt32

    /// Pin `number`, 0…15, of the block with these registers.
    public init(_ registers: consuming Block, number: UInt32) {
      self.registers = registers
      mask = 1 &<< (number & 15)
    }

    /// Makes it an output that is high.
    public mutating func start() {
      set(true)
      registers.write(mask, to: GPIORegisters.outputEnable)
    }

    /// Sets its level.
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
