import HeraldHAL

extension NRF {
  /// An RTC as the clock of a board: a 24-bit counter at 4,096 Hz, driven by the low-frequency clock, which
  /// wraps after 68 minutes (nRF52840 Product Specification, "RTC"; nRF51 Series Reference Manual, "RTC"). It
  /// runs during sleep.
  ///
  /// The low-frequency clock must be started (`Clock.startLowFrequency`); the time does not advance until it
  /// runs.
  public struct RTCClock<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block
    /// The counter at the last call of `now`, and that time in milliseconds and remaining 512ths of a
    /// millisecond.
    private var counted: UInt32 = 0
    private var milliseconds: UInt64 = 0
    private var fraction: UInt32 = 0

    /// Uses the RTC with these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Starts to count from 0.
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
      // A tick is 125/512 ms; the product of at most 2²⁴ ticks and 125 fits into 32 bits.
      let sum = ((count &- counted) & 0xFF_FFFF) &* 125 &+ fraction
      counted = count
      fraction = sum & 511
      milliseconds &+= UInt64(wide: sum &>> 9)
      return Instant(milliseconds: milliseconds)
    }

    /// Sets the RTC's interrupt to `deadline`, or to 34 minutes from now if that is sooner. Returns `false`
    /// if the deadline has passed or is less than a millisecond away: the processor must not sleep.
    public mutating func wake(at deadline: Instant) -> Bool {
      let now = now()
      guard deadline > now else { return false }
      let wait = min(deadline.since(now).milliseconds, Self.longest)
      let ticks = (wait &* 512 &- fraction &+ 124) / 125
      // A compare value is certain to match only if it is at least two ticks ahead when written, and the
      // counter may advance by one before that. For a nearer deadline the processor does not sleep.
      guard ticks >= Self.nearest else { return false }
      registers.clear(At.compare)
      registers.write((counted &+ ticks) & 0xFF_FFFF, to: At.compareValue)
      registers.write(1 &<< 16, to: At.interruptSet)
      // After a delay by an interrupt or a debugger, the counter may already have passed the value.
      let passed = (registers.read(At.counter) &- counted) & 0xFF_FFFF
      return passed &+ 2 <= ticks || registers.hasHappened(At.compare)
    }

    /// Clears the interrupt after it has woken the processor.
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
    /// PRESCALER: the divisor minus one. Writable only while the RTC is stopped.
    static var prescaler: Register<UInt32> { Register(0x508) }
    static var compareValue: Register<UInt32> { Register(0x540) }
  }
}
