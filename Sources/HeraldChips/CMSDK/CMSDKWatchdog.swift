extension CMSDK {
  /// The APB watchdog (4.6). When it has not been fed for a period it interrupts, which on the MPS2 boards is
  /// not maskable: the fault handler stores the program counter. If it is not fed for another period it
  /// resets.
  public struct Watchdog<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// The watchdog with these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Starts it, with a period of `ticks` of its clock.
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

    /// Its registers are locked against stray writes except during intended ones.
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
