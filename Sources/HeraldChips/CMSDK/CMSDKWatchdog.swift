extension CMSDK {
  /// The APB watchdog (4.6). If it is not fed for one period it interrupts; on the MPS2 boards this is the
  /// non-maskable interrupt, whose fault handler stores the program counter. If it is not fed for another
  /// period it resets the chip.
  public struct Watchdog<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Uses the watchdog with these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Starts the watchdog with a period of `ticks` of its clock.
    public mutating func start(ticks: UInt32) {
      unlocked { registers in
        registers.write(ticks, to: WatchdogRegisters.load)
        registers.write(1, to: WatchdogRegisters.clear)
        registers.write(WatchdogControl.interrupt | WatchdogControl.reset, to: WatchdogRegisters.control)
      }
    }

    /// Restarts the period.
    public mutating func feed() {
      unlocked { registers in registers.write(1, to: WatchdogRegisters.clear) }
    }

    /// Unlocks the registers for `write`: they are locked against unintended writes.
    @inline(always)
    private mutating func unlocked(_ write: (inout Block) -> Void) {
      registers.write(0x1ACC_E551, to: WatchdogRegisters.lock)
      write(&registers)
      registers.write(0, to: WatchdogRegisters.lock)
    }
  }

  private enum WatchdogRegisters {
    static var load: Register<UInt32> { Register(0x000) }
    static var control: Register<UInt32> { Register(0x008) }
    /// Any write clears the interrupt and restarts the period.
    static var clear: Register<UInt32> { Register(0x00C) }
    static var lock: Register<UInt32> { Register(0xC00) }
  }

  /// Bits of WDOGCONTROL.
  private enum WatchdogControl {
    static var interrupt: UInt32 { 1 }
    static var reset: UInt32 { 2 }
  }
}
