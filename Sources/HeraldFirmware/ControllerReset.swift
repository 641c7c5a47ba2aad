import HeraldBluetooth
import HeraldHAL

/// Asserts the reset line of a controller that HCI_Reset did not recover.
///
/// The radio resets a controller that failed with HCI_Reset by itself, repeatedly (`HCIRadio`). From the
/// second failure in a row on the line is asserted as well, for ten milliseconds, once for each failure.
public struct ControllerReset: BitwiseCopyable, Sendable {
  /// How long the line is asserted.
  public static var width: Interval { .milliseconds(10) }

  /// The action on the line.
  public enum Step: BitwiseCopyable, Sendable {
    /// No change.
    case none
    /// Assert it.
    case hold
    /// Release it.
    case release
  }

  /// How often the line was asserted.
  public private(set) var count: UInt32 = 0
  private var failures: UInt8 = 0
  private var state = RadioState.starting
  private var heldUntil = Instant.start
  private var isHeld = false

  /// The line of a controller that has just been switched on.
  public init() {}

  /// The action on the line for the present state of the radio.
  public mutating func step(_ state: RadioState, at now: Instant) -> Step {
    // The usual case.
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

  /// When the next action is due, without any event.
  public var deadline: Instant { isHeld ? heldUntil : .never }
}
