import HeraldHAL

/// A press of a button, reported once.
public enum ButtonPress: UInt8, BitwiseCopyable, Sendable {
  case none
  /// Released before five seconds.
  case short
  /// Held for five seconds.
  case long
}

/// A button whose contact bounces: decides from its level at any times what a person does with it.
///
/// A level counts when it was the same for 30 ms. The times are those of the samples: a loop that is busy
/// samples later, and recognises a press later or, if it ends in the meantime, not at all.
public struct Button: BitwiseCopyable, Sendable {
  /// The time after which a level counts.
  public static var settlingTime: Interval { .milliseconds(30) }
  /// The duration of a long press.
  public static var longPress: Interval { .seconds(5) }
  /// The duration after which a button is considered stuck.
  public static var stuckTime: Interval { .seconds(60) }

  /// The level that counts.
  private var isDown = false
  private var downSince = Instant.start
  private var hasReportedLong = false
  /// Whether the level of the last sample differed, and since when.
  private var isSettling = false
  private var settlingSince = Instant.start

  /// A button that is not pressed.
  public init() {}

  /// Takes a sample. Returns what has become known with it.
  public mutating func sample(isDown level: Bool, at now: Instant) -> ButtonPress {
    guard level != isDown else {
      isSettling = false
      guard isDown, !hasReportedLong, now.since(downSince) >= Self.longPress else { return .none }
      hasReportedLong = true
      return .long
    }
    guard isSettling else {
      isSettling = true
      settlingSince = now
      return .none
    }
    guard now.since(settlingSince) >= Self.settlingTime else { return .none }
    isSettling = false
    isDown = level
    guard level else { return hasReportedLong ? .none : .short }
    downSince = settlingSince
    hasReportedLong = false
    return .none
  }

  /// Whether the button has been down for `stuckTime`, and was so at the last sample: a person does not hold
  /// it, a bag or a defect does.
  public func isStuck(at now: Instant) -> Bool {
    isDown && !isSettling && now.since(downSince) >= Self.stuckTime
  }

  /// When to sample again: `never` while the button is not pressed, as its pin then ends a sleep.
  public func nextSample(after now: Instant) -> Instant {
    if isSettling { return now + .milliseconds(10) }
    return isDown ? now + .milliseconds(50) : .never
  }
}
