/// The date, once it is set: the difference between the device's clock and Unix time.
///
/// A wearable has no date until a host sets one. Payload families that need the date are not offered before
/// that.
public struct WallClock: BitwiseCopyable, Sendable {
  /// The source of the date.
  public enum Source: UInt8, BitwiseCopyable, Sendable {
    /// Nobody yet.
    case unset = 0
    /// A host over the management link.
    case host = 1
    /// A venue beacon's present-time segment.
    case beacon = 2
  }

  /// The source of the current date.
  public private(set) var source: Source
  private var unixMillisecondsAtStart: UInt64

  /// A clock that is not set.
  public init() {
    source = .unset
    unixMillisecondsAtStart = 0
  }

  /// Whether the date is known.
  public var isSet: Bool { source != .unset }

  /// The exclusive upper limit of a date: 2100-01-01T00:00:00Z, in ms.
  static var end: UInt64 { 4_102_444_800_000 }

  /// Sets the date: it is `unixMilliseconds` after 1970-01-01T00:00:00Z at `now`. A date before the device's
  /// own start would need a negative base and is refused (`false`), as are a date beyond 2099 and `.unset` as
  /// its source.
  @discardableResult
  public mutating func set(unixMilliseconds: UInt64, at now: Instant, source: Source) -> Bool {
    guard source != .unset, unixMilliseconds >= now.milliseconds, unixMilliseconds < Self.end else {
      return false
    }
    unixMillisecondsAtStart = unixMilliseconds &- now.milliseconds
    self.source = source
    return true
  }

  /// Milliseconds since 1970-01-01T00:00:00Z at `instant`; `nil` before the date is set.
  public func unixMilliseconds(at instant: Instant) -> UInt64? {
    guard isSet else { return nil }
    return unixMillisecondsAtStart &+ instant.milliseconds
  }

  /// Seconds since 1970-01-01T00:00:00Z at `instant`; `nil` before the date is set.
  public func unixSeconds(at instant: Instant) -> UInt64? {
    guard let milliseconds = unixMilliseconds(at: instant) else { return nil }
    return milliseconds / 1000
  }
}
