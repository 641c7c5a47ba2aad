import Foundation
import HeraldHostLink
import Testing

@testable import HeraldArchive

@Suite("Dates, lines and fields in the files of devices")
struct EfficacyFilesTests {
  @Test(
    "dates with an offset, and without one as UTC",
    arguments: [
      ("2022-11-29 22:21:56.552+0000", 1_669_760_516), ("2022-11-29 22:21:56", 1_669_760_516),
      ("2022-11-29T22:21:56Z", 1_669_760_516), ("2022-11-29 23:21:56.999+0100", 1_669_760_516),
      ("2022-11-29 16:51:56-05:30", 1_669_760_516), ("1970-01-01 00:00:00", 0),
      ("2024-02-29 23:59:59", 1_709_251_199),
    ] as [(String, Int64)])
  func dates(text: String, seconds: Int64) {
    var time = RecordedTime(days: .utc)
    #expect(time.seconds(text) == seconds)
  }

  @Test(
    "no dates",
    arguments: [
      "", "2022-11-29", "2022-11-29 22:21", "2023-02-29 00:00:00", "2022-13-01 00:00:00",
      "2022-11-29 24:00:00",
      "2022-11-29 22:60:00", "2022-11-29 22:21:60", "2022-11-29 22:21:56.", "2022-11-29 22:21:56+01",
      "2022-11-29 22:21:56+0160", "2022-11-29 22:21:56+01000", "2022-11-29 22:21:56 ", "1969-12-31 23:59:59",
      "2022-11-29_22:21:56",
      // Nobody knows the month, the half of the day, or the era.
      "05/01/2022 20:00:00", "31/12/2022 20:00:00", "2022-01-05 8:00", "2022-01-05 20:00:00 PM",
      "2022-01-05 8:00:00 XY",
      "2565-01-05 20:00:00", "0111-01-05 20:00:00", "2022-1/5 20:00:00", "2022-01-05 8:0:00 PM",
    ])
  func noDates(text: String) {
    var time = RecordedTime(days: .utc)
    #expect(time.seconds(text) == nil)
  }

  @Test(
    "dates of phones whose formatter follows the owner's settings: clocks of 12 hours, digits, blanks, separators",
    arguments: [
      "2022-01-05 8:05:09 PM", "2022-01-05 08:05:09 pm", "2022-01-05 8:05:09\u{202F}PM",
      "2022-01-05 8:05:09\u{A0}p.\u{A0}m.",
      "2022-01-05 下午8:05:09", "2022-01-05 오후 8:05:09", "2022-01-05 午後8:05:09", "2022-01-05 8:05:09 μ.μ.",
      "٢٠٢٢-٠١-٠٥ ٢٠:٠٥:٠٩", "٢٠٢٢-٠١-٠٥ ٨:٠٥:٠٩ م", "२०२२-०१-०५ २०:०५:०९", "২০২২-০১-০৫ ২০:০৫:০৯",
      "２０２２-01-05 20:05:09",
      "2022/01/05 20:05:09", "2022.1.5 20:05:09", "2022-01-05 20:05:09+0000", "2022-01-05 9:05:09 PM+0100",
      "2022-01-05 20:05:09,250", "\u{200F}2022-01-05\u{200F} 20:05:09", "2022-01-05, 8:05:09 PM",
    ])
  func otherClocks(text: String) {
    var time = RecordedTime(days: .utc)
    #expect(time.seconds(text) == 1_641_413_109)
  }

  @Test("noon and midnight of a clock of 12 hours")
  func noon() {
    var time = RecordedTime(days: .utc)
    #expect(time.seconds("2022-01-05 12:00:00 AM") == 1_641_340_800)
    #expect(time.seconds("2022-01-05 12:00:00 PM") == 1_641_384_000)
    #expect(time.seconds("2022-01-05 0:00:00 PM") == 1_641_384_000)
    #expect(time.seconds("2022-01-05 1:00:00 a. m.") == 1_641_344_400)
  }

  @Test("a local time that there is twice is told, and which offsets it has")
  func repeatedTime() throws {
    let days = try LocalDays(zone: "Europe/Berlin")
    var time = RecordedTime(days: days)
    #expect(time.seconds("2026-10-25 02:30:00") == 1_792_888_200 && time.isAmbiguous)
    #expect(time.seconds("2026-10-25 02:30:00+0100") == 1_792_891_800 && !time.isAmbiguous)
    #expect(time.seconds("2026-10-25 03:00:00") == 1_792_893_600 && !time.isAmbiguous)
    #expect(time.seconds("2026-03-29 02:30:00") != nil && !time.isAmbiguous)
    #expect(days.repeatedTime("2026-10-25 02:30") == "+02:00 or +01:00")
    #expect(days.repeatedTime("2026-10-25 02:30:00") == "+02:00 or +01:00")
    #expect(
      days.repeatedTime("2026-10-25 02:30:00+0100") == nil && days.repeatedTime("2026-10-25 04:30") == nil)
  }

  @Test("local time in summer, in winter, and where the clock is set back")
  func localTime() throws {
    let days = try LocalDays(zone: "Europe/London")
    var time = RecordedTime(days: days)
    #expect(time.seconds("2020-08-11 20:08:00") == 1_597_172_880)  // 19:08 UTC
    #expect(time.seconds("2020-12-11 20:08:00") == 1_607_717_280)  // 20:08 UTC
    #expect(time.seconds("2020-08-11 20:08:00+0000") == 1_597_176_480)
    #expect(time.seconds("2020-10-25 00:59:59") == 1_603_583_999)  // 23:59:59 UTC
    #expect(time.seconds("2020-10-25 02:00:00") == 1_603_591_200)  // 02:00 UTC
    #expect(days.localTime(of: 1_597_172_880_000) == "2020-08-11 20:08:00")
    #expect(days.moment("2020-08-11T20:08") == 1_597_172_880)
    #expect(days.moment("2020-08-11T20:08Z") == 1_597_176_480)
    #expect(days.moment("2020-08-11") == nil)
  }

  @Test(
    "fields, quoted by RFC 4180 and by phones",
    arguments: [
      ("", [""]), ("a,b", ["a", "b"]), ("a,,", ["a", "", ""]), (",", ["", ""]),
      ("\"a,b\",c", ["a,b", "c"]), ("\"say \"\"a\"\"\",c", ["say \"a\"", "c"]),
      ("\"my \"best\" phone\",iOS", ["my \"best\" phone", "iOS"]), ("\"open,b", ["open,b"]),
      ("\"\",b", ["", "b"]), ("a\"b,c", ["a\"b", "c"]), ("\"a\"\",b\",c", ["a\",b", "c"]),
      ("\"Adam’s phone\",iOS", ["Adam’s phone", "iOS"]),
    ])
  func fields(line: String, texts: [String]) {
    let bytes = Array(line.utf8)
    var fields = LineFields(mostFields: 8)
    fields.split(bytes.span)
    #expect((0..<fields.count).map { fields.text($0, of: bytes.span) } == texts)
  }

  @Test("no more fields are kept than are wanted")
  func manyFields() {
    let bytes = Array(String(repeating: ",", count: 10_000).utf8)
    var fields = LineFields(mostFields: 3)
    fields.split(bytes.span)
    #expect(fields.count == 3)
  }

  @Test("lines with either line end, without one, after a byte order mark, and across pieces")
  func lineEnds() throws {
    #expect(try read([]) == [])
    #expect(try read(Array("a\r\nb\nc".utf8)) == ["a", "b", "c"])
    #expect(try read([0xEF, 0xBB, 0xBF] + Array("a\n\n".utf8)) == ["a", ""])
    let many = (0..<100_000).map { "line \($0)" }
    #expect(try read(Array((many.joined(separator: "\n") + "\n").utf8)) == many)
  }

  @Test("text in UTF-16, with a mark or without, is refused by name")
  func otherEncodings() throws {
    let folder = RecordedFolders()
    for bytes in [[0xFF, 0xFE, 0x74, 0x00], [0xFE, 0xFF, 0x00, 0x74], [0x74, 0x00, 0x69, 0x00]] as [[UInt8]] {
      let path = try folder.write("a", "lines", bytes)
      let error = #expect(throws: HostLinkError.self) { try TextLines.read(path) { _ in true } }
      #expect(error?.what.hasSuffix("is UTF-16, or no text: it has to be UTF-8") == true)
      #expect(throws: HostLinkError.self) { try TextLines.readRow(path) { _, _ in } }
    }
  }

  @Test("a line that is too long is skipped and counted, however long it is")
  func longLines() throws {
    let long = [UInt8](repeating: 0x61, count: 3_000_000)
    let folder = RecordedFolders()
    let path = try folder.write("a", "lines", Array("x\n".utf8) + long + Array("\ny\n".utf8) + long)
    var lines = 0
    let reading = try TextLines.read(path) { _ in
      lines += 1
      return true
    }
    #expect(lines == 2 && reading == TextLines.Reading(lines: 2, tooLong: 2))
    let exact = try folder.write("a", "exact", [UInt8](repeating: 0x61, count: TextLines.mostBytes))
    #expect(try TextLines.read(exact) { $0.count == TextLines.mostBytes } == .init(lines: 1, tooLong: 0))
  }

  private func read(_ bytes: [UInt8]) throws -> [String] {
    let folder = RecordedFolders()
    let path = try folder.write("a", "lines", bytes)
    var lines: [String] = []
    _ = try TextLines.read(path) { line in
      lines.append(String(decoding: line.withUnsafeBufferPointer { Array($0) }, as: UTF8.self))
      return true
    }
    return lines
  }
}

/// Folders of devices that are gone when the test is.
final class RecordedFolders {
  let path = NSTemporaryDirectory() + "herald-recorded-" + UUID().uuidString

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file into the folder of a device; returns its path.
  @discardableResult
  func write(_ device: String, _ name: String, _ bytes: [UInt8]) throws -> String {
    try FileManager.default.createDirectory(atPath: "\(path)/\(device)", withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(device)/\(name)"))
    return "\(path)/\(device)/\(name)"
  }

  /// Writes the files of a device: `detection.csv`, and `contacts.csv` of rows in a short form: the time of
  /// 2022-11-29, the address, `m`, `r PAYLOAD`, `s PAYLOAD` or `d`.
  func device(_ name: String, payload: String, _ rows: [String]) throws {
    try write(name, "detection.csv", Array("\(name)'s phone,Android,30,\(payload),other".utf8))
    var text = "time,sensor,id,detect,read,measure,share,visit,detectHerald,delete,data\n"
    for row in rows {
      let parts = row.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      let start = "2022-11-29 \(parts[0])+0000,BLE,\(parts[1])"
      switch parts[2] {
      case "m": text += "\(start),,,3,,,,,RSSI:-60.0\n"
      case "r": text += "\(start),,2,,,,,,\(parts[3])\n"
      case "s": text += "\(start),,,,4,,,,\(parts[3])\n"
      default: text += "\(start),1,,,,,,,\n"
      }
    }
    try write(name, "contacts.csv", Array(text.utf8))
  }
}
