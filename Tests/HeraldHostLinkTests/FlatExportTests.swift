import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@testable import HeraldHostLink

/// Flat files of a page folder, as the bytes they are.
@Suite("Flat export")
struct FlatExportTests {
  let peer = LoggedMeeting.peer
  let payload = LoggedMeeting.payload

  /// The files of a small log, by name.
  private func export(_ format: FlatFormat, deviceName: String = "", isDated: Bool = true) throws
    -> [String: String]
  {
    var log = FlashLog<MemoryFlash, 16>.fresh()
    var clock = WallClock()
    if isDated { clock.set(unixMilliseconds: LoggedMeeting.start, at: .start, source: .host) }
    try log.append(.detected(peer), at: 1000, clock)
    try log.append(.read(peer), payload, at: 1500, clock)
    try log.append(.measured(peer, RSSI(-47)), at: 2550, clock)
    try log.append(.model(peer), Array("=A,\"B\"".utf8), at: 3000, clock)
    try log.append(.battery(level: 93, external: true), at: 5000, clock)
    try log.append(.visited(peer, firstReceived: 4, lastReceived: 1), at: 6000, clock)
    let folder = TemporaryFolder()
    let pages = try PageStore(path: folder.path, create: true)
    try log.store(in: pages)
    try pages.updateDevice {
      $0.serial = "A1"
      $0.name = deviceName
      $0.note(epoch: 7)
    }
    let place = folder.path + "/made/export"
    let files = try FlatExport(pages, as: format, to: place).files
    #expect(
      files.map(\.name)
        == ["devices", "pages", "readings", "events", "batteries", "visits", "contacts"].map {
          "\($0).\(format.rawValue)"
        })
    #expect(files.map(\.rows) == [1, 1, 1, 3, 1, 1, isDated ? 1 : 0])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place).sorted()
        == (files.map(\.name) + ["_herald.json"]).sorted())
    let mode = try FileManager.default.attributesOfItem(atPath: place + "/" + files[0].name)[
      .posixPermissions]
    #expect(mode as? Int == 0o600)
    var texts: [String: String] = [:]
    for file in files {
      texts[file.name] = try String(contentsOfFile: place + "/" + file.name, encoding: .utf8)
    }
    return texts
  }

  @Test("JSON Lines: an object for each row, with what is not known as null")
  func jsonLines() throws {
    let files = try export(.jsonl, deviceName: "A \"B\"\n\u{1}é")
    #expect(
      files["devices.jsonl"]
        == #"{"device":"A1","name":"A \"B\"\u000a\u0001é","system":"","version":""}"# + "\n")
    #expect(
      files["readings.jsonl"]
        == #"{"device":"A1","epoch":7,"boot":1,"uptime_ms":2550,"time":"2022-11-29T22:21:52.550Z","peer_kind":"random","peer":"7B:AC:AC:34:E9:4A","rssi":-47}"#
        + "\n")
    #expect(
      files["events.jsonl"]?.split(separator: "\n").last
        == #"{"device":"A1","epoch":7,"boot":1,"uptime_ms":3000,"time":"2022-11-29T22:21:53.000Z","event":"model","peer_kind":"random","peer":"7B:AC:AC:34:E9:4A","payload":null,"system":null,"value":null,"data":"3d412c224222"}"#
    )
    #expect(
      files["batteries.jsonl"]
        == #"{"device":"A1","epoch":7,"boot":1,"uptime_ms":5000,"time":"2022-11-29T22:21:55.000Z","level":93,"is_external":true}"#
        + "\n")
    #expect(
      files["contacts.jsonl"]
        == #"{"device":"A1","peer_kind":"random","peer":"7B:AC:AC:34:E9:4A","payload":"083a030000d202964900000000","payload_short":"AADSAp","payload_family":"custom","begin":"2022-11-29T22:21:51.000Z","end":"2022-11-29T22:21:52.550Z","seconds":30,"readings":1}"#
        + "\n")
  }

  @Test(
    "CSV: a heading, one type a column, marks doubled, and nothing that a reader takes for something else")
  func csv() throws {
    let files = try export(.csv, deviceName: "=A,\"B\"")
    #expect(files["devices.csv"] == "device,name,system,version\nA1,\"'=A,\"\"B\"\"\",\"\",\"\"\n")
    #expect(
      files["readings.csv"]
        == "device,epoch,boot,uptime_ms,time,peer_kind,peer,rssi\nA1,7,1,2550,2022-11-29T22:21:52.550Z,random,7B:AC:AC:34:E9:4A,-47\n"
    )
    #expect(
      files["events.csv"] == """
        device,epoch,boot,uptime_ms,time,event,peer_kind,peer,payload,system,value,data
        A1,7,1,1000,2022-11-29T22:21:51.000Z,detected,random,7B:AC:AC:34:E9:4A,,,,
        A1,7,1,1500,2022-11-29T22:21:51.500Z,read,random,7B:AC:AC:34:E9:4A,x083a030000d202964900000000,,,
        A1,7,1,3000,2022-11-29T22:21:53.000Z,model,random,7B:AC:AC:34:E9:4A,,,,x3d412c224222

        """)
    #expect(
      files["visits.csv"]
        == "device,epoch,boot,uptime_ms,time,peer_kind,peer,first_seconds_before,last_seconds_before\nA1,7,1,6000,2022-11-29T22:21:56.000Z,random,7B:AC:AC:34:E9:4A,4,1\n"
    )
  }

  @Test("Without a date a record is exported, too")
  func undated() throws {
    #expect(
      try export(.csv, isDated: false)["readings.csv"]?.split(separator: "\n").last
        == "A1,7,1,2550,,random,7B:AC:AC:34:E9:4A,-47")
    #expect(try export(.jsonl, isDated: false)["readings.jsonl"]?.contains("\"time\":null") == true)
  }

  /// docs/archive.md is what people read the files by.
  @Test("Every exported file with every column, in the order they have, and nothing else")
  func documented() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("docs/archive.md"), encoding: .utf8)
    let section = try #require(text.range(of: "| file of log export | columns |"))
    let lines = text[section.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
    let rows = lines.dropFirst(2).prefix { $0.hasPrefix("| `") }.map(String.init)
    #expect(
      rows
        == ExportedTable.allCases.map { table in
          "| `\(table.rawValue)` | \(table.columns.map { "`\($0)`" }.joined(separator: ", ")) |"
        })
  }
}
