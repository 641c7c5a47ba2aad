import HeraldBluetooth
import HeraldHAL

/// When and how it is scanned, and what the radio was told of that.
@usableFromInline
struct Scanning: BitwiseCopyable {
  private var schedule: ScanSchedule
  private var shown: ScanParameters?

  /// It is not scanned.
  @usableFromInline
  init(_ timing: ScanTiming) {
    schedule = ScanSchedule(timing)
    shown = nil
  }

  /// Whether to scan now, and until when that holds. `isBlocked` says that the radio cannot.
  @usableFromInline
  mutating func plan(isBlocked: Bool, at now: Instant) -> ScanSchedule.Plan {
    schedule.next(at: now, blocked: isBlocked)
  }

  /// For how long at most a radio that cannot scan meanwhile may try to connect; `nil` if it may not.
  @usableFromInline
  mutating func attemptLimit(at now: Instant) -> Instant? { schedule.attemptLimit(at: now) }

  /// Whether the radio is to be told these parameters, as it has others or does not scan.
  @usableFromInline
  func isNew(_ parameters: ScanParameters) -> Bool { parameters != shown }

  /// The radio scans with these parameters.
  @usableFromInline
  mutating func started(_ parameters: ScanParameters) { shown = parameters }

  /// It is to be scanned no more: whether the radio has to be told.
  @usableFromInline
  mutating func stop() -> Bool {
    guard shown != nil else { return false }
    shown = nil
    return true
  }

  /// The radio was reset, or told to be silent: the present stretch of scanning is over.
  @usableFromInline
  mutating func radioForgot(at now: Instant) {
    shown = nil
    schedule.radioForgot(at: now)
  }
}
