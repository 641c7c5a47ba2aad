extension NRF {
  /// The clocks of the chip (nRF51 Series Reference Manual, "CLOCK"; nRF52840 Product Specification,
  /// "CLOCK"). Nothing here waits: a clock runs some time after it was started.
  ///
  /// On boards with USB, `USBD` starts and stops the high-frequency crystal.
  public struct Clock<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// The clock control with these registers, at 0x4000_0000.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Where the 32,768 Hz of the low-frequency clock come from.
    public enum LowFrequencySource: UInt32, BitwiseCopyable, Sendable {
      /// The chip's own oscillator: an error of up to 2 % without calibration.
      case oscillator = 0
      /// A crystal: takes a quarter of a second to start, during which the nRF52 uses the oscillator.
      case crystal = 1
      /// Derived from the high-frequency clock, which then never stops.
      case synthesized = 2
    }

    /// Starts the low-frequency clock, unless that was done since the reset.
    public mutating func startLowFrequency(_ source: LowFrequencySource) {
      // LFCLKRUN and not LFCLKSTAT: behind a reset that is not its own the watchdog continues, and has the
      // oscillator run. LFCLKSTAT says so, and an RTC counts only behind LFCLKSTART nevertheless (Zephyr's
      // pull request 4096; RIOT's 20665).
      if registers.read(At.lowFrequencyRun) & 1 == 0 {
        // The source may only be chosen while the clock is not started.
        registers.write(source.rawValue, to: At.lowFrequencySource)
      }
      registers.trigger(At.startLowFrequency)
    }

    /// The present source of the low-frequency clock; `nil` if it does not run. A crystal that does not start
    /// leaves the oscillator.
    public mutating func lowFrequency() -> LowFrequencySource? {
      let status = registers.read(At.lowFrequencyStatus)
      return status & Self.running == 0 ? nil : LowFrequencySource(rawValue: status & 3)
    }

    /// Starts the crystal of the high-frequency clock, which makes a UART's speed exact. It takes about a
    /// third of a millisecond.
    public mutating func startHighFrequencyCrystal() { registers.trigger(At.startHighFrequency) }

    /// Whether the high-frequency clock runs on its crystal.
    public mutating func isOnCrystal() -> Bool {
      registers.read(At.highFrequencyStatus) & (Self.running | 1) == Self.running | 1
    }

    private static var running: UInt32 { 1 &<< 16 }
    private typealias At = ClockRegisters
  }

  private enum ClockRegisters {
    static var startHighFrequency: Register<Task> { Register(0x000) }
    static var startLowFrequency: Register<Task> { Register(0x008) }
    static var highFrequencyStatus: Register<UInt32> { Register(0x40C) }
    static var lowFrequencyRun: Register<UInt32> { Register(0x414) }
    static var lowFrequencyStatus: Register<UInt32> { Register(0x418) }
    static var lowFrequencySource: Register<UInt32> { Register(0x518) }
  }
}
