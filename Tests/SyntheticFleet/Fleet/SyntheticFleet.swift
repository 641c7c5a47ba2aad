import Dispatch
import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import HeraldSimulation

/// The logs of many badges in a made-up hospital, as pulls would leave them: the same every time.
///
/// Wards have twenty badges each, which are worn for ten hours a day. In each half hour a badge is in one of
/// the seven rooms of its ward, sometimes in another ward, and receives most badges in the same room in
/// each scan window of 1.2 s, of which there are two a minute. All pages are written by the device's own
/// encoder.
public struct SyntheticFleet: Sendable {
  /// The number of badges.
  public let devices: Int
  /// The number of days.
  public let days: Int
  /// The half hours of a day in which badges are worn.
  let halfHours: Int
  /// The scan windows of a half hour.
  private let windows: Int

  static let epoch: UInt32 = 0xF1EE7
  /// 2026-09-14 07:00 UTC, a Monday: the beginning of the first shift.
  public static let begin: UInt64 = 1_789_369_200_000
  private static let wardSize = 20
  private static let rooms = 7
  /// The badges in each room, for each time.
  private let rooms: [[UInt16: [UInt16]]]

  /// A fleet of at most 65,535 badges, which are worn for so many minutes a day: less than 30, or a multiple
  /// of it.
  public init(devices: Int, days: Int, minutes: Int = 600) {
    self.devices = min(devices, 65_535)
    self.days = days
    halfHours = max(1, min(minutes, 1440) / 30)
    windows = 2 * min(minutes, 30)
    var rooms: [[UInt16: [UInt16]]] = []
    for slot in 0..<days * self.halfHours {
      var occupants: [UInt16: [UInt16]] = [:]
      for device in 0..<self.devices {
        occupants[Self.room(device, slot, of: self.devices), default: []].append(UInt16(device))
      }
      rooms.append(occupants)
    }
    self.rooms = rooms
  }

  /// The serial number of a badge.
  public static func serial(_ device: Int) -> String {
    let number = String(device)
    return "F1EE7" + String(repeating: "0", count: max(0, 5 - number.count)) + number
  }

  /// The payload that a badge sends. The state is its number, so that short forms differ.
  public static func payload(_ device: Int) -> [UInt8] {
    [0x10, 0x3A, 0x03, UInt8(device & 0xFF), UInt8(device >> 8 & 0xFF)] + serial(device).utf8
  }

  private static func mixed(_ one: Int, _ other: Int) -> UInt64 {
    var value = UInt64(truncatingIfNeeded: one) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: other)
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  private static func room(_ device: Int, _ slot: Int, of devices: Int) -> UInt16 {
    let chance = mixed(device, slot)
    let wards = (devices + wardSize - 1) / wardSize
    // Two of a hundred are visiting.
    let ward = chance % 100 < 2 ? Int(chance >> 8) % wards : device / wardSize
    return UInt16(truncatingIfNeeded: ward * rooms + Int(chance >> 32) % rooms)
  }

  /// Writes the folder of each badge into `path`, named for its serial number.
  /// - Returns: the number of readings in all of them.
  public func write(to path: String) throws -> Int {
    nonisolated(unsafe) var counts = [Int](repeating: 0, count: devices)
    nonisolated(unsafe) var failure: (any Error)?
    let lock = NSLock()
    let fleet = self
    DispatchQueue.concurrentPerform(iterations: devices) { device in
      do {
        let count = try fleet.write(device, to: "\(path)/\(Self.serial(device))")
        lock.withLock { counts[device] = count }
      } catch {
        lock.withLock { failure = error }
      }
    }
    if let failure { throw failure }
    return counts.reduce(0, +)
  }

  private func write(_ device: Int, to path: String) throws -> Int {
    try FileManager.default.createDirectory(atPath: path + "/pages", withIntermediateDirectories: true)
    var badge = SyntheticBadge(device)
    for slot in rooms.indices {
      try badge.begin(slot, halfHours: halfHours)
      let room = Self.room(device, slot, of: devices)
      for peer in rooms[slot][room] ?? [] where Int(peer) != device {
        try badge.meet(Int(peer), level: Int(Self.mixed(device ^ Int(peer), slot) % 25), windows: windows)
      }
    }
    for page in try badge.pages() {
      let name = PageName(epoch: Self.epoch, sequence: page.sequence, isOpen: page.isOpen)
      try Data(page.bytes).write(to: URL(fileURLWithPath: "\(path)/pages/\(name.fileName)"))
    }
    var record = DeviceRecord()
    record.serial = Self.serial(device)
    record.name = "Herald badge"
    record.note(epoch: Self.epoch)
    try JSONEncoder().encode(record).write(to: URL(fileURLWithPath: path + "/device.json"))
    return badge.readings
  }
}

/// One badge of the fleet and its log.
struct SyntheticBadge: ~Copyable {
  private static let slot: UInt64 = 1_800_000

  private let device: Int
  private var log = BadgeLog(epoch: SyntheticFleet.epoch, pageCount: 256)
  private var state: UInt64
  /// What is heard in the present half hour: when, from whom, how strongly.
  private var pending: [(at: UInt64, peer: Int, rssi: Int)] = []
  private var begin: UInt64 = 0

  /// The number of readings.
  var readings: Int { log.readings }

  init(_ device: Int) {
    self.device = device
    state = UInt64(device) &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  private mutating func chance(_ bound: UInt64) -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) % bound
  }

  mutating func begin(_ slot: Int, halfHours: Int) throws {
    try hear()
    let day = UInt64(slot / halfHours)
    begin = day * 86_400_000 + UInt64(slot % halfHours) * Self.slot
    if slot == 0 {
      try log.start(at: 0, date: SyntheticFleet.begin)
      try log.append(.ownPayload, SyntheticFleet.payload(device), at: 0)
    }
    if slot % halfHours == 0 {
      try log.append(.battery(level: UInt8(100 - min(99, day * 3)), external: false), at: begin)
    }
  }

  mutating func meet(_ peer: Int, level: Int, windows: Int) throws {
    for part in 0..<windows where chance(10) > 0 {
      let at = begin + UInt64(part) * 30_000 + UInt64(device % 280) * 100 + chance(120) * 10
      pending.append((at, peer, -48 - level - Int(chance(6)) - Int(chance(6))))
    }
  }

  private mutating func hear() throws {
    for (at, peer, rssi) in pending.sorted(by: { $0.at < $1.at }) {
      // An address lasts a quarter of an hour.
      let period = (at + UInt64(peer) * 90_000) / 900_000
      let target = TargetIdentity(
        kind: .randomAddress, high: 0x4000 + UInt16(peer & 0xFFF),
        low: UInt32(truncatingIfNeeded: period) | UInt32(peer >> 12) << 24)
      try log.receive(peer, from: target, payload: SyntheticFleet.payload(peer), rssi: rssi, at: at)
    }
    pending.removeAll(keepingCapacity: true)
  }

  mutating func pages() throws -> [MemoryLogPage] {
    try hear()
    return try log.pages()
  }
}
