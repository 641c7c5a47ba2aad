import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// The readings and payload reads of every ordered pair of a crowd, compared with the times in range.
///
/// Times are milliseconds since the start. In a pair, the first is a device that reads, the second a device
/// or phone that is read. Phones are numbered after the devices and do not read payloads.
public final class CrowdRecord {
  private let devices: Int
  private let count: Int
  /// Readings of each pair in the current window.
  private let heard: UnsafeMutablePointer<UInt16>
  /// The time at which each pair came into range; −1 if it is out of range.
  private let entered: UnsafeMutablePointer<Int32>
  /// The time at which the payload was first read; −1 before.
  private let read: UnsafeMutablePointer<Int32>
  /// Whether the first encounter of each pair has been evaluated.
  private let isSettled: UnsafeMutablePointer<Bool>

  /// The sender of the advertisement that is being delivered.
  public var sender = -1
  /// The current time in milliseconds.
  public var now: Int32 = 0
  /// The number of payloads reported to the delegates.
  public private(set) var reads: UInt64 = 0
  /// The results between devices.
  public private(set) var amongDevices = CrowdTally()
  /// The results between devices and phones.
  public private(set) var withPhones = CrowdTally()

  /// The length of a window in milliseconds.
  public let window: Int32
  /// The time limit for reading a payload, in milliseconds.
  public static var readLimit: Int32 { 30_000 }

  /// Creates an empty record.
  init(devices: Int, phones: Int = 0, windowSeconds: Int = 30) {
    window = Int32(clamping: max(1, windowSeconds) * 1000)
    self.devices = devices
    count = devices + phones
    let pairs = devices * count
    heard = .allocate(capacity: pairs)
    entered = .allocate(capacity: pairs)
    read = .allocate(capacity: pairs)
    isSettled = .allocate(capacity: pairs)
    heard.initialize(repeating: 0, count: pairs)
    entered.initialize(repeating: -1, count: pairs)
    read.initialize(repeating: -1, count: pairs)
    isSettled.initialize(repeating: false, count: pairs)
  }

  deinit {
    heard.deallocate()
    entered.deallocate()
    read.deallocate()
    isSettled.deallocate()
  }

  // MARK: Events of devices

  /// Records an RSSI reading that was measured and logged by `device`.
  @inline(__always)
  func measured(by device: Int) {
    guard sender >= 0 else { return }
    let pair = device &* count &+ sender
    if heard[pair] < .max { heard[pair] &+= 1 }
  }

  /// Records that `device` has read the payload of `peer`.
  func didRead(_ peer: Int, by device: Int) {
    reads &+= 1
    guard peer >= 0, peer < count, peer != device else { return }
    let pair = device * count + peer
    guard read[pair] < 0 else {
      change(pair) { $0.rereads &+= 1 }
      return
    }
    read[pair] = now
    if entered[pair] >= 0, !isSettled[pair] { settle(pair, after: now - entered[pair]) }
  }

  // MARK: Actual range

  /// Sets whether `peer` is in range of `device`.
  func set(_ device: Int, _ peer: Int, isInRange: Bool) {
    guard device < devices else { return }
    let pair = device * count + peer
    guard (entered[pair] >= 0) != isInRange else { return }
    if isInRange {
      entered[pair] = now
      // The payload was read before the pair came into range.
      if read[pair] >= 0, !isSettled[pair] { settle(pair, after: 0) }
    } else {
      leave(pair)
      entered[pair] = -1
    }
  }

  /// Ends the current window.
  func endWindow() {
    for pair in 0..<(devices * count) {
      let since = entered[pair]
      if since >= 0, since <= now - window { change(pair) { $0.endWindow(heard: heard[pair]) } }
      heard[pair] = 0
    }
  }

  /// Ends the run: all open encounters end.
  func finish() {
    for pair in 0..<(devices * count) where entered[pair] >= 0 { leave(pair) }
  }

  private func leave(_ pair: Int) {
    // Encounters shorter than the time limit are not evaluated; a later one of the pair is.
    guard !isSettled[pair], now - entered[pair] >= Self.readLimit else { return }
    isSettled[pair] = true
    change(pair) { $0.encounters &+= 1 }
  }

  private func settle(_ pair: Int, after delay: Int32) {
    isSettled[pair] = true
    change(pair) { $0.settle(after: delay) }
  }

  @inline(__always)
  private func change(_ pair: Int, _ body: (inout CrowdTally) -> Void) {
    if pair % count < devices { body(&amongDevices) } else { body(&withPhones) }
  }
}

/// The delegate of a device, which reports its readings and payload reads to the record.
public struct CrowdDelegate: SensorDelegate {
  let record: CrowdRecord
  let device: Int

  /// Records an RSSI reading.
  public mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    record.measured(by: device)
  }

  /// Records that a payload was read: the fixed payload with the number of the device or phone.
  public mutating func didRead(
    _ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant
  ) {
    var reader = ByteReader(payload)
    guard reader.skip(5), let identifier = reader.u64() else { return }
    record.didRead(Int(clamping: identifier) - 1, by: device)
  }
}
