import HeraldChips

/// The timers of the board. All of them count at 25 MHz.
enum Clock {
  static var hertz: UInt32 { 25_000_000 }
  /// The counter: timer 0.
  static var counter: MappedRegisters { MappedRegisters(at: 0x4000_0000) }
  /// The alarm: timer 1, interrupt 9.
  static var alarm: MappedRegisters { MappedRegisters(at: 0x4000_1000) }
  static var alarmInterrupt: UInt32 { 9 }
  /// The watchdog, and its period: longer than an erasure of the memory of the log, and than the longest
  /// poll.
  static var watchdog: MappedRegisters { MappedRegisters(at: 0x4000_8000) }
  static var watchdogTicks: UInt32 { 10 * hertz }
}
