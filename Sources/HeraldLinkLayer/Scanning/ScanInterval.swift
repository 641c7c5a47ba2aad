import HeraldHAL

/// The current scan interval: its start, and the channel of its window.
struct ScanInterval: BitwiseCopyable {
  /// The shortest part of a scan window that is used; a shorter one does not justify the ramp-up.
  static var shortestPart: UInt32 { 600 }

  /// The start of the interval.
  var start = RadioTime(microseconds: 0)
  /// The channel of its window less 37.
  private(set) var offset: UInt8 = 0

  /// The first scan interval of channel 37: all bits are zero.
  init() {}

  /// The earliest time, not before `soonest`, at which the receiver may be started, the maximum duration, and
  /// the channel. `interval` and `window` are those of the scanner in microseconds.
  mutating func part(from soonest: RadioTime, interval: UInt32, window: UInt32) -> (
    start: RadioTime, length: UInt32, channel: UInt8
  ) {
    let passed = soonest.since(start) / interval
    start = start + passed &* interval
    offset = UInt8(truncatingIfNeeded: (UInt32(offset) &+ passed) % 3)
    let into = soonest.since(start)
    if into &+ Self.shortestPart <= window { return (soonest, window &- into, 37 &+ offset) }
    return (start + interval, window, 37 &+ (offset &+ 1) % 3)
  }
}
