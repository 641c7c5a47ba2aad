import Foundation
import HeraldBluetooth
import HeraldEmbedded
import Testing

@testable import HeraldHostLink

/// Recordings of real phones, where the machine has them.
enum Recordings {
  static let folder: String = {
    if let named = ProcessInfo.processInfo.environment["HERALD_DATA"] { return named }
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("../shared/data").path
  }()

  static func text(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: "\(folder)/recordings/\(path)") else {
      print("skipped: there is no \(path); set HERALD_DATA to the folder with the recordings")
      return nil
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// The events behind a `contacts.csv` of an Android phone. Payloads are known by their short form only:
  /// three bytes and what the short form holds.
  static func events(_ text: String) throws -> [DatedEvent] {
    try text.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      try #require(fields.count == 11)
      let date = try #require(UTCTimestamp.parse(fields[0]))
      let address = try #require(UInt64(fields[2].filter { $0 != ":" }, radix: 16))
      let peer = TargetIdentity(
        kind: .randomAddress, high: UInt16(address >> 32), low: UInt32(truncatingIfNeeded: address))
      let kind: DatedEvent.Kind
      switch fields[3...9].joined() {
      case "1": kind = .detected
      case "2": kind = .read([0, 0, 0] + (try #require(Data(base64Encoded: "\(fields[10])AA"))))
      case "3":
        let parts = fields[10].split(whereSeparator: { ":[]".contains($0) })
        let rssi = try #require(Double(parts[1]))
        kind = .measured(
          rssi: Int(rssi), txPower: parts.count > 3 ? Int(try #require(Double(parts[3]))) : nil)
      case "6": kind = .heraldDetected
      default:
        try #require(fields[9] == "7")
        kind = .lost
      }
      return DatedEvent(unixMilliseconds: date, peer: peer, kind: kind)
    }
  }
}

@Suite("Herald's log files")
struct CSVTests {
  let peer = TargetIdentity(kind: .randomAddress, high: 0x7BAC, low: 0xAC34_E94A)

  @Test("HP-46 contacts.csv has the bytes of Herald 2.1 for every event")
  func contactRows() {
    let payload: [UInt8] = [0, 0, 0, 0x69, 0xA6, 0x9A, 0x69]
    let kinds: [DatedEvent.Kind] = [
      .detected, .heraldDetected, .read(payload), .measured(rssi: -39, txPower: nil),
      .measured(rssi: -96, txPower: 8), .shared(payload), .lost,
      .visited(
        VenueVisit(
          first: 1000, last: 2000, beacon: peer,
          payload: [
            0x30, 0x3A, 0x03, 0x04, 0x00, 0xF3, 0xE0, 0x01, 0x00, 0x10, 0x06, 0x45, 0x72, 0x69, 0x6E, 0x27,
            0x73,
          ])),
    ]
    let events = kinds.map { DatedEvent(unixMilliseconds: 1_669_760_516_552, peer: peer, kind: $0) }
    let start = "2022-11-29 22:21:56.552+0000,BLE,7B:AC:AC:34:E9:4A,"
    #expect(
      String(decoding: ContactsCSV.text(of: events), as: UTF8.self)
        == """
        time,sensor,id,detect,read,measure,share,visit,detectHerald,delete,data
        \(start)1,,,,,,,
        \(start),,,,,6,,
        \(start),2,,,,,,aaaaaQ
        \(start),,3,,,,,RSSI:-39.0
        \(start),,3,,,,,RSSI:-96.0[BLETransmitPower:8.0]
        \(start),,,4,,,,aaaaaQ
        \(start),,,,,,7,
        2022-11-29 22:21:56.552+0000,BLE,,,,,,5,,,"PLACE(name=Erin's):[from=1970-01-01 00:00:01,to=1970-01-01 00:00:02]"

        """)
  }

  @Test(
    "HP-46 a phone's contacts.csv is written again byte for byte",
    arguments: ["phone-a40", "short/AndroidA40", "short/AndroidA70"])
  func recordedContacts(_ phone: String) throws {
    guard let text = Recordings.text("\(phone)/contacts.csv") else { return }
    let written = ContactsCSV.text(of: try Recordings.events(text))
    // The published files lack the last line's end, which the phones write.
    #expect(written.elementsEqual("\(text)\n".utf8))
  }

  @Test("HP-49 a phone's battery.csv is written again byte for byte")
  func recordedBattery() throws {
    guard let text = Recordings.text("phone-a40/battery.csv") else { return }
    let levels = try text.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: ",")
      return BatteryLevel(
        unixMilliseconds: try #require(UTCTimestamp.parse(fields[0])), level: try #require(Double(fields[2])),
        isExternal: fields[1] == "external")
    }
    #expect(BatteryCSV.text(of: levels).elementsEqual("\(text)\n".utf8))
  }

  @Test("HP-48 detection.csv is one line: name, system, version, own payload, the others sorted")
  func detection() throws {
    func text(_ name: String, _ system: String, _ version: String, _ payloads: [(LogEvent, [UInt8])] = [])
      throws
      -> String?
    {
      var device = DeviceRecord()
      (device.name, device.system, device.version) = (name, system, version)
      return try SyntheticLog(start: 1_700_000_000_000, device: device, payloads.map { (0, $0.0, $0.1) })
        .table(
          "detection")
    }
    // Their short forms are the base64 of what follows the first three bytes.
    let own: [UInt8] = [0, 0, 0] + (try #require(Data(base64Encoded: "ZqFdag==")))
    let other: [UInt8] = [0, 0, 0] + (try #require(Data(base64Encoded: "ql8F4g==")))
    let third: [UInt8] = [0, 0, 0] + (try #require(Data(base64Encoded: "lGxWLg==")))
    #expect(
      try text(
        "SM-A405FN", "Android", "29",
        [
          (.ownPayload, own), (.read(peer), other), (.read(peer), third), (.read(peer), own),
          (.read(peer), other),
        ])
        == "SM-A405FN,Android,29,ZqFdag,lGxWLg,ql8F4g\n")
    #expect(try text("a,b", "it's", "") == "\"a,b\",\"it's\",NULL,\n")
    #expect(
      try text("=HYPERLINK(\"x\")", "+1\n2", "@SUM(A1)")
        == "\"'=HYPERLINK(\"\"x\"\")\",\"'+1?2\",\"'@SUM(A1)\",\n")
  }

  @Test("HP-47 statistics.csv begins at two intervals and leaves the own payload out")
  func statistics() throws {
    let other = TargetIdentity(kind: .randomAddress, high: 0, low: 1)
    let bytes: [UInt8] = [0, 0, 0, 0x69, 0xA6, 0x9A]  // base64 of the last three is "aaaa"
    var log = try SyntheticLog(
      start: 1_700_000_000_000,
      [
        (0, .measured(peer, RSSI(-50)), []),  // nothing read yet: no sign of a payload
        (1000, .read(peer), bytes), (2000, .measured(peer, RSSI(-50)), []),
      ])
    #expect(log.table("statistics") == "payload,count,mean,sd,min,max\n")
    try log.add(start: 1_700_000_000_000, [(3000, .shared(other), bytes)])
    #expect(log.table("statistics") == "payload,count,mean,sd,min,max\naaaa,2,1.0,0.0,1.0,1.0\n")
    try log.add(start: 1_700_000_000_000, [(4000, .ownPayload, bytes)])
    #expect(log.table("statistics") == "payload,count,mean,sd,min,max\n")
  }

  // Computed by a Python program from the recording, with exact fractions, then printed by `repr`.
  @Test("HP-47 statistics of a recording agree with values computed elsewhere")
  func recordedStatistics() throws {
    guard let text = Recordings.text("phone-a40/contacts.csv") else { return }
    let events = try Recordings.events(text)
    let start = try #require(events.map(\.unixMilliseconds).min())
    let log = try SyntheticLog(
      start: start,
      events.map { event in
        let uptime = event.unixMilliseconds - start
        switch event.kind {
        case .read(let payload): return (uptime, .read(event.peer), payload)
        case .measured(let rssi, _): return (uptime, .measured(event.peer, RSSI(Int8(rssi))), [])
        default: return (uptime, .heraldDetected(event.peer), [])
        }
      })
    let rows = log.lines("statistics")
    let expected: [(String, Int, Double, Double, Double, Double)] = [
      ("lGxWLg", 4117, 1.3872584406120962, 4.788542572197526, 0.002, 61.3),
      ("ql8F4g", 344, 15.997901162790697, 132.14324097873254, 0.003, 1760.999),
    ]
    try #require(rows.count == expected.count)
    for (row, value) in zip(rows, expected) {
      let fields = row.split(separator: ",")
      #expect(fields[0] == value.0)
      #expect(fields[1] == "\(value.1)")
      for (field, number) in zip(fields[2...], [value.2, value.3, value.4, value.5]) {
        #expect(abs(try #require(Double(field)) - number) <= 1e-9 * abs(number))
      }
    }
  }

  @Test("Numbers look as Java prints them")
  func javaNumbers() {
    let cases: [(Double, String)] = [
      (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-47, "-47.0"), (0.1, "0.1"), (0.001, "0.001"),
      (0.0009, "9.0E-4"),
      (0.00012345, "1.2345E-4"), (100, "100.0"), (123456.789, "123456.789"), (9_999_999, "9999999.0"),
      (10_000_000, "1.0E7"), (12_345_678.9, "1.23456789E7"), (1e21, "1.0E21"),
      (1.0 / 3, "0.3333333333333333"),
      (2.0 / 3, "0.6666666666666666"), (.infinity, "Infinity"), (.nan, "NaN"),
    ]
    for (value, text) in cases { #expect(JavaNumber.text(value) == text) }
  }

  @Test("Moments are written and read in UTC")
  func timestamps() {
    let cases: [(UInt64, String)] = [
      (0, "1970-01-01 00:00:00.000+0000"), (951_782_399_999, "2000-02-28 23:59:59.999+0000"),
      (951_782_400_000, "2000-02-29 00:00:00.000+0000"), (1_669_760_516_552, "2022-11-29 22:21:56.552+0000"),
      (4_107_542_399_000, "2100-02-28 23:59:59.000+0000"),
      (4_107_542_400_000, "2100-03-01 00:00:00.000+0000"),
      (253_402_300_799_999, "9999-12-31 23:59:59.999+0000"),
    ]
    for (value, text) in cases {
      #expect(UTCTimestamp.text(value) == text)
      #expect(UTCTimestamp.parse(text) == value)
    }
    #expect(UTCTimestamp.text(.max) == "9999-12-31 23:59:59.999+0000")
    #expect(UTCTimestamp.parse("2022-11-29T22:21:56Z") == 1_669_760_516_000)
    for bad in [
      "", "2022-02-30 00:00:00.000+0000", "2022-11-29", "2022-11-29 22:21:56.+0000",
      "2022-11-29 22:21:56+0100",
    ] {
      #expect(UTCTimestamp.parse(bad) == nil)
    }
  }

  @Test("The short form of a payload is six base64 characters behind the third byte")
  func shortPayloads() {
    #expect(ShortPayload.text([]) == "")
    #expect(ShortPayload.text([0x69]) == "aQ==")
    #expect(ShortPayload.text([0x69, 0xA6, 0x9A]) == "aaaa")
    #expect(ShortPayload.text([0x69, 0xA6, 0x9A, 0x69, 0xA6, 0x9A]) == "aaaa")
    #expect(
      ShortPayload.text([0x08, 0x3A, 0x03, 0x00, 0x00, 0xD2, 0x02, 0x96, 0x49, 0, 0, 0, 0]) == "AADSAp")
  }
}
