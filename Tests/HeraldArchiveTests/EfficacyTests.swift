import Foundation
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// Numbers that were worked out by hand, by the definitions in docs/archive.md.
@Suite("Efficacy: detection and continuity")
struct EfficacyTests {
  private let folders = RecordedFolders()

  private func rules(_ from: String = "10:00:00", _ to: String = "10:05:00") -> Efficacy.Rules {
    var rules = Efficacy.Rules()
    rules.from = LocalDays.utc.moment("2022-11-29 \(from)")
    rules.to = LocalDays.utc.moment("2022-11-29 \(to)")
    return rules
  }

  private func count(_ rules: Efficacy.Rules) throws -> Efficacy {
    try Efficacy(try RecordingFolder.search([folders.path]), rules)
  }

  /// The windows of the pairs in the order 1→2, 1→3, 2→1, 2→3, 3→1, 3→2.
  private func windows(_ rules: Efficacy.Rules) throws -> [Int] { try count(rules).pairs.map(\.windows) }

  @Test("the worked example of the document")
  func workedExample() throws {
    try folders.device(
      "a", payload: "AAAAAA",
      [
        "09:59:00 1 m", "10:00:05 1 m", "10:00:20 2 m", "10:00:34.999 1 m", "10:00:35 1 m",
        "10:02:00 1 r BBBBBB",
        "10:03:04 1 s CCCCCC", "10:04:00 9 m", "10:05:00.500 2 m", "10:05:01 2 m", "10:06:00 2 r CCCCCC",
      ])
    try folders.device(
      "b", payload: "BBBBBB", ["10:00:00 5 d", "10:00:01 5 r AAAAAA", "10:01:00 5 s CCCCCC"])
    try folders.device("c", payload: "CCCCCC", ["10:00:00 7 m", "10:10:00 7 r BBBBBB", "10:10:01 7 m"])
    let result = try count(rules())
    #expect(result.windows == 10)
    // a→b: 0 and 1 (29 s and 30 s after the first event), 5 (179 s); a→c: 0 (15 s), 9 (295 s).
    #expect(result.pairs.map(\.windows) == [3, 2, 1, 0, 0, 1])
    #expect(result.pairs.map(\.events) == [5, 3, 1, 0, 0, 2])
    #expect(result.detected == 4 && result.achievedWindows == 7 && result.maximumWindows == 60)
  }

  @Test("shares by payload count if the payload was read in the file")
  func sharesByPayload() throws {
    try folders.device(
      "a", payload: "AAAAAA",
      [
        "10:00:00 1 r BBBBBB", "10:00:00 2 r CCCCCC", "10:01:00 1 s CCCCCC", "10:01:01 8 s BBBBBB",
        "10:02:00 1 s AAAAAA",
      ])
    try folders.device("b", payload: "BBBBBB", ["10:00:00 5 r AAAAAA", "10:01:00 5 s CCCCCC"])
    try folders.device("c", payload: "CCCCCC", [])
    #expect(try windows(rules()) == [2, 0, 1, 0, 0, 0])
    var byPayload = rules()
    byPayload.shares = .payload
    #expect(try windows(byPayload) == [1, 1, 0, 0, 0, 0])
  }

  @Test("windows begin with the observer's first event in the period, which ends with its last second")
  func windowsOfThePeriod() throws {
    try folders.device(
      "a", payload: "AAAAAA",
      [
        "09:59:59 1 m", "10:00:00 3 m", "10:00:29 2 m", "10:00:58 1 m", "10:00:59 1 m", "10:01:00 1 m",
        "10:01:01 1 m",
      ]
        + ["11:00:00 1 r BBBBBB", "11:00:00 2 r CCCCCC"])
    try folders.device("b", payload: "BBBBBB", [])
    try folders.device("c", payload: "CCCCCC", [])
    // An address of nobody does not begin the windows: the first is from 10:00:29 on.
    #expect(try windows(rules("10:00:00", "10:01:00")).prefix(2) == [2, 1])
    #expect(try count(rules("10:00:00", "10:01:01")).windows == 3)
    // There may be one window more than the period has, as with Herald's script.
    #expect(try count(rules("10:00:58", "10:00:59")).windows == 1)
    try folders.device("a", payload: "AAAAAA", ["10:00:00 1 r BBBBBB", "10:00:00 1 m", "10:00:30 1 m"])
    let full = try count(rules("10:00:00", "10:00:30"))
    #expect(full.windows == 1 && full.pairs[0].windows == 2)
  }

  @Test("an address from which two payloads were read counts for both, the own payload for nobody")
  func severalPayloads() throws {
    try folders.device(
      "a", payload: "AAAAAA",
      ["10:00:00 1 m", "10:00:10 1 r BBBBBB", "10:00:20 1 r CCCCCC", "10:00:30 2 r AAAAAA", "10:01:00 2 m"])
    try folders.device("b", payload: "BBBBBB", ["10:00:00 3 r CCCCCCAndMore", "10:00:00 3 m"])
    try folders.device("c", payload: "CCCCCC", [])
    #expect(try windows(rules()) == [1, 1, 0, 1, 0, 0])
  }

  @Test("dates of one system or one folder are shifted")
  func shifts() throws {
    try folders.device("a", payload: "AAAAAA", ["09:00:00 1 r BBBBBB", "09:00:00 1 m"])
    try folders.device("b", payload: "BBBBBB", ["10:00:00 2 r AAAAAA", "10:00:00 2 m"])
    var shifted = rules()
    shifted.shifts = ["a": 3600]
    #expect(try windows(rules()) == [0, 1])
    #expect(try windows(shifted) == [1, 1])
    shifted.shifts = ["Android": 3600]
    #expect(try windows(shifted) == [1, 0])
  }

  @Test("without a period, it is the time in which all devices recorded")
  func defaultPeriod() throws {
    try folders.device("a", payload: "AAAAAA", ["10:00:00 1 r BBBBBB", "10:02:00 1 m"])
    try folders.device("b", payload: "BBBBBB", ["10:01:00 2 r AAAAAA", "10:03:00 2 m"])
    let result = try count(Efficacy.Rules())
    #expect(result.from == LocalDays.utc.moment("2022-11-29 10:01:00"))
    #expect(result.to == LocalDays.utc.moment("2022-11-29 10:02:00"))
    #expect(result.pairs.map(\.windows) == [1, 0] && result.detected == 2)
  }

  @Test("detection in a period of its own")
  func detectionPeriod() throws {
    try folders.device("a", payload: "AAAAAA", ["09:00:00 1 m", "10:00:00 1 r BBBBBB"])
    try folders.device("b", payload: "BBBBBB", [])
    var later = rules()
    #expect(try count(later).detected == 1)
    later.detectionFrom = later.from
    #expect(try count(later).detected == 0)
    later.detectionFrom = nil
    later.detectionTo = LocalDays.utc.moment("2022-11-29 09:00:00")
    #expect(try count(later).detected == 1)
  }

  // MARK: Bad input

  @Test("a torn last row, rows without a date and a row that is too long are left out, and counted")
  func damagedRows() throws {
    let header = "time,sensor,id,detect,read,measure,share,visit,data\r\n"
    let rows =
      "2022-11-29 10:00:00,BLE,1,,2,,,,BBBBBB\r\nnever,BLE,1,,,3,,,RSSI:-1.0\r\n"
      + String(repeating: "x", count: 70_000)
      + "\r\n2022-11-29 10:01:00,BLE,1,,,3,,,RSSI:-1.0\r\n\r\n2022-11-29 10:04:00,BLE,1,,,3"
    try folders.write("a", "contacts.csv", [0xEF, 0xBB, 0xBF] + Array((header + rows).utf8))
    try folders.device("b", payload: "BBBBBB", [])
    let result = try count(rules())
    #expect(result.pairs.map(\.windows) == [1, 0])
    #expect(
      result.devices[0].rows == 5 && result.devices[0].damagedRows == 2 && result.devices[0].undatedRows == 1)
    #expect(result.devices[0].recording.payload.isEmpty)
  }

  @Test("a file of which the dates cannot be read is refused, with its share and an example")
  func unreadDates() throws {
    func write(_ dates: [String]) throws {
      let header = "time,sensor,id,detect,read,measure,share,visit,data\n"
      let rows = dates.map { "\($0),BLE,1,,,3,,,RSSI:-1.0\n" }.joined()
      try folders.write("a", "contacts.csv", Array((header + rows).utf8))
    }
    try folders.device("b", payload: "BBBBBB", ["10:00:00 1 m", "10:05:00 1 m"])
    func failure() -> HostLinkError? { #expect(throws: HostLinkError.self) { try count(rules()) } }
    try write((10..<71).map { "05/01/2022 20:00:\($0)" })
    #expect(
      failure()?.what
        == "\(folders.path)/a/contacts.csv: 61 of 61 rows have no date that can be read, such as \"05/01/2022 20:00:10\": they would count as not detected"
    )
    // A tenth is named and left out, more is refused.
    let good = (10..<60).map { "2022-11-29 10:00:\($0)" }
    try write(good + Array(repeating: "x", count: 11))
    #expect(failure()?.what.contains("11 of 61 rows") == true)
    try write(good + good + Array(repeating: "x", count: 11))
    #expect(try count(rules()).devices[0].undatedRows == 11)
  }

  @Test("headers that come again, also with other columns, and what spreadsheets make of a file")
  func headers() throws {
    try folders.device("b", payload: "BBBBBB", ["10:00:00 1 m", "10:05:00 1 m"])
    let first = "time,sensor,id,detect,read,measure,share,visit,data\n"
    let second = "data,id,time,read,share,measure,detect\n"
    let text =
      first + "2022-11-29 10:00:00,BLE,1,,2,,,,BBBBBB\n" + first
      + "2022-11-29 10:00:10,BLE,1,,,3,,,RSSI:-1.0\n" + second
      + "RSSI:-1.0,1,2022-11-29 10:02:00,,,3,\n"
    try folders.write("a", "contacts.csv", Array(text.utf8))
    var result = try count(rules())
    #expect(result.devices[0].rows == 3 && result.devices[0].damagedRows + result.devices[0].undatedRows == 0)
    #expect(result.pairs.map(\.windows) == [2, 0])
    for separator in [";", "\t"] {
      let other = text.replacing(",", with: separator)
      for start in ["", "sep=\(separator)\r\n"] {
        try folders.write("a", "contacts.csv", Array((start + other).utf8))
        try folders.write(
          "a", "detection.csv",
          Array("\(start)\"A, B\"\(separator)iOS\(separator)15\(separator)AAAAAA\r\n".utf8))
        result = try count(rules())
        #expect(result.pairs.map(\.windows) == [2, 0] && result.devices[0].rows == 3)
        #expect(result.devices[0].recording.payload == "AAAAAA" && result.devices[0].recording.name == "A, B")
      }
    }
  }

  @Test("a local time that there is twice is counted")
  func ambiguousRows() throws {
    let header = "time,sensor,id,detect,read,measure,share,visit,data\n"
    try folders.write(
      "a", "contacts.csv",
      Array((header + "2022-10-30 01:30:00,BLE,1,,,3,,,\n2022-10-30 03:30:00,BLE,1,,,3,,,\n").utf8))
    try folders.write(
      "b", "contacts.csv",
      Array((header + "2022-10-30 00:30:00,BLE,1,,,3,,,\n2022-10-30 04:30:00,BLE,1,,,3,,,\n").utf8))
    var rules = Efficacy.Rules()
    rules.days = try LocalDays(zone: "Europe/London")
    #expect(try count(rules).devices.map(\.ambiguousRows) == [1, 0])
  }

  @Test("rows of no kind are counted, and a file with many of them is refused with an example")
  func unknownKinds() throws {
    func write(_ kinds: [String]) throws {
      let header = "time,sensor,id,detect,read,measure,share,visit,data\n"
      let rows = kinds.map { "2022-11-29 10:00:10,BLE,1,\($0),\n" }.joined()
      try folders.write("a", "contacts.csv", Array((header + rows).utf8))
    }
    try folders.device("b", payload: "BBBBBB", ["10:00:00 1 m", "10:05:00 1 m"])
    let good = Array(repeating: ",,3,,", count: 60)
    try write(good + [",,3.0,,", "1,,,,", ",,,,5", ",,,,", ",true,,,", ",,,3,"])
    let device = try count(rules()).devices[0]
    #expect(device.rows == 66 && device.unknownRows == 4 && device.unknownField == "measure 3.0")
    #expect(device.damagedRows == 0 && device.undatedRows == 0)
    try write(Array(repeating: ",,NA,,", count: 3))
    let error = #expect(throws: HostLinkError.self) { try count(rules()) }
    #expect(
      error?.what
        == "\(folders.path)/a/contacts.csv: 3 of 3 rows have no kind that is known, such as \"measure NA\": they would count as not detected"
    )
    #expect(error?.advice?.hasPrefix("write 2 for a read, 3 for a measurement") == true)
  }

  @Test("a file with a header only is one of a device that detected nobody, an empty one is refused")
  func emptyFiles() throws {
    try folders.write("a", "contacts.csv", Array("time,sensor,id,detect,read,measure,share,data\n".utf8))
    try folders.write("a", "detection.csv", [])
    try folders.device("b", payload: "BBBBBB", ["10:00:00 1 r ", "10:00:00 1 m"])
    let result = try count(rules())
    #expect(result.detected == 0 && result.achievedWindows == 0 && result.pairs.count == 2)
    #expect(throws: HostLinkError.self) { try count(Efficacy.Rules()) }
    for bytes in [[], [0xEF, 0xBB, 0xBF], Array("sep=;\r\n".utf8)] as [[UInt8]] {
      try folders.write("a", "contacts.csv", bytes)
      let error = #expect(throws: HostLinkError.self) { try count(rules()) }
      #expect(error?.what == "\(folders.path)/a/contacts.csv is empty, without even a header")
    }
  }

  @Test(
    "a detection.csv that does not begin with a device is refused",
    arguments: ["sep=;\nA,iOS,15,AAAAAA\n", "A|iOS|15|AAAAAA\n"])
  func foreignDetection(text: String) throws {
    try folders.device("a", payload: "AAAAAA", ["10:00:00 1 m"])
    try folders.device("b", payload: "BBBBBB", ["10:00:00 1 m"])
    try folders.write("a", "detection.csv", Array(text.utf8))
    let error = #expect(throws: HostLinkError.self) { try RecordingFolder.search([folders.path]) }
    #expect(
      error?.what
        == "\(folders.path)/a/detection.csv does not begin with a device's name, system, version and payload")
  }

  @Test("what cannot be counted is an error that names the file or the option")
  func mistakes() throws {
    #expect(
      throws: HostLinkError(
        .storage, "\(folders.path) holds no contacts.csv",
        advice: "name the folder of a device, or a folder with such folders")
    ) {
      try RecordingFolder.search([folders.path])
    }
    try folders.device("a", payload: "AAAAAA", ["10:00:00 1 m"])
    #expect(throws: HostLinkError.self) { try RecordingFolder.search([folders.path]) }
    try folders.device("b", payload: "AAAAAA", ["10:00:00 1 m"])
    #expect(throws: HostLinkError.self) { try RecordingFolder.search([folders.path]) }
    try folders.device("b", payload: "BBBBBB", ["10:00:00 1 m"])
    #expect(try RecordingFolder.search([folders.path, folders.path + "/b/"]).map(\.folder) == ["a", "b"])
    #expect(throws: HostLinkError.self) { try count(rules("10:00:00", "10:00:00")) }
    var long = rules()
    long.to = .max / 2000
    #expect(throws: HostLinkError.self) { try count(long) }
    try folders.write("b", "contacts.csv", Array("time,sensor,id,detect,read,share,visit,data\n".utf8))
    #expect(
      throws: HostLinkError(
        .storage, "\(folders.path)/b/contacts.csv has no column measure",
        advice: "its first line has to be that of a Herald device's contacts.csv")
    ) { try count(rules()) }
  }

  @Test("bytes of any kind end in a result or an error")
  func hostileBytes() throws {
    try folders.device("b", payload: "BBBBBB", ["10:00:00 1 r AAAAAA", "10:00:00 1 m"])
    try folders.device(
      "a", payload: "AAAAAA", ["10:00:00 1 r BBBBBB", "10:00:00 1 m", "10:04:00 1 s \"x,\"y"])
    let path = folders.path + "/a/contacts.csv"
    let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for place in stride(from: 0, to: good.count, by: 3) {
      var bad = good
      bad[place] ^= UInt8(1 << (place % 8))
      try folders.write("a", "contacts.csv", bad)
      _ = try? count(rules())
      try folders.write("a", "contacts.csv", Array(good.prefix(place)))
      _ = try? count(rules())
    }
    try folders.write("a", "contacts.csv", good)
    #expect(try count(rules()).pairs[0].windows == 2)
  }

  // MARK: Phones

  /// Recordings of three phones, which are not part of this repository.
  static let recordings = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../shared/data/recordings/short").standardizedFileURL.path

  @Test(
    "three phones of both systems",
    .enabled(if: access(recordings, R_OK) == 0, "recordings of phones are not on this computer"))
  func phones() throws {
    var rules = Efficacy.Rules()
    rules.from = LocalDays.utc.moment("2022-11-29 22:20:00")
    rules.to = LocalDays.utc.moment("2022-11-29 22:50:00")
    let result = try Efficacy(try RecordingFolder.search([Self.recordings]), rules)
    #expect(result.devices.map(\.recording.payload) == ["ZqFdag", "ql8F4g", "lGxWLg"])
    #expect(result.devices.map(\.recording.system) == ["Android", "Android", "iOS"])
    #expect(result.windows == 60 && result.detected == 4)
  }
}
