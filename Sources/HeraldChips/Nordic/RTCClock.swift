import HeraldHAL

extension NRF {
  /// An RTC as the clock of a board: 24 bits at 4,096 Hz from the low-frequency clock, which wrap after 68
  /// minutes (nRF52840 Product Specification, "RTC"; nRF51 Series Reference Manual, "RTC"). It runs in sleep.
  ///
  /// The low-frequency clock has to be started (`Clock.startLowFrequency`); until it runs, the time does not
  /// advance.
  public struct RTCClock<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block
    /// The counter at the last call of `now`, and that time in whole milliseconds and 512ths above them.
    private var counted: UInt32 = 0
    private var milliseconds: UInt64 = 0
    private var fraction: UInt32 = 0

    /// The clock on the RTC with these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Begins to count, from 0.
    public mutating func start() {
      registers.trigger(At.stop)
      registers.write(7, to: At.prescaler)  // 32,768 Hz / 8
      registers.trigger(At.clear)
      registers.trigger(At.start)
    }

    /// The time since `start`. To be called at least once in 68 minutes, which `wake` ensures.
    @inline(never)
    public mutating func now() -> Instant {
      let count = registers.read(At.counter)
      // A tick is 125/512 ms; the most there can be of them, 2²⁴, times 125 fits into 32 bits.
      let sum = ((count &- counted) & 0xFF_FFFF) &* 125 &+ fraction
      counted = count
      fraction = sum & 511
      milliseconds &+= UInt64(wide: sum &>> 9)
      return Instant(milliseconds: milliseconds)
    }

    /// Sets the RTC's interrupt to `deadline`, or after 34 minutes if that is sooner. Returns `false` if the
    /// deadline has passed or is less than a millisecond away: the processor must not sleep.
    public mutating func wake(at deadline: Instant) -> Bool {
      let now = now()
      guard deadline > now else { return false }
      let wait = min(deadline.since(now).milliseconds, Self.longest)
      let ticks = (wait &* 512 &- fraction &+ 124) / 125
      // A compare value is only certain to match if it is two ticks ahead when it is written, and the counter
      // may advance by one before that. A nearer deadline is not slept for.
      guard ticks >= Self.nearest else { return false }
      registers.clear(At.compare)
      registers.write((counted &+ ticks) & 0xFF_FFFF, to: At.compareValue)
      registers.write(1 &<< 16, to: At.interruptSet)
      // Should all of that have taken long (an interrupt, a debugger), the value may have been passed.
      let passed = (registers.read(At.counter) &- counted) & 0xFF_FFFF
      return passed &+ 2 <= ticks || registers.hasHappened(At.compare)
    }

    /// Clears the interrupt, once it has woken the processor.
    public mutating func acknowledge() {
      registers.write(1 &<< 16, to: At.interruptClear)
      registers.clear(At.compare)
    }

    /// Half of the counter's period, in milliseconds.
    private static var longest: UInt32 { 2_048_000 }
    private static var nearest: UInt32 { 3 }

    private typealias At = RTCRegisters
  }

  private enum RTCRegisters {
    static var start: Register<Task> { Register(0x000) }
    static var stop: Register<Task> { Register(0x004) }
    static var clear: Register<Task> { Register(0x008) }
    static var compare: Register<Event> { Register(0x140) }
    static var interruptSet: Register<UInt32> { Register(0x304) }
    static var interruptClear: Register<UInt32> { Register(0x308) }
    static var counter: Register<UInt32> { Register(0x504) }
    /// Divides by one more. Only writable while the RTC is stopped.
    static var prescaler: Register<UInt32> { Register(0x508) }
    static var compareValue: Register<UInt32> { Register(0x540) }
  }
}
