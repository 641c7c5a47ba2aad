import HeraldBluetooth
import HeraldHAL

/// When and how to scan, and the last command to the radio.
struct Scanning: BitwiseCopyable {
  private var schedule: ScanSchedule
  private var shown: ScanParameters?
  /// The rounds, if scanning is in rounds.
  var rounds: ScanRounds

  /// Not scanning.
  init(_ timing: ScanTiming) {
    schedule = ScanSchedule(timing)
    shown = nil
    rounds = ScanRounds()
  }

  /// Whether to scan now, and until when that holds. `isBlocked`: the radio cannot.
  mutating func plan(isBlocked: Bool, at now: Instant) -> ScanSchedule.Plan {
    schedule.next(at: now, blocked: isBlocked)
  }

  /// For how long at most a radio that cannot scan at the same time may try to connect; `nil` if it may not.
  mutating func attemptLimit(at now: Instant) -> Instant? { schedule.attemptLimit(at: now) }

  /// Whether the radio needs a command with these parameters, as it scans with others or not at all.
  func isNew(_ parameters: ScanParameters) -> Bool { parameters != shown }

  /// The radio scans with these parameters.
  mutating func started(_ parameters: ScanParameters) { shown = parameters }

  /// Scanning is to end: whether the radio needs a command.
  mutating func stop() -> Bool {
    guard shown != nil else { return false }
    shown = nil
    return true
  }

  /// The radio was reset, or stopped: the present scan has ended.
  mutating func radioForgot(at now: Instant) {
    shown = nil
    schedule.radioForgot(at: now)
  }
}
