/// Functions common to all Cortex-M processors, in the System Control Space (Armv6-M and Armv7-M Architecture
/// Reference Manuals, B3).
public enum CortexM {
  /// The interrupt controller (NVIC) and the System Control Block.
  ///
  /// `Block` are the registers from 0xE000_E000 on.
  public struct SystemControl<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Uses these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Enables peripheral interrupt `number`.
    public mutating func enable(_ number: UInt32) {
      registers.write(1 &<< (number & 31), to: SystemRegisters.setEnable.at(Int(number &>> 5)))
    }

    /// Clears the pending state of peripheral interrupt `number`.
    public mutating func forget(_ number: UInt32) {
      registers.write(1 &<< (number & 31), to: SystemRegisters.clearPending.at(Int(number &>> 5)))
    }

    /// Resets the chip (AIRCR.SYSRESETREQ). Takes effect some cycles later.
    public mutating func reset() { registers.write(0x05FA_0004, to: SystemRegisters.resetControl) }
  }

  private enum SystemRegisters {
    static var setEnable: Register<UInt32> { Register(0x100) }
    static var clearPending: Register<UInt32> { Register(0x280) }
    static var resetControl: Register<UInt32> { Register(0xD0C) }
  }

  /// The base address of the registers of `SystemControl`.
  public static var systemControlAddress: UInt32 { 0xE000_E000 }
}

#if hasFeature(Embedded)
  extension CortexM {
    /// The registers of `SystemControl`.
    public typealias SystemControlRegisters = FixedRegisters<0xE000E0>
  }
#endif
