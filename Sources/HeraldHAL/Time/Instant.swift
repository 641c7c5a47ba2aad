/// A time of the device's clock: milliseconds since start-up. It is monotonic and independent of the date.
public struct Instant: Comparable, Hashable, BitwiseCopyable, Sendable {
  /// Milliseconds since start-up.
  public let milliseconds: UInt64

  /// The moment `milliseconds` after start-up.
  public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

  /// Start-up itself.
  public static var start: Instant { Instant(milliseconds: 0) }
  /// Later than any moment that comes: "no deadline".
  public static var never: Instant { Instant(milliseconds: .max) }

  /// Whether `left` is earlier.
  public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

  /// The moment `interval` later; `never` if that is past the end of the clock.
  @inline(never)
  public static func + (left: Instant, right: Interval) -> Instant {
    let (sum, overflow) = left.milliseconds.addingReportingOverflow(UInt64(wide: right.milliseconds))
    return overflow ? .never : Instant(milliseconds: sum)
  }

  /// How long after `earlier` this is; zero if it is not after, the longest interval if it is more.
  @inline(never)
  public func since(_ earlier: Instant) -> Interval {
    guard milliseconds > earlier.milliseconds else { return .zero }
    return Interval(milliseconds: (milliseconds &- earlier.milliseconds).saturated32)
  }
}

/// A duration with a resolution of 1 ms: 0 to 49 days.
public struct Interval: Comparable, Hashable, BitwiseCopyable, Sendable {
  /// Milliseconds.
  public let milliseconds: UInt32

  /// `milliseconds` thousandths of a second.
  public init(milliseconds: UInt32) { self.milliseconds = milliseconds }

  /// A duration of 0 ms.
  public static var zero: Interval { Interval(milliseconds: 0) }
  /// `count` milliseconds.
  public static func milliseconds(_ count: UInt32) -> Interval { Interval(milliseconds: count) }
  /// `count` seconds; the longest interval if that does not fit.
  public static func seconds(_ count: UInt32) -> Interval {
    let (product, overflow) = count.multipliedReportingOverflow(by: 1000)
    return Interval(milliseconds: overflow ? .max : product)
  }
  /// `count` minutes; the longest interval if that does not fit.
  public static func minutes(_ count: UInt32) -> Interval {
    let (product, overflow) = count.multipliedReportingOverflow(by: 60)
    return overflow ? Interval(milliseconds: .max) : .seconds(product)
  }

  /// Whether `left` is shorter.
  public static func < (left: Interval, right: Interval) -> Bool { left.milliseconds < right.milliseconds }
}
