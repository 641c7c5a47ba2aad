/// The results of a crowd: windows, encounters, and times until payloads were read. Devices and phones as
/// peers have separate tallies.
public struct CrowdTally: Sendable {
  /// The number of reads of payloads that the device had read before, under any address.
  public internal(set) var rereads: UInt64 = 0
  /// The number of complete windows of pairs in range.
  public internal(set) var windows: UInt64 = 0
  /// The number of those windows with at least one reading.
  public internal(set) var windowsWithReading: UInt64 = 0
  /// The number of readings in such windows.
  public internal(set) var readings: UInt64 = 0
  /// The number of first encounters of sufficient duration.
  public internal(set) var encounters: UInt64 = 0
  /// The number of those encounters in which the payload was read within the time limit.
  public internal(set) var readInTime: UInt64 = 0
  /// The number of those encounters in which the payload was read.
  public internal(set) var readAtAll: UInt64 = 0
  /// The maximum time from entering range until the payload was read, in milliseconds.
  public internal(set) var longestDelay: Int32 = 0
  /// Histogram of the time until the payload was read in first encounters, in steps of 0.1 s.
  private var delays: [UInt32] = Array(repeating: 0, count: 6001)

  init() {}

  /// Adds a window of a pair in range.
  mutating func endWindow(heard: UInt16) {
    windows &+= 1
    readings &+= UInt64(heard)
    if heard > 0 { windowsWithReading &+= 1 }
  }

  /// Adds a first read, `delay` milliseconds after entering range.
  mutating func settle(after delay: Int32) {
    encounters &+= 1
    readAtAll &+= 1
    if delay <= CrowdRecord.readLimit { readInTime &+= 1 }
    longestDelay = max(longestDelay, delay)
    delays[min(6000, Int((delay + 99) / 100))] &+= 1
  }

  /// The quantile of the time until a payload was read, in seconds, rounded up to 0.1 s and at most the
  /// maximum; 600 represents 600 and more.
  func delay(share: Double) -> Double {
    let total = delays.reduce(UInt64(0)) { $0 + UInt64($1) }
    var sum: UInt64 = 0
    for (tenths, number) in delays.enumerated() {
      sum += UInt64(number)
      guard total > 0, Double(sum) >= share * Double(total) else { continue }
      // A step is rounded up: the maximum may be less than its end.
      return min(Double(tenths) / 10, Double(longestDelay) / 1000)
    }
    return 0
  }
}
