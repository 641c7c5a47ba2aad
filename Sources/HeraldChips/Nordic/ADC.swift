import HeraldHAL

extension NRF {
  /// The analogue-to-digital converter of the nRF51, to the extent required for measuring VDD (nRF51 Series
  /// Reference Manual, "ADC").
  public struct ADC<Block: RegisterBlock & ~Copyable>: SupplyMeter, ~Copyable {
    private var registers: Block

    /// Uses the converter with these registers, at 0x4000_7000.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Measures VDD. Blocks for about 70 µs.
    public mutating func supplyMillivolts() -> UInt32? {
      registers.write(1, to: At.enable)
      defer { registers.write(0, to: At.enable) }
      // 10 bits, a third of VDD, the reference of 1.2 V: full scale is 3.6 V.
      registers.write(2 | 6 &<< 2, to: At.configuration)
      registers.clear(At.end)
      registers.trigger(At.start)
      for _ in 0..<Self.pollLimit where registers.hasHappened(At.end) {
        return ((registers.read(At.result) & 0x3FF) &* 225) &>> 6
      }
      return nil
    }

    /// The maximum number of polls before the converter is considered failed: several milliseconds.
    private static var pollLimit: Int { 5_000 }

    private typealias At = ADCRegisters
  }

  private enum ADCRegisters {
    static var start: Register<Task> { Register(0x000) }
    static var end: Register<Event> { Register(0x100) }
    static var enable: Register<UInt32> { Register(0x500) }
    static var configuration: Register<UInt32> { Register(0x504) }
    static var result: Register<UInt32> { Register(0x508) }
  }
}
