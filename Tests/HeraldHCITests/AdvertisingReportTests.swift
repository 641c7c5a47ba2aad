import HeraldBluetooth
import Testing

@testable import HeraldHCI

@Suite("Advertising reports")
struct AdvertisingReportTests {
  /// The reports of one event, given its bytes from the event code on.
  func reports(_ event: String) -> (events: [Recorder.Event], malformed: UInt32) {
    var bench = Bench.ready()
    bench.arrive("04" + event)
    return (bench.events(), bench.radio.counters[.malformedEvents])
  }

  @Test("HP-26 A legacy report: address, data, strength and kind")
  func legacy() {
    let found = reports("3e0f 02 01 00 01 665544332211 03 020106 c4")
    #expect(found.events == [.report("11:22:33:44:55:66", -60, 0x13, [2, 1, 6])])
    #expect(found.malformed == 0)
  }

  @Test(
    "Every legacy kind is told",
    arguments: [("00", 0x13), ("01", 0x15), ("02", 0x12), ("03", 0x10), ("04", 0x1A), ("07", 0x10)])
  func kinds(_ type: String, _ kind: UInt8) {
    let found = reports("3e0c 02 01 \(type) 00 665544332211 00 c4")
    #expect(found.events == [.report("11:22:33:44:55:66p", -60, kind, [])])
  }

  @Test("HP-26 Strength 127 is not available, and reported all the same")
  func unknownStrength() {
    let found = reports("3e0c 02 01 00 00 665544332211 00 7f")
    #expect(found.events == [.report("11:22:33:44:55:66p", 127, 0x13, [])])
    #expect(!RSSI(127).isAvailable)
  }

  @Test("Reports that can be read one after another are, though their columns would come out as well")
  func rowsFirst() {
    // At the places where columns have the lengths stand 10 and 0, whose sum is that of the rows.
    let data = "01020304050607 0a00 0a"
    let found = reports("3e20 02 02 00 01 665544332211 0a \(data) c4 02 00 aaaaaaaaaaaa 00 ba")
    #expect(
      found.events == [
        .report("11:22:33:44:55:66", -60, 0x13, [1, 2, 3, 4, 5, 6, 7, 10, 0, 10]),
        .report("aa:aa:aa:aa:aa:aap", -70, 0x12, []),
      ])
    #expect(found.malformed == 0)
  }

  static let three: [Recorder.Event] = [
    .report("11:22:33:44:55:66", -60, 0x13, [2, 1, 6]),
    .report("aa:aa:aa:aa:aa:aap", -70, 0x1A, []),
    .report("bb:bb:bb:bb:bb:bb", 20, 0x10, [1, 9]),
  ]

  @Test("HP-26 Several reports in one event, one behind the other")
  func interleaved() {
    let found = reports(
      "3e25 02 03 00 01 665544332211 03 020106 c4 04 00 aaaaaaaaaaaa 00 ba 03 01 bbbbbbbbbbbb 02 0109 14")
    #expect(found.events == Self.three)
    #expect(found.malformed == 0)
  }

  @Test("HP-26 Several reports in one event, column by column")
  func columns() {
    let found = reports(
      "3e25 02 03 000403 010001 665544332211 aaaaaaaaaaaa bbbbbbbbbbbb 030002 020106 0109 c4ba14")
    #expect(found.events == Self.three)
    #expect(found.malformed == 0)
  }

  @Test("HP-26 A cut event yields the reports that are whole")
  func cut() {
    let found = reports("3e1a 02 03 00 01 665544332211 03 020106 c4 04 00 aaaaaaaaaaaa 00 ba 03")
    #expect(found.events == Array(Self.three[0..<2]))
    #expect(found.malformed == 1)
  }

  @Test(
    "Events without a report, or without a count, are malformed",
    arguments: [
      "3e00", "3e01 02", "3e02 02 00", "3e02 0d 00", "3e03 02 01 00", "3e0c 02 01 00 01 665544332211 01 c4",
    ])
  func empty(_ event: String) {
    let found = reports(event)
    #expect(found.events == [])
    #expect(found.malformed == 1)
  }

  @Test("HP-26 Extended reports, as Bumble's controller sends them for a legacy scan, and legacy ones")
  func extended() {
    let found = reports(
      "3e37 0d 02"
        + "0300 01 665544332211 01 00 ff 7f ce 0000 00 000000000000 03 020106"
        + "1b00 00 aaaaaaaaaaaa 01 00 ff 7f 7f 0000 00 000000000000 02 0109")
    #expect(
      found.events == [
        .report("11:22:33:44:55:66", -50, 0x03, [2, 1, 6]), .report("aa:aa:aa:aa:aa:aap", 127, 0x1B, [1, 9]),
      ])
  }

  @Test("Identity and anonymous addresses of extended reports")
  func addresses() {
    let found = reports(
      "3e4a 0d 03"
        + "1000 02 665544332211 01 00 ff 7f ce 0000 00 000000000000 00"
        + "1000 03 665544332211 01 00 ff 7f ce 0000 00 000000000000 00"
        + "0000 ff 665544332211 01 00 ff 7f ce 0000 00 000000000000 00")
    #expect(
      found.events == [
        .report("11:22:33:44:55:66p", -50, 0x10, []), .report("11:22:33:44:55:66", -50, 0x10, []),
        .report("00:00:00:00:00:00p", -50, 0x00, []),
      ])
  }

  @Test("Data that come in pieces count as one report; cut ones say so")
  func pieces() {
    var bench = Bench.ready()
    func piece(_ status: String, _ address: String, _ data: String) -> String {
      "043e1c 0d 01 \(status)00 01 \(address) 01 01 00 7f ce 0000 00 000000000000 02 \(data)"
    }
    bench.arrive(piece("20", "665544332211", "0109"))  // more to come
    bench.arrive(piece("00", "aaaaaaaaaaaa", "0109"))  // another device in between
    bench.arrive(piece("20", "665544332211", "ffff"))  // more to come
    bench.arrive(piece("00", "665544332211", "ffff"))  // the rest
    bench.arrive(piece("00", "665544332211", "0109"))  // the next packet
    bench.arrive(piece("40", "665544332211", "0109"))  // truncated
    #expect(
      bench.events() == [
        .report("11:22:33:44:55:66", -50, 0x20, [1, 9]), .report("aa:aa:aa:aa:aa:aa", -50, 0x00, [1, 9]),
        .report("11:22:33:44:55:66", -50, 0x00, [1, 9]), .report("11:22:33:44:55:66", -50, 0x40, [1, 9]),
      ])
    #expect(bench.radio.counters[.continuedReports] == 2)
    #expect(bench.radio.counters[.advertisingReports] == 6)
  }

  @Test("Reports are not handed on while the radio is not ready")
  func notReady() {
    var bench = Bench()
    bench.arrive("043e0f 02 01 00 01 665544332211 03 020106 c4")
    #expect(bench.events() == [])
    #expect(bench.radio.counters[.advertisingReports] == 1)
  }

  @Test("Events this host does not know are counted and passed over")
  func unknown() {
    var bench = Bench.ready()
    bench.arrive("04ff03010203 04200101 043e020800 043e0f 02 01 00 01 665544332211 03 020106 c4")
    #expect(bench.events() == [Self.three[0]])
    #expect(bench.radio.counters[.unknownEvents] == 3)
  }

  @Test("One poll reads a bounded amount and asks for the next one at once")
  func bounded() {
    var bench = Bench.ready()
    let report = "043e0c 02 01 00 00 665544332211 00 7f"
    bench.arrive(String(repeating: report, count: 300))
    #expect(bench.deadline == bench.now)
    #expect(bench.recorder.events.count < 140)
    #expect(bench.recorder.events.count > 130)
    while bench.deadline == bench.now { bench.poll() }
    #expect(bench.events().count == 300)
  }
}
