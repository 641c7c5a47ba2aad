import HeraldHAL

extension CMSDK {
  /// Two APB timers (4.4) as the clock of a board: one counts down indefinitely, the other wakes the
  /// processor.
  ///
  /// Their frequency is a multiple of 1,000 Hz: at 25 MHz the counter wraps after 171 seconds.
  public struct TimerClock<Counter: RegisterBlock & ~Copyable, Alarm: RegisterBlock & ~Copyable>: ~Copyable {
    private var counter: Counter
    private var alarm: Alarm
    private let ticksPerMillisecond: UInt32
    /// The counter at the last call of `now`, and that time in milliseconds and remaining ticks.
    private var counted: UInt32 = .max
    private var milliseconds: UInt64 = 0
    private var ticks: UInt32 = 0

    /// Uses the timers with these registers, which count at `hertz`.
    public init(counter: consuming Counter, alarm: consuming Alarm, hertz: UInt32) {
      self.counter = counter
      self.alarm = alarm
      ticksPerMillisecond = max(hertz / 1_000, 1)
    }

    /// Starts to count from 0.
    public mutating func start() {
      counter.write(0, to: TimerRegisters.control)
      counter.write(.max, to: TimerRegisters.reload)
      counter.write(.max, to: TimerRegisters.value)
      counter.write(TimerControl.enable, to: TimerRegisters.control)
      acknowledge()
    }

    /// The time since `start`. To be called before the counter wraps.
    public mutating func now() -> Instant {
      let count = counter.read(TimerRegisters.value)
      let passed = counted &- count
      counted = count
      milliseconds &+= UInt64(wide: passed / ticksPerMillisecond)
      ticks &+= passed % ticksPerMillisecond
      if ticks >= ticksPerMillisecond {
        ticks &-= ticksPerMillisecond
        milliseconds &+= 1
      }
      return Instant(milliseconds: milliseconds)
    }

    /// Sets the alarm's interrupt to `deadline`, or to half of the counter's period if that is sooner.
    /// Returns `false` if the deadline has passed: the processor must not sleep.
    public mutating func wake(at deadline: Instant) -> Bool {
      let now = now()
      guard deadline > now else { return false }
      let longest = UInt32.max / 2 / ticksPerMillisecond
      let wait = min(deadline.since(now).milliseconds, longest) &* ticksPerMillisecond &- ticks
      alarm.write(0, to: TimerRegisters.control)
      // The timer interrupts at 0 and then reloads: it must not start again.
      alarm.write(wait, to: TimerRegisters.reload)
      alarm.write(wait, to: TimerRegisters.value)
      alarm.write(1, to: TimerRegisters.interrupt)
      alarm.write(TimerControl.enable | TimerControl.interrupt, to: TimerRegisters.control)
      return true
    }

    /// Clears the alarm's interrupt after it has woken the processor.
    public mutating func acknowledge() {
      alarm.write(0, to: TimerRegisters.control)
      alarm.write(1, to: TimerRegisters.interrupt)
    }
  }

  private enum TimerRegisters {
    static var control: Register<UInt32> { Register(0x000) }
    static var value: Register<UInt32> { Register(0x004) }
    static var reload: Register<UInt32> { Register(0x008) }
    /// INTSTATUS and INTCLEAR: the pending interrupt, cleared by writing 1.
    static var interrupt: Register<UInt32> { Register(0x00C) }
  }

  /// Bits of CTRL.
  private enum TimerControl {
    static var enable: UInt32 { 1 }
    static var interrupt: UInt32 { 8 }
  }
}
