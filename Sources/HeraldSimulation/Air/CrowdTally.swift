/// What a crowd comes to: windows, encounters, and how long payloads took. Devices and phones that are met
/// are counted apart.
public struct CrowdTally: Sendable {
  /// Payloads read that the device had read before, under whichever address.
  public internal(set) var rereads: UInt64 = 0
  /// Whole windows of pairs in range, and those with a reading.
  public internal(set) var windows: UInt64 = 0
  /// See `windows`.
  public internal(set) var windowsWithReading: UInt64 = 0
  /// Readings in such windows.
  public internal(set) var readings: UInt64 = 0
  /// First encounters that lasted long enough to be judged, and those in which the payload was read in time,
  /// or at all.
  public internal(set) var encounters: UInt64 = 0
  /// See `encounters`.
  public internal(set) var readInTime: UInt64 = 0
  /// See `encounters`.
  public internal(set) var readAtAll: UInt64 = 0
  /// The longest time from entering range until the payload was read, in milliseconds.
  public internal(set) var longestDelay: Int32 = 0
  /// How many first encounters took how long until the payload was read, in tenths of a second.
  private var delays: [UInt32] = Array(repeating: 0, count: 6001)

  init() {}

  /// A window of a pair in range is over.
  mutating func endWindow(heard: UInt16) {
    windows &+= 1
    readings &+= UInt64(heard)
    if heard > 0 { windowsWithReading &+= 1 }
  }

  /// A payload was read for the first time, so long after entering range.
  mutating func settle(after delay: Int32) {
    encounters &+= 1
    readAtAll &+= 1
    if delay <= CrowdRecord.window { readInTime &+= 1 }
    longestDelay = max(longestDelay, delay)
    delays[min(6000, Int((delay + 99) / 100))] &+= 1
  }

  /// Seconds within which a share of the payloads that were read were read, in steps of a tenth, and never
  /// more than the longest; 600 stands for 600 and more.
  func delay(share: Double) -> Double {
    let total = delays.reduce(UInt64(0)) { $0 + UInt64($1) }
    var sum: UInt64 = 0
    for (tenths, number) in delays.enumerated() {
      sum += UInt64(number)
      guard total > 0, Double(sum) >= share * Double(total) else { continue }
      // A step is rounded up: the longest may lie within it.
      return min(Double(tenths) / 10, Double(longestDelay) / 1000)
    }
    return 0
  }
}
