import HeraldHAL

extension NRF {
  /// The random number generator, based on thermal noise (nRF51 Series Reference Manual, "RNG"; nRF52840
  /// Product Specification, 6.19 "RNG"), with bias correction enabled.
  ///
  /// It runs only while bytes are requested. A byte takes about 0.7 ms on an nRF51 and 0.12 ms on an nRF52,
  /// and `next` blocks for four bytes: a node calls it at start-up and when its identity changes.
  public struct RNG<Block: RegisterBlock & ~Copyable>: RandomSource, ~Copyable {
    private var registers: Block
    private var mixed: UInt32 = 0
    /// The number of timeouts. If it is not 0, the generator has failed and the results of `next` are
    /// predictable.
    public private(set) var failures: UInt32 = 0

    /// Uses the generator with these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// The maximum number of polls for a byte before the hardware is considered failed: at least 50 ms.
    static var pollLimit: Int { 200_000 }

    /// The next 32 random bits.
    public mutating func next() -> UInt32 {
      registers.write(1, to: At.configuration)
      registers.clear(At.valueReady)
      registers.trigger(At.start)
      for _ in 0..<4 {
        if waitForValue() {
          registers.clear(At.valueReady)
          mixed = mixed &<< 8 | registers.read(At.value) & 0xFF
        } else {
          // After a failure the values are not random. The device continues to record, and `failures` reports
          // the fault.
          failures &+= 1
          mixed = mixed &* 1_664_525 &+ 1_013_904_223
        }
      }
      registers.trigger(At.stop)
      return mixed
    }

    private mutating func waitForValue() -> Bool {
      for _ in 0..<Self.pollLimit where registers.hasHappened(At.valueReady) { return true }
      return false
    }

    private typealias At = RNGRegisters
  }

  private enum RNGRegisters {
    static var start: Register<Task> { Register(0x000) }
    static var stop: Register<Task> { Register(0x004) }
    static var valueReady: Register<Event> { Register(0x100) }
    /// Bit 0 (DERCEN): bias correction.
    static var configuration: Register<UInt32> { Register(0x504) }
    static var value: Register<UInt32> { Register(0x508) }
  }
}
