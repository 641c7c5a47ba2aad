import HeraldHAL

extension NRF {
  /// The watchdog (nRF51 Series Reference Manual, "WDT"; nRF52840 Product Specification, "WDT"). Once started
  /// it cannot be stopped or changed until a reset, and counts in sleep too. While a debugger halts the
  /// processor it waits.
  public struct WDT<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    /// The watchdog with these registers.
    public init(_ registers: consuming Block) { self.registers = registers }

    /// Starts it: it resets the chip if it is not fed for `timeout`, 1 ms to 36 hours; zero counts as 1 ms.
    /// One that runs is not changed, and fed.
    public mutating func start(_ timeout: Interval) {
      guard registers.read(At.running) & 1 == 0 else { return feed() }
      // 32,768 ticks a second, in whole milliseconds; values beyond 32 bits are limited to the maximum.
      let milliseconds = min(max(timeout.milliseconds, 1), 131_071_000)
      let ticks = milliseconds / 1_000 &* 32_768 &+ milliseconds % 1_000 &* 32_768 / 1_000
      registers.write(1, to: At.configuration)  // SLEEP: runs; HALT: waits
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
    /// CRV: the time, in ticks less one; 15 at the least.
    static var reload: Register<UInt32> { Register(0x504) }
    /// RREN: which of the eight places to feed it at count.
    static var requests: Register<UInt32> { Register(0x508) }
    static var configuration: Register<UInt32> { Register(0x50C) }
    static var feed: Register<UInt32> { Register(0x600) }
  }
}
