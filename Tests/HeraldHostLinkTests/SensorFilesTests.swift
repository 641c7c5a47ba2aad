import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldNeighbours
import Testing

@testable import HeraldHostLink

/// The files beside those of the phones, and what the conversion makes of the records behind them.
@Suite("Files of visits, messages, codes and contacts")
struct SensorFilesTests {
  let start: UInt64 = 1_669_760_510_000  // 2022-11-29 22:21:50
  let phone = TargetIdentity(kind: .randomAddress, high: 0x7BAC, low: 0xAC34_E94A)
  let beacon = TargetIdentity(kind: .publicAddress, high: 0x0011, low: 0x2233_4455)
  /// Country 826, state 4, venue 123123, premises "Erin's Stakehouse".
  let venue: [UInt8] = [
    0x30, 0x3A, 0x03, 0x04, 0x00, 0xF3, 0xE0, 0x01, 0x00, 0x10, 0x11, 0x45, 0x72, 0x69, 0x6E, 0x27, 0x73,
    0x20, 0x53,
    0x74, 0x61, 0x6B, 0x65, 0x68, 0x6F, 0x75, 0x73, 0x65,
  ]

  func convert(_ records: [(UInt64, LogEvent, [UInt8])]) throws -> SyntheticLog {
    try SyntheticLog(start: start, records)
  }

  @Test("HP-46 HP-51 A visit is a line of contacts.csv and, with its numbers and name, of visits.csv")
  func visits() throws {
    let log = try convert([
      (1000, .detected(beacon), []), (2000, .read(beacon), venue),
      (661_000, .visited(beacon, firstReceived: 660, lastReceived: 301), []),
      (700_000, .visited(phone, firstReceived: 200, lastReceived: 0), []),  // its payload was in a lost page
    ])
    #expect(
      log.lines("contacts").dropFirst(2).joined(separator: "\n") == """
        2022-11-29 22:32:51.000+0000,BLE,,,,,,5,,,"PLACE(name=Erin's Stakehouse):[from=2022-11-29 22:21:51,to=2022-11-29 22:27:50]"
        2022-11-29 22:33:30.000+0000,BLE,,,,,,5,,,"PLACE(name=7B:AC:AC:34:E9:4A):[from=2022-11-29 22:30:10,to=2022-11-29 22:33:30]"
        """)
    #expect(
      log.table("visits") == """
        first,last,seconds,country,state,code,name,beacon
        2022-11-29 22:21:51.000+0000,2022-11-29 22:27:50.000+0000,359.0,826,4,123123,"Erin's Stakehouse",00:11:22:33:44:55
        2022-11-29 22:30:10.000+0000,2022-11-29 22:33:30.000+0000,200.0,,,,,7B:AC:AC:34:E9:4A

        """)
  }

  @Test("What others chose stays one field and is no formula")
  func foreignText() {
    func field(_ text: String) -> String {
      var csv = CSVText()
      csv.foreign(text)
      return String(decoding: csv.bytes, as: UTF8.self)
    }
    #expect(field("Pixel 4") == "Pixel 4")
    #expect(field("") == "")
    #expect(field("Ward #3") == "\"Ward #3\"")
    #expect(field("a\",\"b") == "\"a\"\",\"\"b\"")
    #expect(field("=cmd|x") == "\"'=cmd|x\"")
    for sign in ["+", "-", "@"] { #expect(field(sign + "1") == "\"'\(sign)1\"") }
    #expect(field("a;=b;c;@d=") == "\"a;'=b;c;'@d=\"")
    let models = [
      DatedBytes(unixMilliseconds: 0, peer: phone, kind: .model, bytes: Array("=1\"".utf8))
    ]
    #expect(
      String(decoding: ModelsCSV.text(of: models), as: UTF8.self).hasSuffix(",\"'=1\"\"\"\n"))
    let name: [UInt8] = [0x10, 3, 0x40, 0x22, 0x2C]
    let visit = VenueVisit(first: 0, last: 0, beacon: beacon, payload: Array(venue[..<9]) + name)
    #expect(String(decoding: VisitsCSV.text(of: [visit]), as: UTF8.self).contains(",\"'@\"\",\","))
    // In the phones' file, too: `",=1` of a venue's name begins no other field.
    let breaking = VenueVisit(
      first: 0, last: 0, beacon: beacon, payload: Array(venue[..<9]) + [0x10, 4, 0x22, 0x2C, 0x3D, 0x31])
    let event = DatedEvent(unixMilliseconds: 0, peer: beacon, kind: .visited(breaking))
    #expect(
      String(decoding: ContactsCSV.text(of: [event]), as: UTF8.self).hasSuffix(
        ",\"PLACE(name=\"\",=1):[from=1970-01-01 00:00:00,to=1970-01-01 00:00:00]\"\n"))
  }

  @Test("HP-51 A venue without a name is called by its numbers, and a hostile name is made safe")
  func places() throws {
    func place(_ payload: [UInt8]) -> String {
      VenueVisit(first: 0, last: 0, beacon: beacon, payload: payload).place
    }
    #expect(place(Array(venue[..<9])) == "826/4/123123")
    #expect(place(Array(venue[..<9]) + [0x10, 3, 0x41, 0x0A, 0x1B]) == "A??")
    #expect(place([]) == "00:11:22:33:44:55")
    #expect(place([0x31] + venue[1...]) == "00:11:22:33:44:55")
    // Seconds that lie: more than the date has.
    #expect(
      try convert([(1_700_000_000, .visited(beacon, firstReceived: .max, lastReceived: .max), [])]).lines(
        "visits")
        == ["1970-01-01 00:00:00.000+0000,1970-01-01 00:00:00.000+0000,0.0,,,,,00:11:22:33:44:55"])
  }

  @Test("HP-42 HP-46 What a peer shared is a line for each payload, if it comes out even")
  func shares() throws {
    func split(own: [UInt8], _ shared: [UInt8]) -> [[UInt8]] {
      LogInterpreter.split(shared, length: own.count)
    }
    let own: [UInt8] = [8, 0, 0, 1]
    #expect(
      split(own: own, [8, 0, 0, 2, 8, 0, 0, 3, 8, 0, 0, 1]) == [[8, 0, 0, 2], [8, 0, 0, 3], [8, 0, 0, 1]])
    #expect(split(own: own, [8, 0, 0, 2, 8, 0, 0]) == [[8, 0, 0, 2, 8, 0, 0]])
    #expect(split(own: [], [1, 2, 3]) == [[1, 2, 3]])
    #expect(split(own: own, []) == [[]])
    let log = try convert([(10, .ownPayload, own), (20, .shared(phone), [8, 0, 0, 2, 8, 0, 0, 3])])
    #expect(log.table("detection") == "NULL,NULL,NULL,AQ==,Ag==,Aw==\n")
    #expect(
      log.lines("contacts") == [
        "2022-11-29 22:21:50.020+0000,BLE,7B:AC:AC:34:E9:4A,,,,4,,,,Ag==",
        "2022-11-29 22:21:50.020+0000,BLE,7B:AC:AC:34:E9:4A,,,,4,,,,Aw==",
      ])
  }

  @Test("Each change of the motion sensor is a line")
  func motion() throws {
    let log = try convert([
      (1000, .motion(.worn), []), (301_000, .motion(.lying), []), (302_500, .motion(.unknown), []),
    ])
    #expect(
      log.table("motion") == """
        time,state
        2022-11-29 22:21:51.000+0000,worn
        2022-11-29 22:26:51.000+0000,lying
        2022-11-29 22:26:52.500+0000,unknown

        """)
  }

  @Test("HP-28 HP-30 HP-52 HP-54 HP-55 Messages, models and codes have files of their own")
  func bytes() throws {
    let number = (0..<16).map { 0xC0 + UInt8($0) }
    let log = try convert([
      (1000, .received(phone), [0x68, 0x69]), (1500, .received(phone), []),
      (2000, .model(phone), Array("a,\u{7}b".utf8)),
      (3000, .observed(phone, .covidWatch), number),
      (4000, .ownCode(.covidWatch), Array(number.reversed())),
      (5000, .observed(phone, .c19x), [1, 2, 3, 4, 5, 6, 7, 8]), (6000, .ownCode(.c19x), [9]),
    ])
    #expect(
      log.table("messages") == """
        time,id,data
        2022-11-29 22:21:51.000+0000,7B:AC:AC:34:E9:4A,x6869
        2022-11-29 22:21:51.500+0000,7B:AC:AC:34:E9:4A,x

        """)
    #expect(
      log.table("models")
        == "time,id,model\n2022-11-29 22:21:52.000+0000,7B:AC:AC:34:E9:4A,\"a,?b\"\n")
    #expect(
      log.table("neighbours") == """
        time,role,system,id,code
        2022-11-29 22:21:53.000+0000,observed,covidwatch,7B:AC:AC:34:E9:4A,xc0c1c2c3c4c5c6c7c8c9cacbcccdcecf
        2022-11-29 22:21:54.000+0000,own,covidwatch,,xcfcecdcccbcac9c8c7c6c5c4c3c2c1c0
        2022-11-29 22:21:55.000+0000,observed,c19x,7B:AC:AC:34:E9:4A,x0102030405060708
        2022-11-29 22:21:56.000+0000,own,c19x,,x09

        """)
    #expect(log.lines("contacts").isEmpty)
  }

  @Test(
    "HP-18 HP-19 HP-20 A contact runs from the first detection to the last reading, put off by 30 s at most")
  func contacts() throws {
    let minute: UInt64 = 60_000
    let log = try convert([
      (0, .detected(phone), []), (500, .measured(phone, RSSI(-50)), []),
      // A millisecond more than fifteen minutes: somebody came back.
      (15 * minute + 501, .measured(phone, RSSI(-60)), []),
      (16 * minute + 900, .heraldDetected(phone), []),
      (20 * minute, .measured(phone, RSSI(-60)), []), (40 * minute, .lost(phone), []),
      (41 * minute, .detected(beacon), []),
    ])
    #expect(
      log.table("contact_events") == """
        id,payload,begin,end,seconds,readings
        7B:AC:AC:34:E9:4A,,2022-11-29 22:21:50.000+0000,2022-11-29 22:21:50.500+0000,30.0,1
        7B:AC:AC:34:E9:4A,,2022-11-29 22:36:50.501+0000,2022-11-29 22:41:50.000+0000,60.0,2
        00:11:22:33:44:55,,2022-11-29 23:02:50.000+0000,2022-11-29 23:02:50.000+0000,30.0,0

        """)
    #expect(ContactPeriod.end(20_000, extendedBy: 20_000) == 40_000)
    #expect(ContactPeriod.end(20_000, extendedBy: 60_000) == 50_000)
  }

  @Test(
    "HP-03 HP-45 Readings from before a payload was read belong to it, and addresses that showed it are one person"
  )
  func attribution() throws {
    let later = TargetIdentity(kind: .randomAddress, high: 0x4444, low: 7)
    let payload: [UInt8] = [0, 0, 0, 0x69, 0xA6, 0x9A]
    let log = try convert([
      (0, .detected(phone), []), (1000, .measured(phone, RSSI(-50)), []),
      (2000, .measured(phone, RSSI(-51)), []),
      (3000, .read(phone), payload), (4000, .measured(phone, RSSI(-52)), []),
      (600_000, .detected(later), []), (601_000, .measured(later, RSSI(-53)), []),
      (602_000, .read(later), payload),
      (603_000, .measured(later, RSSI(-54)), []),
    ])
    #expect(
      log.table("contact_events") == """
        id,payload,begin,end,seconds,readings
        7B:AC:AC:34:E9:4A,aaaa,2022-11-29 22:21:50.000+0000,2022-11-29 22:31:53.000+0000,60.0,5

        """)
    let summary = log.summary()
    #expect(summary.contacts.map(\.readings) == [5] && summary.contacts.first?.addresses == 2)
    #expect(summary.unknownReadings == 0)
  }

  @Test("Payloads that a reader would take for numbers have an apostrophe in front")
  func guardedPayloads() throws {
    // Of which the short forms are 1234E5 and 000012.
    let log = try convert([
      (0, .detected(phone), []), (1000, .read(phone), [0, 0, 0, 0xD7, 0x6D, 0xF8, 0x13, 0x90, 0]),
      (0, .detected(beacon), []), (1000, .read(beacon), [0, 0, 0, 0xD3, 0x4D, 0x34, 0xD7, 0x60, 0]),
    ])
    let payloads = Set(log.lines("contact_events").map { $0.split(separator: ",")[1] })
    #expect(payloads.allSatisfy { $0.hasPrefix("\"'") && $0.hasSuffix("\"") } && payloads.count == 2)
    #expect(log.table("contacts")?.contains("'") == false)
  }

  @Test("HP-19 HP-43 What others tell of somebody, who may have made it up, is no contact and prolongs none")
  func hearsay() throws {
    let told = TargetIdentity(kind: .shared, high: 1, low: 2)
    let payload: [UInt8] = [0, 0, 0, 0x69, 0xA6, 0x9A]
    let log = try convert([
      (0, .detected(phone), []), (500, .read(phone), payload), (1000, .measured(phone, RSSI(-50)), []),
      (60_000, .shared(beacon), payload), (60_000, .read(told), payload),
      (60_000, .measured(told, RSSI(-40)), []), (120_000, .measured(told, RSSI(-40)), []),
      (130_000, .read(told), [9, 9]), (130_000, .measured(told, RSSI(-40)), []),
    ])
    #expect(
      log.lines("contact_events") == [
        "7B:AC:AC:34:E9:4A,aaaa,2022-11-29 22:21:50.000+0000,2022-11-29 22:21:51.000+0000,30.0,1"
      ])
    let summary = log.summary()
    #expect(summary.contacts.map(\.payload) == [payload])
    #expect(summary.contacts.first?.lastSeen == start + 1000 && summary.contacts.first?.addresses == 1)
    #expect(summary.readings == 1 && summary.unknownAddresses == 0)
  }

  @Test("HP-45 HP-46 The files are there after a conversion, those with nothing in them are not")
  func files() throws {
    var log = try convert([(0, .detected(phone), []), (20, .received(phone), [1])])
    for name in ["contacts", "statistics", "detection", "contact_events", "messages"] {
      #expect(log.table(name) != nil)
    }
    for name in ["battery", "visits", "models", "neighbours"] { #expect(log.table(name) == nil) }
    try log.add(
      start: start,
      [
        (0, .battery(level: 5, external: false), []),
        (0, .visited(beacon, firstReceived: 0, lastReceived: 0), []),
        (0, .model(phone), []), (0, .ownCode(.c19x), []),
      ])
    for name in ["battery", "visits", "models", "neighbours", "messages"] { #expect(log.table(name) != nil) }
  }

  @Test("Nothing of what has no date is lost from the count")
  func undated() throws {
    let log = try SyntheticLog(
      start: nil, [(5, .received(phone), []), (5, .visited(beacon, firstReceived: 9, lastReceived: 1), [])])
    #expect(log.summary().undatedEvents == 2)
    #expect(log.table("messages") == nil && log.table("visits") == nil)
  }
}
