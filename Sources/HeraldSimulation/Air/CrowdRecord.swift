import HeraldEmbedded

/// What every device of a crowd has heard and read of every other, against who was in whose range.
///
/// Times are milliseconds since the beginning. Pairs are ordered: one device reads, the other is read.
public final class CrowdRecord {
  private let count: Int
  /// Readings of the pair in the present window.
  private let heard: UnsafeMutablePointer<UInt16>
  /// Since when the pair is in range; −1 if it is not.
  private let entered: UnsafeMutablePointer<Int32>
  /// When the payload was read first; −1 before.
  private let read: UnsafeMutablePointer<Int32>
  /// Whether the first encounter of the pair is over.
  private let isSettled: UnsafeMutablePointer<Bool>
  /// How many first encounters took how long until the payload was read, in tenths of a second.
  private var delays: [UInt32] = Array(repeating: 0, count: 6001)

  /// Whose advertisement the radio is handing over.
  public var sender = -1
  /// The present time in milliseconds.
  public var now: Int32 = 0
  /// Readings that reached the delegates.
  public private(set) var readings: UInt64 = 0
  /// Of these, readings in whole windows of pairs in range.
  public private(set) var readingsInRange: UInt64 = 0
  /// Payloads that reached the delegates.
  public private(set) var reads: UInt64 = 0
  /// Of these, such as the device had read before, under whichever address.
  public private(set) var rereads: UInt64 = 0
  /// Whole windows of pairs in range, and those with a reading.
  public private(set) var windows: UInt64 = 0
  /// See `windows`.
  public private(set) var windowsWithReading: UInt64 = 0
  /// First encounters that lasted long enough to be judged, and those in which the payload was read in time, or at all.
  public private(set) var encounters: UInt64 = 0
  /// See `encounters`.
  public private(set) var readInTime: UInt64 = 0
  /// See `encounters`.
  public private(set) var readAtAll: UInt64 = 0
  /// The longest time from entering range until the payload was read, in milliseconds.
  public private(set) var longestDelay: Int32 = 0

  /// How long a window is, and how soon a payload is to be read, in milliseconds.
  public static var window: Int32 { 30_000 }

  /// Nobody has met anybody.
  init(count: Int) {
    self.count = count
    heard = .allocate(capacity: count * count)
    entered = .allocate(capacity: count * count)
    read = .allocate(capacity: count * count)
    isSettled = .allocate(capacity: count * count)
    heard.initialize(repeating: 0, count: count * count)
    entered.initialize(repeating: -1, count: count * count)
    read.initialize(repeating: -1, count: count * count)
    isSettled.initialize(repeating: false, count: count * count)
  }

  deinit {
    heard.deallocate()
    entered.deallocate()
    read.deallocate()
    isSettled.deallocate()
  }

  // MARK: What devices notice

  /// A strength was measured and logged by `device`.
  @inline(__always)
  func measured(by device: Int) {
    readings &+= 1
    guard sender >= 0 else { return }
    let pair = device &* count &+ sender
    if heard[pair] < .max { heard[pair] &+= 1 }
  }

  /// The payload of `peer` was read by `device`.
  func didRead(_ peer: Int, by device: Int) {
    reads &+= 1
    guard peer >= 0, peer < count, peer != device else { return }
    let pair = device * count + peer
    guard read[pair] < 0 else {
      rereads &+= 1
      return
    }
    read[pair] = now
    if entered[pair] >= 0, !isSettled[pair] { settle(pair, after: now - entered[pair]) }
  }

  // MARK: What is so

  /// Says whether a pair is in range now.
  func set(_ device: Int, _ peer: Int, isInRange: Bool) {
    let pair = device * count + peer
    guard (entered[pair] >= 0) != isInRange else { return }
    if isInRange {
      entered[pair] = now
      // Known from beyond the range.
      if read[pair] >= 0, !isSettled[pair] { settle(pair, after: 0) }
    } else {
      leave(pair)
      entered[pair] = -1
    }
  }

  /// A window is over.
  func endWindow() {
    for pair in 0..<(count * count) {
      let since = entered[pair]
      if since >= 0, since <= now - Self.window {
        windows &+= 1
        if heard[pair] > 0 { windowsWithReading &+= 1 }
        readingsInRange &+= UInt64(heard[pair])
      }
      heard[pair] = 0
    }
  }

  /// The end: whoever is in range leaves it.
  func finish() {
    for pair in 0..<(count * count) where entered[pair] >= 0 { leave(pair) }
  }

  private func leave(_ pair: Int) {
    // An encounter that was shorter says nothing; the next one counts.
    guard !isSettled[pair], now - entered[pair] >= Self.window else { return }
    isSettled[pair] = true
    encounters &+= 1
  }

  private func settle(_ pair: Int, after delay: Int32) {
    isSettled[pair] = true
    encounters &+= 1
    readAtAll &+= 1
    if delay <= Self.window { readInTime &+= 1 }
    longestDelay = max(longestDelay, delay)
    delays[min(6000, Int((delay + 99) / 100))] &+= 1
  }

  /// Seconds within which a share of the payloads that were read were read; 600 stands for 600 and more.
  func delay(share: Double) -> Double {
    let total = delays.reduce(UInt64(0)) { $0 + UInt64($1) }
    var sum: UInt64 = 0
    for (tenths, number) in delays.enumerated() {
      sum += UInt64(number)
      if total > 0, Double(sum) >= share * Double(total) { return Double(tenths) / 10 }
    }
    return 0
  }
}

/// Notes for the record what one device's sensor reports.
public struct CrowdDelegate: SensorDelegate {
  let record: CrowdRecord
  let device: Int

  /// A strength was measured.
  public mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    record.measured(by: device)
  }

  /// A payload was read: the fixed payload of the device whose number it holds.
  public mutating func didRead(
    _ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant
  ) {
    var reader = ByteReader(payload)
    guard reader.skip(5), let identifier = reader.u64() else { return }
    record.didRead(Int(identifier) - 1, by: device)
  }
}
