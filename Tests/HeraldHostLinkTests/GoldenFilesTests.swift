import Foundation
import HeraldBluetooth
import HeraldCrypto
import HeraldEmbedded
import HeraldNeighbours
import HeraldText
import Testing

@testable import HeraldHostLink

/// Every file that is made of a log, byte by byte: each kind of event, with a date and without, in files
/// whose digests are stated here.
///
/// Who changes what a file contains states the new digest, after a look at the file itself.
@Suite("Files made of one log stay the same to the byte")
struct GoldenFilesTests {
  let start: UInt64 = 1_669_760_510_000  // 2022-11-29 22:21:50
  let phone = TargetIdentity(kind: .randomAddress, high: 0x7BAC, low: 0xAC34_E94A)
  let other = TargetIdentity(kind: .pseudoAddress, high: 0x4711, low: 0x0102_0304)
  let told = TargetIdentity(kind: .shared, high: 0x5151, low: 7)
  let beacon = TargetIdentity(kind: .publicAddress, high: 0x0011, low: 0x2233_4455)
  let payload: [UInt8] = [0x10, 0x3A, 0x03, 0x10, 0x00, 0x4D, 0x6F, 0x72, 0x65, 0x0A, 0x0B, 0x0C, 0x0D]
  let venue: [UInt8] =
    [0x30, 0x3A, 0x03, 0x04, 0x00, 0xF3, 0xE0, 0x01, 0x00, 0x10, 0x05] + Array("=Erin".utf8)

  private var first: [(UInt64, LogEvent, [UInt8])] {
    // A fault, in normal mode, after 77 s.
    let report: [UInt8] =
      [5, 0, 1, 0, 1, 0, 0, 0, 77, 0, 0, 0] + (0..<20).map { 0x10 + $0 }
    return [
      (0, .started(reason: 2), []), (10, .restarted, report), (20, .restarted, [1, 2]),
      (100, .measured(phone, RSSI(-71)), []), (110, .measured(phone, RSSI(127)), []),
      (500, .ownPayload, payload.map { $0 ^ 0x55 }), (600, .detected(phone), []),
      (700, .heraldDetected(phone), []), (800, .txPower(phone, -4), []),
      (900, .measured(phone, RSSI(-60)), []), (1000, .read(phone), payload),
      (31_000, .measured(phone, RSSI(-50)), []), (61_500, .measured(phone, RSSI(-55)), []),
      (62_000, .shared(phone), payload.map { $0 ^ 0x55 } + payload), (62_500, .shared(phone), [1, 2, 3]),
      (63_000, .detected(told), []), (63_100, .read(told), payload.map { $0 ^ 0x11 }),
      (63_200, .measured(told, RSSI(-30)), []),
      (70_000, .received(phone), [0xCA, 0xFE]), (71_000, .model(phone), Array("=P,\"4\"".utf8)),
      (72_000, .observed(other, .covidWatch), [1, 2, 3, 4]), (73_000, .ownCode(.c19x), [9, 8]),
      (80_000, .battery(level: 93, external: false), []), (81_000, .dropped(count: 12), []),
      (90_000, .detected(beacon), []), (91_000, .read(beacon), venue),
      (400_000, .visited(beacon, firstReceived: 300, lastReceived: 20), []), (401_000, .lost(phone), []),
    ]
  }

  private var second: [(UInt64, LogEvent, [UInt8])] {
    [
      (2_000_000, .clockSet(unixMilliseconds: start + 2_000_500, source: .host), []),
      (2_000_100, .detected(other), []), (2_000_200, .measured(other, RSSI(-80)), []),
      (2_001_000, .read(other), payload), (2_002_000, .measured(other, RSSI(-81)), []),
      (2_100_000, .battery(level: 12, external: true), []), (2_200_000, .started(reason: 0), []),
      (2_200_500, .measured(phone, RSSI(-65)), []), (2_300_000, .measured(phone, RSSI(-66)), []),
    ]
  }

  /// The first four bytes of the SHA-256 of all that can be made of a log, a line for each file.
  private func digests(start: UInt64?) throws -> String {
    var device = DeviceRecord()
    device.serial = "GOLD"
    device.name = "Badge, \"7\""
    device.system = "herald"
    var log = try SyntheticLog(start: start, device: device, first)
    try log.add(start: nil, isOpen: true, second)
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: log.folder.path)
    where name.hasSuffix(".csv") {
      files[name] = FileManager.default.contents(atPath: "\(log.folder.path)/\(name)").map { [UInt8]($0) }
    }
    for format in FlatFormat.allCases {
      let place = "\(log.folder.path)/export"
      for file in try log.export(as: format, to: place).files {
        files["export/\(file.name)"] = FileManager.default.contents(atPath: "\(place)/\(file.name)").map {
          [UInt8]($0)
        }
      }
    }
    return files.sorted { $0.key < $1.key }.map { name, bytes in
      let digest = SHA256.digest(of: bytes.span)
      return "\(digest.indices.prefix(4).map { digest[$0] }.hexadecimal) \(name)"
    }.joined(separator: "\n")
  }

  @Test("Of a log with dates")
  func dated() throws {
    #expect(
      try digests(start: start) == """
        3665c0d4 battery.csv
        e1cbf252 contact_events.csv
        541403ee contacts.csv
        aed558a9 detection.csv
        b22c8388 export/batteries.csv
        a45fec68 export/batteries.jsonl
        efef5381 export/contacts.csv
        8fba1f71 export/contacts.jsonl
        3a910879 export/devices.csv
        3a836d6f export/devices.jsonl
        3ffd0d94 export/events.csv
        de0e1bb8 export/events.jsonl
        40b57173 export/pages.csv
        3cfbb25b export/pages.jsonl
        b8b0d752 export/readings.csv
        c5d885fa export/readings.jsonl
        ee1c9078 export/visits.csv
        22bafb31 export/visits.jsonl
        48623519 messages.csv
        586c1a45 models.csv
        01859ef1 neighbours.csv
        39878fb6 restarts.csv
        e98792a2 statistics.csv
        00f10d6b visits.csv
        """)
  }

  @Test("Of a log whose only date is that of a clock that was set")
  func undated() throws {
    #expect(
      try digests(start: nil) == """
        12f6b5b7 battery.csv
        58a1daf6 contact_events.csv
        b0bf1d2f contacts.csv
        aed558a9 detection.csv
        f733a9e5 export/batteries.csv
        174f2fc7 export/batteries.jsonl
        19aec1f4 export/contacts.csv
        9fca1fdf export/contacts.jsonl
        3a910879 export/devices.csv
        3a836d6f export/devices.jsonl
        813e541e export/events.csv
        00347016 export/events.jsonl
        40b57173 export/pages.csv
        3cfbb25b export/pages.jsonl
        9121f271 export/readings.csv
        8bb8fe25 export/readings.jsonl
        03a1cc9f export/visits.csv
        59fbc4de export/visits.jsonl
        dfd1b3ae messages.csv
        45bdc007 models.csv
        2100b175 neighbours.csv
        79890499 restarts.csv
        cefd855b statistics.csv
        9e07d05c visits.csv
        """)
  }
}
