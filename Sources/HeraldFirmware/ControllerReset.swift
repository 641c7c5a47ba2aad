import HeraldBluetooth
import HeraldHAL

/// Pulls the reset line of a controller that an HCI_Reset did not bring back.
///
/// The radio resets a controller that failed with HCI_Reset by itself, again and again (`HCIRadio`). From the
/// second failure in a row on the line is pulled as well, for ten milliseconds, once for each failure.
public struct ControllerReset: BitwiseCopyable, Sendable {
  /// How long the line is held.
  public static var width: Interval { .milliseconds(10) }

  /// What is to be done to the line.
  public enum Step: BitwiseCopyable, Sendable {
    /// Leave it as it is.
    case none
    /// Pull it.
    case hold
    /// Let it go.
    case release
  }

  /// How often the line was pulled.
  public private(set) var count: UInt32 = 0
  private var failures: UInt8 = 0
  private var state = RadioState.starting
  private var heldUntil = Instant.start
  private var isHeld = false

  /// The line of a controller that has just been switched on.
  public init() {}

  /// What to do about the line, given the state of the radio now.
  public mutating func step(_ state: RadioState, at now: Instant) -> Step {
    // So it is nearly always.
    if state == self.state, !isHeld { return .none }
    let hasFailed = state == .failed && self.state != .failed
    self.state = state
    if state == .ready { failures = 0 }
    if isHeld {
      guard now >= heldUntil else { return .none }
      isHeld = false
      return .release
    }
    guard hasFailed else { return .none }
    if failures < .max { failures &+= 1 }
    guard failures >= 2 else { return .none }
    isHeld = true
    heldUntil = now + Self.width
    count &+= 1
    return .hold
  }

  /// When there is something to do next, if nothing else happens.
  public var deadline: Instant { isHeld ? heldUntil : .never }
}
