import HeraldHAL

extension NRF {
  /// A TIMER as the clock of a board: a 32-bit counter at 1 MHz, which wraps after 71 minutes (nRF51 Series
  /// Reference Manual, "TIMER"; nRF52840 Product Specification, "TIMER").
  ///
  /// It keeps the 16 MHz clock running, at a cost of several hundred microamperes: boards with a
  /// low-frequency crystal use `RTCClock`. It is intended for emulators, which have no RTC, and for boards
  /// with external supply.
  public struct TimerClock<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block
    /// The counter at the last call of `now`, and that time in milliseconds and remaining microseconds.
    private var counted: UInt32 = 0
    private var milliseconds: UInt64 = 0
    private var microseconds: UInt32 = 0

    /// Uses the timer with these registers. On the nRF51 only TIMER0 has 32 bits; the others are not
    /// supported.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Starts to count from 0.
    public mutating func start() {
      registers.trigger(At.stop)
      registers.write(0, to: At.mode)
      registers.write(3, to: At.bitMode)
      registers.write(4, to: At.prescaler)  // 16 MHz / 2⁴
      registers.trigger(At.clear)
      registers.trigger(At.start)
    }

    /// The time since `start`. To be called at least once in 71 minutes, which `wake` ensures.
    @inline(never)
    public mutating func now() -> Instant {
      let count = capture()
      microseconds &+= count &- counted
      counted = count
      if microseconds >= 1_000 {
        // Most calls occur within the same millisecond.
        let passed = microseconds.thousandth
        milliseconds &+= UInt64(wide: passed)
        microseconds &-= passed &* 1_000
      }
      return Instant(milliseconds: milliseconds)
    }

    /// Sets the timer's interrupt to `deadline`, or to 35 minutes after the last call of `now` if that is
    /// sooner. Returns `false` if that time has passed: the processor must not sleep.
    public mutating func wake(at deadline: Instant) -> Bool {
      // Relative to the last call of `now`, to which `counted` belongs.
      let asked = Instant(milliseconds: milliseconds)
      guard deadline > asked else { return false }
      let wait = min(deadline.since(asked).milliseconds, 0x7FFF_FFFF / 1_000) &* 1_000 &- microseconds
      letInterrupt()
      return wake(atCount: counted &+ wait)
    }

    /// The counter in microseconds, to which the argument of `wake(atCount:)` is relative. Enables the
    /// timer's interrupt.
    @inline(__always)
    public mutating func beginSteps() -> UInt32 {
      letInterrupt()
      return capture()
    }

    /// Sets the timer's interrupt to this count, at most 35 minutes from now. Returns `false` if it has
    /// passed: the processor must not sleep.
    @inline(__always)
    public mutating func wake(atCount count: UInt32) -> Bool {
      registers.write(count, to: At.compareValue.at(1))
      registers.write(.clear, to: At.compare.at(1))
      // A value already passed would match only after 71 minutes. Reading the counter also completes the
      // preceding writes.
      return Int32(bitPattern: count &- capture()) > 0
    }

    @inline(__always)
    private mutating func letInterrupt() { registers.write(1 &<< 17, to: At.interruptSet) }

    /// Whether the deadline passed to `wake` has been reached.
    public var isDue: Bool {
      mutating get { registers.hasHappened(At.compare.at(1)) }
    }

    /// Disables the timer's interrupt. For its interrupt handler; `isDue` does not change.
    public mutating func silence() { registers.write(1 &<< 17, to: At.interruptClear) }

    /// Clears the interrupt after it has woken the processor.
    public mutating func acknowledge() {
      registers.write(1 &<< 17, to: At.interruptClear)
      registers.clear(At.compare.at(1))
    }

    /// The counter, which can be read only through a capture register.
    private mutating func capture() -> UInt32 {
      registers.trigger(At.capture)
      return registers.read(At.compareValue)
    }

    private typealias At = TimerRegisters
  }

  /// The registers of a TIMER.
  enum TimerRegisters {
    static var start: Register<Task> { Register(0x000) }
    static var stop: Register<Task> { Register(0x004) }
    static var count: Register<Task> { Register(0x008) }
    static var clear: Register<Task> { Register(0x00C) }
    static var capture: Register<Task> { Register(0x040) }
    static var compare: Register<Event> { Register(0x140) }
    static var interruptSet: Register<UInt32> { Register(0x304) }
    static var interruptClear: Register<UInt32> { Register(0x308) }
    /// MODE. 0: timer; 1: counter; 2: low-power counter (nRF52).
    static var mode: Register<UInt32> { Register(0x504) }
    /// BITMODE. 3: 32 bits.
    static var bitMode: Register<UInt32> { Register(0x508) }
    static var prescaler: Register<UInt32> { Register(0x510) }
    static var compareValue: Register<UInt32> { Register(0x540) }
  }
}
