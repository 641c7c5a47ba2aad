/// Seconds in all and in each band of attenuation.
struct ReportSums: Equatable, Sendable {
  /// Seconds with a sign, including those without a measured attenuation.
  var seconds = 0
  /// Seconds in each band, the one of the least attenuation first.
  var bands = [Int](repeating: 0, count: ContactRules.bandCount)

  /// Seconds without a measured attenuation.
  var unmeasured: Int { max(0, seconds - bands.reduce(0) { $0.plus($1) }) }

  /// Adds seconds; `band` is `nil` if no attenuation was measured.
  mutating func add(_ seconds: Int, band: Int?) {
    self.seconds = self.seconds.plus(seconds)
    if let band { bands[band] = bands[band].plus(seconds) }
  }

  static func += (sums: inout ReportSums, other: ReportSums) {
    sums.seconds = sums.seconds.plus(other.seconds)
    for band in sums.bands.indices { sums.bands[band] = sums.bands[band].plus(other.bands[band]) }
  }

  /// Seconds in band `band` and in those of less attenuation.
  func closer(than band: Int) -> Int { bands[...band].reduce(0) { $0.plus($1) } }

  /// The band of the middle second, counted from the least attenuation; `nil` if none was measured.
  var middleBand: Int? {
    let measured = bands.reduce(0) { $0.plus($1) }
    guard measured > 0 else { return nil }
    var sum = 0
    for (band, seconds) in bands.enumerated() {
      sum += seconds
      if sum * 2 >= measured { return band }
    }
    return nil
  }
}

extension Int {
  /// A number of seconds or readings that no log reaches: greater numbers of an archive count as this.
  private static let most = 1 << 48

  /// A count in a column of an archive, whatever number is there.
  init(count row: SQLRow, _ column: Int) {
    self = Swift.min(Swift.max(0, Int(clamping: row.integer(column))), Self.most)
  }

  /// The sum, at most the greatest count.
  func plus(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? Self.most : Swift.min(sum, Self.most)
  }
}

/// Minutes of a civil day in one band: a part of a timeline.
struct ReportRun: Equatable, Sendable {
  /// The band of minutes without a measured attenuation.
  static let unmeasured: UInt8 = UInt8(ContactRules.bandCount)
  /// No sign.
  static let none = UInt8.max

  /// The first minute on a clock of that day, 0…1439.
  var start: Int
  /// The number of minutes.
  var length: Int
  /// The band, counted from the least attenuation; `unmeasured` if no attenuation was measured.
  var band: UInt8

  /// The runs of a day's minutes.
  static func runs(_ minutes: [UInt8]) -> [ReportRun] {
    var runs: [ReportRun] = []
    for (minute, band) in minutes.enumerated() where band != none {
      if let last = runs.last, last.band == band, last.start + last.length == minute {
        runs[runs.count - 1].length += 1
      } else {
        runs.append(ReportRun(start: minute, length: 1, band: band))
      }
    }
    return runs
  }

  /// The runs in steps of some minutes. A step has the closest band of its minutes.
  static func coarse(_ runs: [ReportRun], step: Int) -> [ReportRun] {
    guard step > 1 else { return runs }
    var minutes = [UInt8](repeating: none, count: ReportDay.minutes)
    for run in runs {
      for minute in run.start..<run.start + run.length {
        let first = minute / step * step
        let band = min(minutes[first], run.band)
        for index in first..<min(first + step, minutes.count) { minutes[index] = band }
      }
    }
    return Self.runs(minutes)
  }
}
