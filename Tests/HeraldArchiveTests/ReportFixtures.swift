import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import HeraldSimulation
import Testing

@testable import HeraldArchive

/// Folders of badges whose records a test states, and the archive of them.
final class ReportWard {
  /// 2026-09-14T06:00:00Z: 08:00 in Berlin.
  static let start: UInt64 = 1_789_365_600_000

  let folder = FileManager.default.temporaryDirectory.path + "/report-\(UUID().uuidString)"
  private var folders: [String] = []

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The payload that a badge sends.
  static func payload(_ serial: String) -> [UInt8] { [0x10, 0x3A, 0x03, 0, 0] + serial.utf8 }

  /// The address under which a badge is heard.
  static func address(_ serial: String) -> TargetIdentity {
    TargetIdentity(
      kind: .randomAddress, high: 0x4000,
      low: serial.utf8.reduce(0) { $0 &* 31 &+ UInt32($1) })
  }

  /// Writes the log of a badge: records at milliseconds since `start`.
  func add(
    _ serial: String, name: String = "", power: DeviceRecord.Power? = nil,
    sealing: DeviceRecord.Sealing? = nil,
    _ records: [(UInt64, LogEvent, [UInt8])]
  ) throws {
    var log = FlashLog<MemoryFlash, 64>(
      flash: MemoryFlash(FlashImage(pageSize: 4096, pageCount: 64, wordSize: 4)))
    log.mount(freshEpoch: 7)
    var clock = WallClock()
    clock.set(unixMilliseconds: Self.start, at: .start, source: .host)
    try log.append(.started(reason: 0), at: .start, clock: clock)
    try log.append(.clockSet(unixMilliseconds: Self.start, source: .host), at: .start, clock: clock)
    try log.append(.ownPayload, bytes: Self.payload(serial).span, at: .start, clock: clock)
    for (at, event, bytes) in records.enumerated().sorted(by: { ($0.1.0, $0.0) < ($1.1.0, $1.0) }).map(\.1) {
      try log.append(event, bytes: bytes.span, at: Instant(milliseconds: at), clock: clock)
    }
    log.commit()
    let path = "\(folder)/\(serial.filter(\.isLetter))\(folders.count)"
    try FileManager.default.createDirectory(atPath: path + "/pages", withIntermediateDirectories: true)
    for page in try log.committedPages() {
      let name = PageName(epoch: 7, sequence: page.sequence, isOpen: page.isOpen)
      try Data(page.bytes).write(to: URL(fileURLWithPath: "\(path)/pages/\(name.fileName)"))
    }
    var record = DeviceRecord()
    record.serial = serial
    record.name = name
    record.power = power
    record.sealing = sealing
    record.note(epoch: 7)
    try JSONEncoder().encode(record).write(to: URL(fileURLWithPath: path + "/device.json"))
    folders.append(path)
  }

  /// Readings of a badge in both halves of minutes since `start`, after its payload was read.
  static func near(_ serial: String, _ minutes: Range<UInt64>, rssi: Int8) -> [(UInt64, LogEvent, [UInt8])] {
    let address = address(serial)
    return [(minutes.lowerBound * 60_000 + 1000, .read(address), payload(serial))]
      + minutes.flatMap { minute in
        [5_000, 35_000].map { (minute * 60_000 + $0, .measured(address, RSSI(rssi)), []) }
      }
  }

  /// The archive of all badges with these people.
  func archive(_ people: String, zone: String = "Europe/Berlin") throws -> Archive {
    var rules = ContactRules()
    rules.zone = zone
    let archive = try Archive(
      try SQLiteConnection(path: "\(folder)/archive.sqlite", create: true), newRules: rules)
    _ = try archive.add(folders: folders)
    if !people.isEmpty { try archive.label(try PeopleFile(Array(people.utf8), days: archive.days)) }
    try archive.update()
    return archive
  }

  /// The report as text.
  func report(_ people: String, _ period: ReportPeriod = .all, zone: String = "Europe/Berlin") throws
    -> String
  {
    String(decoding: try WardReport(try archive(people, zone: zone), period).html, as: UTF8.self)
  }
}
