import HeraldBluetooth
import HeraldHAL

/// Whether the device makes progress: the watchdog is fed only then.
///
/// A running loop is not sufficient. Progress means that
/// - the loop was idle within the last minute: there was a moment without pending work, or a factory reset
///   erased a page; and
/// - the radio is ready, or its state has changed within the last two minutes: one that is being brought up
///   again, and fails, and is tried again, goes from state to state; one whose state does not change is
///   stuck. In safe mode the radio is not checked.
///
/// This code does not run at all if the loop hangs; the watchdog then resets.
public struct ProgressGate: BitwiseCopyable, Sendable {
  /// How long the loop may be busy without an idle moment.
  public static var busyLimit: Interval { .seconds(60) }
  /// How long the radio may stay in a state other than ready.
  public static var radioLimit: Interval { .seconds(120) }

  private var rested = Instant.start
  private var state = RadioState.starting
  private var changed = Instant.start

  /// A device that has just started.
  public init() {}

  /// The loop was idle.
  public mutating func rested(at now: Instant) { rested = now }

  /// The state in which the radio is.
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
