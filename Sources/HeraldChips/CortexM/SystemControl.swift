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

    /// Disables peripheral interrupt `number`. What the handler has written is visible afterwards.
    public mutating func disable(_ number: UInt32) {
      registers.write(1 &<< (number & 31), to: SystemRegisters.clearEnable.at(Int(number &>> 5)))
      _ = registers.read(SystemRegisters.clearEnable)
    }

    /// Makes peripheral interrupt `number` pending: its handler runs when its priority permits.
    public mutating func pend(_ number: UInt32) {
      registers.write(1 &<< (number & 31), to: SystemRegisters.setPending.at(Int(number &>> 5)))
    }

    /// Sets the priority of peripheral interrupt `number` to 0, the highest, … 3: the two bits that every
    /// Cortex-M has.
    public mutating func setPriority(_ number: UInt32, _ priority: UInt32) {
      // The Cortex-M0 permits accesses to whole words only.
      let register = SystemRegisters.priority.at(Int(number &>> 2))
      let shift = (number & 3) &* 8
      let others = registers.read(register) & ~(0xFF &<< shift)
      registers.write(others | (priority & 3) &<< (shift &+ 6), to: register)
    }

    /// Whether peripheral interrupt `number` is pending.
    public mutating func isPending(_ number: UInt32) -> Bool {
      registers.read(SystemRegisters.setPending.at(Int(number &>> 5))) &>> (number & 31) & 1 != 0
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
    static var clearEnable: Register<UInt32> { Register(0x180) }
    static var setPending: Register<UInt32> { Register(0x200) }
    static var clearPending: Register<UInt32> { Register(0x280) }
    static var priority: Register<UInt32> { Register(0x400) }
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
