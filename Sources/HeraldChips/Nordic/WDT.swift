import HeraldHAL

extension NRF {
  /// The watchdog (nRF51 Series Reference Manual, "WDT"; nRF52840 Product Specification, "WDT"). Once started
  /// it cannot be stopped or reconfigured until a reset. It counts during sleep, and pauses while a debugger
  /// halts the processor.
  public struct WDT<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// Uses the watchdog with these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Starts the watchdog: the chip is reset if it is not fed for `timeout`, 1 ms to 36 hours; 0 is treated
    /// as 1 ms. One that is already running is fed and not reconfigured.
    public mutating func start(_ timeout: Interval) {
      guard registers.read(At.running) & 1 == 0 else { return feed() }
      // 32,768 ticks per second, in whole milliseconds; larger values are limited to the maximum of 32 bits.
      let milliseconds = min(max(timeout.milliseconds, 1), 131_071_000)
      let ticks = milliseconds / 1_000 &* 32_768 &+ milliseconds % 1_000 &* 32_768 / 1_000
      registers.write(1, to: At.configuration)  // SLEEP: run; HALT: pause
      registers.write(max(ticks, 16) &- 1, to: At.reload)
      registers.write(1, to: At.requests)
      registers.trigger(At.start)
    }

    /// Restarts the timeout.
    public mutating func feed() { registers.write(0x6E52_4635, to: At.feed) }

    private typealias At = WatchdogRegisters
  }

  private enum WatchdogRegisters {
    static var start: Register<Task> { Register(0x000) }
    static var running: Register<UInt32> { Register(0x400) }
    /// CRV: the timeout in ticks minus one, at least 15.
    static var reload: Register<UInt32> { Register(0x504) }
    /// RREN: the enabled ones of the eight reload request registers.
    static var requests: Register<UInt32> { Register(0x508) }
    static var configuration: Register<UInt32> { Register(0x50C) }
    static var feed: Register<UInt32> { Register(0x600) }
  }
}
