import HeraldHostLink

/// By how much the dates of a device are wrong in a time of its own clock.
struct ClockCorrection: Equatable, Sendable {
  /// The first and the last date by the device's clock, in milliseconds since 1970-01-01T00:00:00Z.
  let dates: ClosedRange<Int64>
  /// Milliseconds to add.
  let shift: Int64

  /// A date with the correction of its time, if there is one.
  static func apply(_ corrections: [ClockCorrection], to date: Int64) -> Int64 {
    guard let correction = corrections.first(where: { $0.dates.contains(date) }) else { return date }
    let (sum, overflow) = date.addingReportingOverflow(correction.shift)
    return overflow ? date : min(max(sum, 0), Int64(UTCTimestamp.latest))
  }
}

/// What an archive knows of a device's clock beside its pages.
struct DeviceClock: Sendable {
  /// Dates that a computer noted at a pull.
  var fixes: [DeviceRecord.ClockFix] = []
  /// Corrections of times that do not overlap.
  var corrections: [ClockCorrection] = []
}
