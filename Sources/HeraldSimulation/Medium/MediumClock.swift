import HeraldHAL

/// The clock of a device on a medium, with an initial offset and a constant frequency deviation.
struct MediumClock {
  /// The frequency deviation from the medium's time, in ppm; positive values are too fast.
  let deviation: Int
  /// The value at the start of the medium's time, in nanoseconds.
  let offset: Int

  /// The value at a time of the medium, in nanoseconds.
  func local(_ time: Int) -> Int {
    offset + time + time / 1_000_000 * deviation + time % 1_000_000 * deviation / 1_000_000
  }

  /// The value at a time of the medium, in microseconds.
  func shown(_ time: Int) -> RadioTime {
    RadioTime(microseconds: UInt32(truncatingIfNeeded: local(time) / 1000))
  }

  /// The time of the medium at which the clock has the value `time`, which is less than 35 minutes from
  /// `now`.
  func global(_ time: RadioTime, near now: Int) -> Int {
    let shown = local(now)
    let distance = Int(Int32(bitPattern: time.microseconds &- UInt32(truncatingIfNeeded: shown / 1000)))
    let ahead = distance * 1000 - shown % 1000
    // Rounded up, so that the clock has reached `time` and is not one microsecond before it.
    return now + (ahead * 1_000_000 + (ahead > 0 ? 999_999 + deviation : 0)) / (1_000_000 + deviation)
  }
}
