import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import HeraldSimulation

@testable import HeraldArchive

/// 2026-09-14T07:00:00Z, a Monday.
let mondayMorning: UInt64 = 1_789_369_200_000

/// The milliseconds of a number of seconds after that.
func after(_ seconds: Double) -> UInt64 { mondayMorning + UInt64(seconds * 1000) }

/// A folder that is removed at the end of the test.
struct ContactsFolder: ~Copyable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "herald-contacts-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }
}

/// A badge and its log, written by the device's own encoder.
struct LoggingBadge: ~Copyable {
  let serial: String
  private var start: UInt64
  private var log = FlashLog<MemoryFlash, 64>(
    flash: MemoryFlash(FlashImage(pageSize: 4096, pageCount: 64, wordSize: 4)))
  private var clock = WallClock()

  /// A badge that is switched on at a date, which its clock shows, and sends a payload from then on.
  init(_ serial: String, payload: [UInt8], from start: UInt64 = mondayMorning) throws {
    self.serial = serial
    self.start = start
    log.mount(freshEpoch: 0xABCD)
    clock.set(unixMilliseconds: start, at: .start, source: .host)
    try log.append(.started(reason: 0), at: .start, clock: clock)
    try log.append(.clockSet(unixMilliseconds: start, source: .host), at: .start, clock: clock)
    try log.append(.ownPayload, bytes: payload.span, at: .start, clock: clock)
  }

  static func address(_ number: UInt32) -> TargetIdentity {
    TargetIdentity(kind: .randomAddress, high: 0x4000, low: number)
  }

  /// It starts again at a date, which its clock shows unless it has none.
  mutating func restart(at date: UInt64, reason: UInt8 = 0, hasDate: Bool = true) throws {
    log.commit()
    log.mount(freshEpoch: 0xABCD)
    (start, clock) = (date, WallClock())
    try log.append(.started(reason: reason), at: .start, clock: clock)
    guard hasDate else { return }
    clock.set(unixMilliseconds: date, at: .start, source: .host)
    try log.append(.clockSet(unixMilliseconds: date, source: .host), at: .start, clock: clock)
  }

  /// Its motion sensor says something else from a date on.
  mutating func move(_ state: MotionState, at date: UInt64) throws {
    try log.append(.motion(state), at: instant(date), clock: clock)
  }

  private func instant(_ date: UInt64) -> Instant { Instant(milliseconds: date - start) }

  /// It reads the payload of an address.
  mutating func read(_ address: UInt32, _ payload: [UInt8], at date: UInt64) throws {
    try log.append(.read(Self.address(address)), bytes: payload.span, at: instant(date), clock: clock)
  }

  /// It receives an advertisement of an address.
  mutating func measure(_ address: UInt32, _ rssi: Int8, at date: UInt64) throws {
    try log.append(.measured(Self.address(address), RSSI(rssi)), at: instant(date), clock: clock)
  }

  /// An advertisement of an address has its transmit power.
  mutating func note(power: Int8, of address: UInt32, at date: UInt64) throws {
    try log.append(.txPower(Self.address(address), power), at: instant(date), clock: clock)
  }

  /// It sends another payload from now on.
  mutating func send(_ payload: [UInt8], at date: UInt64) throws {
    try log.append(.ownPayload, bytes: payload.span, at: instant(date), clock: clock)
  }

  /// Its clock is set to `shown` at `date` of the clock before.
  mutating func set(clock shown: UInt64, at date: UInt64) throws {
    clock.set(unixMilliseconds: shown, at: instant(date), source: .host)
    try log.append(.clockSet(unixMilliseconds: shown, source: .host), at: instant(date), clock: clock)
  }

  /// The folder that a pull leaves.
  mutating func pull(into folder: borrowing ContactsFolder) throws -> String {
    let path = "\(folder.path)/\(serial)"
    try FileManager.default.createDirectory(atPath: path + "/pages", withIntermediateDirectories: true)
    log.commit()
    for page in try log.committedPages() {
      let name = PageName(epoch: 0xABCD, sequence: page.sequence, isOpen: page.isOpen)
      try Data(page.bytes).write(to: URL(fileURLWithPath: "\(path)/pages/\(name.fileName)"))
    }
    var record = DeviceRecord()
    record.serial = serial
    record.note(epoch: 0xABCD)
    try JSONEncoder().encode(record).write(to: URL(fileURLWithPath: path + "/device.json"))
    return path
  }
}

/// A payload of a family without meaning here, which differs for each number.
func fixedPayload(_ number: UInt8) -> [UInt8] { [0x12, 0x3A, 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0, number] }

extension Archive {
  /// An archive of folders, in UTC unless there are other rules.
  static func of(_ folders: [String], rules: ContactRules = ContactRules(), people: String? = nil) throws
    -> Archive
  {
    let archive = try Archive.temporary(rules)
    _ = try archive.add(folders: folders)
    if let people { try archive.label(try PeopleFile(Array(people.utf8), days: archive.days)) }
    try archive.update()
    return archive
  }

  /// All meetings as text: `who kind/other kind seconds heard-by-who/heard-by-other`.
  func told(_ query: MeetingQuery = MeetingQuery()) throws -> [String] {
    var lines: [String] = []
    try meetings(query) { meeting in
      lines.append(
        "\(meeting.who.kind) \(meeting.who.label) + \(meeting.other.kind) \(meeting.other.label): "
          + "\(meeting.joined.seconds) s, \(meeting.heard.seconds)/\(meeting.wasHeard.seconds)")
    }
    return lines
  }
}
