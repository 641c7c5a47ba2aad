import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// What every device of a crowd has heard and read of every other, and of every phone, against who was in
/// whose range.
///
/// Times are milliseconds since the beginning. Pairs are ordered: one device reads, the other, or the phone,
/// is read. Phones are numbered after the devices, and do not read payloads.
public final class CrowdRecord {
  private let devices: Int
  private let count: Int
  /// Readings of the pair in the present window.
  private let heard: UnsafeMutablePointer<UInt16>
  /// Since when the pair is in range; −1 if it is not.
  private let entered: UnsafeMutablePointer<Int32>
  /// When the payload was read first; −1 before.
  private let read: UnsafeMutablePointer<Int32>
  /// Whether the first encounter of the pair is over.
  private let isSettled: UnsafeMutablePointer<Bool>

  /// Whose advertisement the radio is handing over.
  public var sender = -1
  /// The present time in milliseconds.
  public var now: Int32 = 0
  /// Payloads that reached the delegates.
  public private(set) var reads: UInt64 = 0
  /// What became of meetings of devices with devices.
  public private(set) var amongDevices = CrowdTally()
  /// What became of meetings of devices with phones.
  public private(set) var withPhones = CrowdTally()

  /// How long a window is, and how soon a payload is to be read, in milliseconds.
  public static var window: Int32 { 30_000 }

  /// A record without encounters.
  init(devices: Int, phones: Int = 0) {
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

  /// An RSSI was measured and logged by `device`.
  @inline(__always)
  func measured(by device: Int) {
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
      change(pair) { $0.rereads &+= 1 }
      return
    }
    read[pair] = now
    if entered[pair] >= 0, !isSettled[pair] { settle(pair, after: now - entered[pair]) }
  }

  // MARK: Actual range

  /// Says whether a device has a peer in range now.
  func set(_ device: Int, _ peer: Int, isInRange: Bool) {
    guard device < devices else { return }
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
    for pair in 0..<(devices * count) {
      let since = entered[pair]
      if since >= 0, since <= now - Self.window { change(pair) { $0.endWindow(heard: heard[pair]) } }
      heard[pair] = 0
    }
  }

  /// Ends the run: all open encounters end.
  func finish() {
    for pair in 0..<(devices * count) where entered[pair] >= 0 { leave(pair) }
  }

  private func leave(_ pair: Int) {
    // A shorter encounter is not counted; the next one is.
    guard !isSettled[pair], now - entered[pair] >= Self.window else { return }
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

/// Notes for the record what one device's sensor reports.
public struct CrowdDelegate: SensorDelegate {
  let record: CrowdRecord
  let device: Int

  /// An RSSI was measured.
  public mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    record.measured(by: device)
  }

  /// A payload was read: the fixed payload of the device or phone whose number it holds.
  public mutating func didRead(
    _ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant
  ) {
    var reader = ByteReader(payload)
    guard reader.skip(5), let identifier = reader.u64() else { return }
    record.didRead(Int(clamping: identifier) - 1, by: device)
  }
}
