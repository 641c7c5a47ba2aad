import Foundation
import HeraldBluetooth
import HeraldEmbedded
import Testing

@testable import HeraldHostLink

/// What a person gets to look at, as the text it is.
@Suite("Report")
struct ReportTests {
  let start: UInt64 = 1_669_760_500_000
  let anna = TargetIdentity(kind: .randomAddress, high: 0x7BAC, low: 0xAC34_E94A)
  let nobody = TargetIdentity(kind: .randomAddress, high: 0x4000, low: 1)
  let payload: [UInt8] = [0x08, 0x3A, 0x03, 0x00, 0x00, 0xD2, 0x02, 0x96, 0x49, 0, 0, 0, 0]

  private func report(_ records: [(UInt64, LogEvent, [UInt8])], device: DeviceRecord = DeviceRecord()) throws
    -> String
  {
    let log = try SyntheticLog(start: start, device: device, records)
    return String(
      decoding: try LogReport(log.logDatabase, device: device, after: LogDatabase.Change()).html,
      as: UTF8.self)
  }

  @Test("A contact has a bar from its beginning to its end, a row in the table and its RSSI values")
  func contact() throws {
    let html = try report([
      (0, .detected(anna), []), (1000, .read(anna), payload), (2000, .measured(anna, RSSI(-50)), []),
      (602_000, .measured(anna, RSSI(-60)), []), (1_000_000, .battery(level: 80, external: false), []),
    ])
    // 778 units for 1,000 s: the contact of 602 s has 468.4 of them.
    #expect(html.contains("<rect class=\"bar\" x=\"170\" y=\"10\" width=\"468.4\" height=\"14\" rx=\"3\">"))
    #expect(
      html.contains("AADSAp: 2022-11-29 22:21:40 to 2022-11-29 22:31:42, near for 1 min 0 s, 2 readings"))
    #expect(
      html.contains(
        "<td>1 min 0 s</td>\n<td>2022-11-29 22:21:40</td>\n<td>2022-11-29 22:31:42</td>\n<td>2</td>\n<td>-50 dBm</td>"
      ))
    // −50 and −60 dBm, at the columns of 2 s and of 602 s.
    #expect(html.contains("cx=\"171.5\" cy=\"31.7\""))
    #expect(html.contains("cx=\"638.5\" cy=\"44.6\""))
    #expect(html.contains("<h2>Battery</h2>"))
    #expect(html.contains("points=\"948,26\""))
    #expect(!html.contains("Times without a record"))
  }

  @Test("A report that cannot be written names the file and says what to do")
  func unwritable() throws {
    let log = try SyntheticLog(start: start, [(0, .detected(anna), [])])
    let report = try LogReport(log.logDatabase, device: DeviceRecord(), after: LogDatabase.Change())
    for path in ["/nowhere/report.html", "/tmp"] {
      let error = #expect(throws: HostLinkError.self) { try report.write(to: path) }
      #expect(error?.cause == .storage && error?.what.hasPrefix("\(path) cannot be ") == true)
      #expect(error?.advice?.contains("in a folder that is there") == true)
    }
  }

  @Test("Who was only told of is not in it, who showed no payload is there by address")
  func others() throws {
    let told = TargetIdentity(kind: .shared, high: 0, low: 9)
    let html = try report([
      (0, .read(told), payload), (0, .measured(nobody, RSSI(-80)), []),
      (5000, .measured(nobody, RSSI(-81)), []),
    ])
    #expect(html.contains("1 met, 2 readings"))
    #expect(html.contains("<td>40:00:00:00:00:01</td>"))
    #expect(!html.contains("AADSAp"))
  }

  @Test("More than a quarter of an hour without a record is shown as such, a quarter of an hour is not")
  func gaps() throws {
    #expect(
      try report([(0, .measured(nobody, RSSI(-80)), []), (900_000, .measured(nobody, RSSI(-80)), [])])
        .contains(
          "without a record") == false)
    let html = try report([
      (0, .measured(nobody, RSSI(-80)), []), (900_001, .measured(nobody, RSSI(-80)), []),
    ])
    #expect(html.contains("<rect class=\"gap\" x=\"170\" y=\"4\" width=\"778\""))
    #expect(html.contains("<li>2022-11-29 22:21:40 to 2022-11-29 22:36:40 (15 min 0 s)</li>"))
  }

  @Test("What devices and venues call themselves is text, never markup")
  func hostileNames() throws {
    var device = DeviceRecord()
    device.name = "<script>alert(1)</script>\"'&"
    var damaged = try report([(0, .measured(nobody, RSSI(-80)), [])], device: device)
    #expect(!damaged.contains("<script"))
    #expect(damaged.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"))
    damaged = try report([])
    #expect(damaged.contains("Nothing in this log has a date."))
  }

  @Test("When the device was worn and when it lay, up to the last record of a start")
  func motion() throws {
    let html = try report([
      (0, .started(reason: 0), []), (0, .motion(.worn), []), (300_000, .motion(.lying), []),
      (900_000, .motion(.worn), []), (1_200_000, .motion(.lying), []), (1_260_000, .motion(.unknown), []),
      (1_500_000, .measured(nobody, RSSI(-80)), []),
    ])
    #expect(html.contains("<h2>Worn and lying</h2>"))
    #expect(html.contains("was worn for 10 min 0 s and lay for 11 min 0 s."))
    #expect(html.contains("<li>2022-11-29 22:26:40 to 2022-11-29 22:36:40 (10 min 0 s)</li>"))
    #expect(html.contains("<li>2022-11-29 22:41:40 to 2022-11-29 22:42:40 (1 min 0 s)</li>"))
    let last = try report([(0, .motion(.lying), []), (60_000, .measured(nobody, RSSI(-80)), [])])
    #expect(last.contains("was worn for 0 s and lay for 1 min 0 s."))
    let none = try report([(0, .motion(.unknown), []), (60_000, .measured(nobody, RSSI(-80)), [])])
    #expect(!none.contains("Worn and lying"))
    let many = try report((0..<120).map { (UInt64($0) * 1000, .motion($0 % 2 == 0 ? .lying : .worn), []) })
    #expect(many.contains("… and 10 more, in motion.csv."))
  }

  @Test("Events that were not logged: how many, both causes, and what to do")
  func dropped() throws {
    let html = try report([
      (0, .detected(anna), []), (1000, .dropped(count: 31_000_000), []), (2000, .dropped(count: 482_911), []),
    ])
    #expect(html.contains("31,482,911 events are not in this log"))
    for words in ["flash", "strangers_refused", "readings_refused", "flash_errors", "`herald-host stats`"] {
      #expect(html.contains(words), "\(words)")
    }
    #expect(DroppedEventsText(0) == nil)
    #expect(DroppedEventsText(1)?.what.hasPrefix("1 event is not in this log") == true)
  }

  @Test("It asks nothing of a network: no address, no script, and a policy that forbids both")
  func selfContained() throws {
    let html = try report([
      (0, .detected(anna), []), (1000, .read(anna), payload), (2000, .measured(anna, RSSI(-50)), []),
    ])
    for word in ["http:", "https:", "src=", "href=", "<script", "@import", "url(h"] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(html.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""))
  }

  @Test("The axis names round moments, and days at midnight")
  func axis() {
    let day: UInt64 = 1_669_766_400_000  // 2022-11-30T00:00:00Z
    let axis = TimeAxis(begin: day - 7_200_000, end: day + 7_200_000, left: 0, right: 100)
    #expect(
      axis.ticks.map(\.name) == [
        "22:00", "22:30", "23:00", "23:30", "2022-11-30", "00:30", "01:00", "01:30", "02:00",
      ])
    #expect(axis.x(day) == 50)
    #expect(axis.x(0) == 0 && axis.x(.max) == 100)
    #expect([-0.04, 0.05, -0.25, 3, 12.34].map(coordinate) == ["0", "0.1", "-0.3", "3", "12.3"])
  }
}
