import HeraldHAL

/// A time in units of 0.625 ms, a Bluetooth slot: the unit of advertising and scan timing.
public struct Slots: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The number of slots.
  public let rawValue: UInt16
  /// This many slots.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// As many whole slots as fit into `interval`; 0xFFFF if it is longer than that.
  @inline(never)
  public init(_ interval: Interval) {
    // 8/5 slots to the millisecond; 40,959 ms is the longest that fits.
    let milliseconds = interval.milliseconds
    rawValue =
      milliseconds >= 40_959 ? .max : UInt16(truncatingIfNeeded: (milliseconds &* 8) / 5)
  }
}
