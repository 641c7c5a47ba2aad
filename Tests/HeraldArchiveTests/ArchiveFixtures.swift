import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import HeraldSimulation

@testable import HeraldArchive

/// 2026-09-14 08:00:00 UTC, a Monday, in milliseconds.
let shiftBegin: UInt64 = 1_789_372_800_000

/// A folder of the system's temporary folder that is gone when the test is.
final class ScratchFolder {
  let path = NSTemporaryDirectory() + "herald-archive-" + UUID().uuidString

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A device whose log is written by the device's own encoder.
struct LoggingDevice: ~Copyable {
  let serial: String
  private var log: BadgeLog

  /// A device that was started at its uptime 0; `date` is set then, unless it is `nil`.
  init(_ serial: String, epoch: UInt32 = 1, date: UInt64? = shiftBegin, pages: Int = 64) throws {
    self.serial = serial
    log = BadgeLog(epoch: epoch, pageSize: 512, pageCount: pages)
    try log.start(at: 0)
    if let date { try log.setDate(date, at: 0) }
    try log.append(.ownPayload, Self.payload(of: serial), at: 0)
  }

  /// The payload that the device of a serial number sends: one of the fixed family.
  static func payload(of serial: String) -> [UInt8] { [0x10, 0x3A, 0x03, 0, 0] + serial.utf8 }

  /// The address of a device, made of a number.
  static func address(_ number: Int) -> TargetIdentity {
    TargetIdentity(kind: .randomAddress, high: 0x4000, low: UInt32(number))
  }

  /// Sets the date at an uptime in milliseconds.
  mutating func set(_ date: UInt64, at uptime: UInt64) throws {
    try log.setDate(date, at: uptime)
  }

  /// Reads the payload of the device with a serial number from an address.
  mutating func read(_ serial: String, from address: Int, at uptime: UInt64) throws {
    try log.append(.read(Self.address(address)), Self.payload(of: serial), at: uptime)
  }

  /// Measures the RSSI of an address every 15 s from the uptime `first` on, `count` times.
  mutating func measure(_ address: Int, _ rssi: Int8, from first: UInt64, count: Int) throws {
    for index in 0..<count {
      try log.append(
        .measured(Self.address(address), RSSI(rssi)), at: first + UInt64(index) * 15_000)
    }
  }

  /// Measures every second, with an RSSI that varies, so that the log gets many pages.
  mutating func measureMuch(_ address: Int, _ rssi: Int8, from first: UInt64, count: Int) throws {
    for index in 0..<count {
      try log.append(
        .measured(Self.address(address), RSSI(rssi - Int8(index * index * 7 % 13))),
        at: first + UInt64(index) * 1000)
    }
  }

  /// Writes the pages as a pull leaves them.
  @discardableResult
  mutating func pull(to path: String, change: (inout DeviceRecord) -> Void = { _ in }) throws -> [PageName] {
    let store = try PageStore(path: path, create: true)
    var names: [PageName] = []
    try store.updateDevice {
      $0.serial = serial
      $0.name = "badge"
    }
    for page in try log.pages() {
      let epoch = LogPageHeader(page.bytes.span)?.epoch ?? 0
      let name = PageName(epoch: epoch, sequence: page.sequence, isOpen: page.isOpen)
      try store.updateDevice { $0.note(epoch: epoch) }
      try store.store(page.bytes, as: name)
      names.append(name)
    }
    try store.updateDevice(change)
    return names
  }
}

/// The files of a folder, to be written for each case that reads or changes them.
struct KeptFiles: Sendable {
  private let contents: [String: Data]

  init(of folder: String) throws {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      // A folder has no contents.
      if let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") { contents[name] = bytes }
    }
    self.contents = contents
  }

  func write(to folder: String) throws {
    for (name, bytes) in contents {
      let file = URL(fileURLWithPath: "\(folder)/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: file)
    }
  }
}

/// Two devices that hear each other for some minutes; see `MeetingTests` for the numbers.
func logMeeting(in folder: String) throws {
  var one = try LoggingDevice("ONE")
  try one.read("TWO", from: 2, at: 0)
  try one.measure(2, -60, from: 0, count: 20)
  try one.pull(to: folder + "/one")
  var two = try LoggingDevice("TWO")
  try two.read("ONE", from: 1, at: 120_000)
  try two.measure(1, -70, from: 120_000, count: 24)
  try two.pull(to: folder + "/two")
}

/// An archive in a new file of a folder, with days of UTC.
func newArchive(_ path: String) throws -> Archive {
  try Archive(try SQLiteConnection(path: path, create: true), newRules: ContactRules())
}

extension Archive {
  /// Adds every folder in one, and derives.
  @discardableResult
  func fill(_ folder: String) throws -> Addition {
    let addition = try add(folders: try PageStoreSearch.folders(in: [folder]))
    try update()
    return addition
  }

  /// All rows of all tables as text, sorted, with names instead of the numbers of rows, which depend on the
  /// order in which they were made.
  func allRows() throws -> [String: [String]] {
    let bands = ArchiveSchema.bands.map { "t.\($0)" }.joined(separator: ", ")
    let both = """
      JOIN who o ON o.id = t.observer_id JOIN who s ON s.id = t.subject_id JOIN device d ON d.id = t.device_id
      """
    let queries = [
      "setting": "SELECT name, value FROM setting",
      "device": """
      SELECT serial, name, system, version, epochs, is_unread, is_stale, readings, undated, lost, first_ms, last_ms
      FROM device
      """,
      "clock": """
      SELECT d.serial, t.epoch, boot, uptime_ms, unix_ms, source FROM clock t JOIN device d ON d.id = t.device_id
      """,
      "page": """
      SELECT d.serial, epoch, sequence, is_open, sha256, size, bytes FROM page t JOIN device d ON d.id = t.device_id
      """,
      "refused": """
      SELECT d.serial, epoch, sequence, sha256, reason FROM refused t JOIN device d ON d.id = t.device_id
      """,
      "person": "SELECT name, role, place FROM person",
      "assignment": """
      SELECT serial, p.name, from_ms, to_ms FROM assignment t JOIN person p ON p.id = t.person_id
      """,
      "payload": "SELECT bytes, short, family FROM payload",
      "own_payload": """
      SELECT d.serial, p.bytes, from_ms, to_ms FROM own_payload t JOIN device d ON d.id = t.device_id
        JOIN payload p ON p.id = t.payload_id
      """,
      "read_payload": """
      SELECT d.serial, p.bytes FROM read_payload t JOIN device d ON d.id = t.device_id
        JOIN payload p ON p.id = t.payload_id
      """,
      "resolved_payload": "SELECT bytes, serial, from_ms, to_ms FROM resolved_payload",
      "simple_day": "SELECT d.serial, day FROM simple_day t JOIN device d ON d.id = t.device_id",
      "who": "SELECT kind, key, label, role, place FROM who",
      "contact": """
      SELECT d.serial, o.kind, o.key, s.kind, s.key, begin_ms, end_ms, t.seconds, t.readings, gaps, \(bands)
      FROM contact t \(both)
      """,
      "heard": """
      SELECT d.serial, o.kind, o.key, s.kind, s.key, day, t.seconds, t.readings, windows, \(bands)
      FROM heard t \(both)
      """,
      "meeting": """
      SELECT w.kind, w.key, o.kind, o.key, day, t.seconds, t.readings, directions, \(bands)
      FROM meeting t JOIN who w ON w.id = t.who_id JOIN who o ON o.id = t.other_id
      """,
      "meeting_due": "SELECT who_id FROM meeting_due",
      "device_power": """
      SELECT d.serial, unix_ms, board, nanoamperes, not_known FROM device_power t JOIN device d ON d.id = t.device_id
      """,
      "device_sealing": """
      SELECT d.serial, unix_ms, is_sealed, owner_key FROM device_sealing t JOIN device d ON d.id = t.device_id
      """,
      "coverage":
        "SELECT d.serial, from_ms, to_ms, state FROM coverage t JOIN device d ON d.id = t.device_id",
      "battery":
        "SELECT d.serial, unix_ms, level, is_external FROM battery t JOIN device d ON d.id = t.device_id",
      "clock_finding": """
      SELECT d.serial, t.kind, from_day, to_day, offset_s, met, o.serial FROM clock_finding t
        JOIN device d ON d.id = t.device_id LEFT JOIN device o ON o.id = t.other_id
      """,
      "clock_correction": """
      SELECT d.serial, from_ms, to_ms, shift_ms FROM clock_correction t JOIN device d ON d.id = t.device_id
      """,
      "device_event": """
      SELECT d.serial, unix_ms, t.kind, value FROM device_event t JOIN device d ON d.id = t.device_id
      """,
    ]
    var rows: [String: [String]] = [:]
    for (table, query) in queries {
      rows[table] = try connection.rows(query).map { row in
        row.values.map { "\($0)" }.joined(separator: "|")
      }
      .sorted()
      // A row that refers to none would be left out by the join.
      let count = try connection.rows("SELECT COUNT(*) FROM \(table)").first?.integer(0)
      rows["number of \(table)"] = ["\(count ?? -1)"]
    }
    return rows
  }
}
