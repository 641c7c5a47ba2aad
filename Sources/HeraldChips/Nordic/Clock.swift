extension NRF {
  /// The clocks of the chip (nRF51 Series Reference Manual, "CLOCK"; nRF52840 Product Specification,
  /// "CLOCK"). No call blocks: a clock runs some time after it was started.
  ///
  /// On boards with USB, `USBD` starts and stops the high-frequency crystal oscillator.
  public struct Clock<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Uses the clock control with these registers, at 0x4000_0000.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// The source of the low-frequency clock (32,768 Hz).
    public enum LowFrequencySource: UInt32, BitwiseCopyable, Sendable {
      /// The internal RC oscillator: accuracy ±2 % without calibration.
      case oscillator = 0
      /// The crystal oscillator: start-up takes 250 ms, during which the nRF52 uses the RC oscillator.
      case crystal = 1
      /// Synthesised from the high-frequency clock, which then runs continuously.
      case synthesized = 2
    }

    /// Starts the low-frequency clock. No effect if it has been started since the reset.
    public mutating func startLowFrequency(_ source: LowFrequencySource) {
      // LFCLKRUN, not LFCLKSTAT: after a reset the watchdog may still run and keep the oscillator running.
      // LFCLKSTAT then indicates a running clock, but an RTC counts only after LFCLKSTART (Zephyr's pull
      // request 4096; RIOT's 20665).
      if registers.read(At.lowFrequencyRun) & 1 == 0 {
        // The source may be selected only while the clock is stopped.
        registers.write(source.rawValue, to: At.lowFrequencySource)
      }
      registers.trigger(At.startLowFrequency)
    }

    /// Stops the low-frequency clock, so that its source can be changed. The RTCs must have been stopped.
    /// Waits for at most a few milliseconds: with the watchdog running the oscillator does not stop.
    public mutating func stopLowFrequency() {
      registers.trigger(At.stopLowFrequency)
      for _ in 0..<Self.stopLimit where registers.read(At.lowFrequencyStatus) & Self.running == 0 { return }
    }

    /// The current source of the low-frequency clock; `nil` if it is not running. While a crystal has not
    /// started, it is the RC oscillator.
    public mutating func lowFrequency() -> LowFrequencySource? {
      let status = registers.read(At.lowFrequencyStatus)
      return status & Self.running == 0 ? nil : LowFrequencySource(rawValue: status & 3)
    }

    /// Starts the high-frequency crystal oscillator, which is required for an exact baud rate. Start-up takes
    /// about 0.33 ms.
    public mutating func startHighFrequencyCrystal() { registers.trigger(At.startHighFrequency) }

    /// Whether the high-frequency clock is driven by its crystal oscillator.
    public mutating func isOnCrystal() -> Bool {
      registers.read(At.highFrequencyStatus) & (Self.running | 1) == Self.running | 1
    }

    private static var running: UInt32 { 1 &<< 16 }
    /// The maximum number of polls until the low-frequency clock has stopped.
    private static var stopLimit: Int { 5_000 }
    private typealias At = ClockRegisters
  }

  private enum ClockRegisters {
    static var startHighFrequency: Register<Task> { Register(0x000) }
    static var startLowFrequency: Register<Task> { Register(0x008) }
    static var stopLowFrequency: Register<Task> { Register(0x00C) }
    static var highFrequencyStatus: Register<UInt32> { Register(0x40C) }
    static var lowFrequencyRun: Register<UInt32> { Register(0x414) }
    static var lowFrequencyStatus: Register<UInt32> { Register(0x418) }
    static var lowFrequencySource: Register<UInt32> { Register(0x518) }
  }
}
