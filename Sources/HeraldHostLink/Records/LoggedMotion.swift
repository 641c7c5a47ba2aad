import HeraldEmbedded

/// A change of the state of a device's motion sensor, from the log.
public struct LoggedMotion: Equatable, Sendable {
  /// The date in milliseconds since 1970-01-01T00:00:00Z.
  public let unixMilliseconds: UInt64
  /// The state from this time on.
  public let state: MotionState

  /// Initialises each member.
  public init(unixMilliseconds: UInt64, state: MotionState) {
    self.unixMilliseconds = unixMilliseconds
    self.state = state
  }
}

extension MotionState {
  /// The name of the state in tables and reports.
  public var name: String {
    switch self {
    case .worn: "worn"
    case .lying: "lying"
    case .unknown: "unknown"
    }
  }
}
