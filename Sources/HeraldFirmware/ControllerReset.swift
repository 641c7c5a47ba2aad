import HeraldBluetooth
import HeraldHAL

/// Controls the reset line of a controller that HCI_Reset did not recover.
///
/// After a failure the radio sends HCI_Reset, repeatedly (`HCIRadio`). From the second consecutive failure
/// on, the reset line is asserted as well, for ten milliseconds, once for each failure.
public struct ControllerReset: BitwiseCopyable, Sendable {
  /// The duration of the reset pulse.
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

  /// The number of reset pulses.
  public private(set) var count: UInt32 = 0
  private var failures: UInt8 = 0
  private var state = RadioState.starting
  private var heldUntil = Instant.start
  private var isHeld = false

  /// Creates the state after power-on.
  public init() {}

  /// The action on the line for the present state of the radio.
  public mutating func step(_ state: RadioState, at now: Instant) -> Step {
    // The most frequent case.
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

  /// The time of the next action if no event occurs.
  public var deadline: Instant { isHeld ? heldUntil : .never }
}
