/// `statistics.csv`: for every payload detected, statistics of the intervals in seconds between its signs
/// (HP-47).
///
/// A sign is the reading of a payload, a measurement of a peer whose payload was read before, or a share. A
/// payload is listed from its third sign on, as two intervals are required for a standard deviation; the
/// device's own payload is not listed.
public enum StatisticsCSV {
  /// The header line.
  public static let header = "payload,count,mean,sd,min,max\n"

  /// Count, mean, variance and extremes of numbers in sequence (Welford's method, with the same order of
  /// operations as phones, so that the last digit agrees).
  struct Sample {
    var count = 0
    var mean = 0.0
    var squares = 0.0
    var least = Double.greatestFiniteMagnitude
    var most = -Double.greatestFiniteMagnitude

    mutating func add(_ value: Double) {
      let before = Double(count)
      count += 1
      let difference = value - mean
      let step = difference / Double(count)
      mean += step
      squares += difference * step * before
      least = min(least, value)
      most = max(most, value)
    }

    /// Square root of the sample variance; `nil` with fewer than two numbers.
    var standardDeviation: Double? { count > 1 ? (squares / Double(count - 1)).squareRoot() : nil }
  }

  /// Appends the line of a payload, by its short form, if there are at least two intervals.
  static func append(_ short: String, _ sample: Sample, to csv: inout CSVText) {
    guard let deviation = sample.standardDeviation else { return }
    csv.value(short)
    csv.raw(",\(sample.count)")
    for number in [sample.mean, deviation, sample.least, sample.most] {
      csv.comma()
      csv.raw(JavaNumber.text(number))
    }
    csv.endLine()
  }

  /// The order of Java's `String.compareTo`.
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf16.lexicographicallyPrecedes(right.utf16)
  }
}
