import HeraldEmbedded

/// `statistics.csv`: for every payload met, the seconds between one sign of it and the next (HP-47).
///
/// A sign is the reading of a payload, a measurement of a peer whose payload was read before, or a share. Payloads appear
/// from the third sign on, which is when two intervals make a standard deviation; the device's own never does.
public struct StatisticsCSV {
  /// The first line.
  public static let header = "payload,count,mean,sd,min,max\n"

  /// Count, mean, variance and extremes of numbers that come one by one (Welford's method, in the order of operations the
  /// phones use, so that the last digit agrees).
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

  private var payloadOfPeer: [TargetIdentity: String] = [:]
  private var lastSign: [String: UInt64] = [:]
  private var samples: [String: Sample] = [:]

  /// Nothing met yet.
  public init() {}

  /// Takes the next event, in the order of time.
  public mutating func add(_ event: DatedEvent) {
    switch event.kind {
    case .read(let payload):
      let short = ShortPayload.text(payload)
      payloadOfPeer[event.peer] = short
      sign(of: short, at: event.unixMilliseconds)
    case .measured:
      if let short = payloadOfPeer[event.peer] { sign(of: short, at: event.unixMilliseconds) }
    case .shared(let payload): sign(of: ShortPayload.text(payload), at: event.unixMilliseconds)
    case .detected, .heraldDetected, .lost, .visited: break
    }
  }

  private mutating func sign(of short: String, at moment: UInt64) {
    if let last = lastSign[short] {
      let milliseconds = Double(moment) - Double(last)
      samples[short, default: Sample()].add(milliseconds / 1000)
    }
    lastSign[short] = moment
  }

  /// The whole file, without the payloads whose short forms are in `own`.
  public func text(own: Set<String>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(Self.header)
    for (short, sample) in samples.sorted(by: { Self.precedes($0.key, $1.key) }) where !own.contains(short) {
      guard let deviation = sample.standardDeviation else { continue }
      csv.value(short)
      csv.raw(",\(sample.count)")
      for number in [sample.mean, deviation, sample.least, sample.most] {
        csv.comma()
        csv.raw(JavaNumber.text(number))
      }
      csv.endLine()
    }
    return csv.bytes
  }

  /// The order of Java's `String.compareTo`.
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf16.lexicographicallyPrecedes(right.utf16)
  }
}
