import HeraldHAL

/// The clock of a device on a medium: it starts somewhere, and goes too fast or too slowly.
struct MediumClock {
  /// How much faster it goes than the medium's time, in ppm.
  let deviation: Int
  /// What it shows when the medium's time begins, in nanoseconds.
  let offset: Int

  /// What it shows at a moment of the medium, in nanoseconds.
  func local(_ time: Int) -> Int {
    offset + time + time / 1_000_000 * deviation + time % 1_000_000 * deviation / 1_000_000
  }

  /// What it shows in microseconds.
  func shown(_ time: Int) -> RadioTime {
    RadioTime(microseconds: UInt32(truncatingIfNeeded: local(time) / 1000))
  }

  /// The medium's time at which it shows `time`, which is less than 35 minutes from `now`.
  func global(_ time: RadioTime, near now: Int) -> Int {
    let shown = local(now)
    let distance = Int(Int32(bitPattern: time.microseconds &- UInt32(truncatingIfNeeded: shown / 1000)))
    let ahead = distance * 1000 - shown % 1000
    // Rounded up, so that the clock shows `time` then and not a microsecond less.
    return now + (ahead * 1_000_000 + (ahead > 0 ? 999_999 + deviation : 0)) / (1_000_000 + deviation)
  }
}
