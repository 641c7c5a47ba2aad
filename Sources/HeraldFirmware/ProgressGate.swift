import HeraldBluetooth
import HeraldHAL

/// Determines whether the device makes progress: the watchdog is fed only then.
///
/// A running loop is not sufficient. Progress means that
/// - the loop was idle within the last minute: there was no pending work, or a factory reset erased a page;
///   and
/// - the radio is ready, or its state has changed within the last two minutes. The state of a radio whose
///   initialisation fails and is repeated changes; a state that does not change indicates a fault. In safe
///   mode the radio is not checked.
///
/// If the loop hangs, this code does not run, and the watchdog resets the device.
public struct ProgressGate: BitwiseCopyable, Sendable {
  /// The maximum time without an idle loop.
  public static var busyLimit: Interval { .seconds(60) }
  /// The maximum time in a radio state other than ready.
  public static var radioLimit: Interval { .seconds(120) }

  private var rested = Instant.start
  private var state = RadioState.starting
  private var changed = Instant.start

  /// Creates the state after a start.
  public init() {}

  /// Records that the loop was idle.
  public mutating func rested(at now: Instant) { rested = now }

  /// Records the current state of the radio.
  public mutating func saw(_ state: RadioState, at now: Instant) {
    guard state != self.state else { return }
    self.state = state
    changed = now
  }

  /// Whether there is progress; `hasRadio` is `false` in safe mode.
  public func isOpen(at now: Instant, hasRadio: Bool) -> Bool {
    guard now.since(rested) < Self.busyLimit else { return false }
    return !hasRadio || state == .ready || now.since(changed) < Self.radioLimit
  }
}
