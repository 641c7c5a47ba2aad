import HeraldEmbedded
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// What a report says of batteries, from levels in logs and currents at pulls, with numbers computed by hand.
@Suite("Batteries in reports")
struct BatteryReportTests {
  private static func power(_ microamperes: Double?, at date: UInt64 = 1000) -> DeviceRecord.Power {
    DeviceRecord.Power(
      unixMilliseconds: date, board: "xiao-nrf52840", microamperes: microamperes,
      notKnown: microamperes == nil ? "<b>it</b> counts nothing" : nil)
  }

  private func ward(_ power: DeviceRecord.Power?, isExternal: Bool = false) throws -> ReportWard {
    let ward = ReportWard()
    try ward.add(
      "A1", power: power,
      ReportWard.near("B1", 0..<30, rssi: -50) + [
        (0, .battery(level: 80, external: false), []),
        (1_800_000, .battery(level: 15, external: isExternal), []),
      ])
    try ward.add("B1", ReportWard.near("A1", 0..<10, rssi: -70))
    return ward
  }

  private func report(_ ward: ReportWard, capacity: Double? = nil) throws -> String {
    String(decoding: try WardReport(try ward.archive(""), capacity: capacity).html, as: UTF8.self)
  }

  // A level of 15 is 3,439.5 mV, 3.5 % of the charge; of 500 mAh that is 17.5 mAh, and 23.7 h at 0.74 mA.
  private let words = "about 23 hours left (0.74 mA, 500 mAh cell assumed, 4 % by voltage)"

  @Test("Less than a day is a finding; with a cell of twice the capacity it is none")
  func short() throws {
    let html = try report(ward(Self.power(740)))
    #expect(
      html.contains(
        "<li><b>Badge A1</b>: its battery does not last until the next day: from 2026-09-14 08:30 on, \(words). To do: charge it, or replace the battery, before it is worn again.</li>"
      ))
    #expect(html.contains("<td class=\"n\"><strong>23 hours</strong></td>"))
    #expect(html.contains("<p>Battery life, from 2026-09-14 08:30 on: \(words).</p>"))
    let large = try report(ward(Self.power(740)), capacity: 1000)
    #expect(!large.contains("until the next day") && large.contains("<td class=\"n\">47 hours</td>"))
    #expect(large.contains("about 47 hours left (0.74 mA, 1000 mAh cell, 4 % by voltage)"))
  }

  @Test("A badge that is supplied from outside is not warned of")
  func external() throws {
    let html = try report(ward(Self.power(740), isExternal: true))
    #expect(!html.contains("until the next day") && html.contains("; on external power now)"))
  }

  @Test("A current that is not known says why, as text; a folder without one says nothing")
  func unknown() throws {
    let html = try report(ward(Self.power(nil)))
    #expect(html.contains("<p>Battery life: not known: &lt;b&gt;it&lt;/b&gt; counts nothing.</p>"))
    #expect(!(try report(ward(nil))).contains("Battery life"))
  }

  @Test("Currents that are no currents")
  func hostile() throws {
    for value in [0, -5, Double.greatestFiniteMagnitude, 1e-300] {
      let html = try report(ward(Self.power(value)))
      #expect(html.contains("Battery life"), "\(value)")
      #expect(!html.contains("inf") || html.contains("information"), "\(value)")
    }
  }

  @Test(
    "The current of the latest pull counts, in any order; an archive of an earlier version gets the table")
  func latest() throws {
    for order in [[0, 1], [1, 0]] {
      let wards = try [ward(Self.power(1000, at: 5)), ward(Self.power(2000, at: 6))]
      let archive = try Archive(try SQLiteConnection())
      try archive.connection.execute("DROP TABLE device_power")
      #expect(String(decoding: try WardReport(archive).html, as: UTF8.self).contains("Nothing in these logs"))
      for index in order { _ = try archive.add(folders: [wards[index].folder + "/A0"]) }
      let rows = try archive.connection.rows(
        "SELECT d.serial, unix_ms, board, nanoamperes, not_known FROM device_power p JOIN device d ON d.id = device_id"
      )
      #expect(rows.map { "\($0.values)" }.count == 1)
      #expect(
        rows.first?.text(0) == "A1" && rows.first?.integer(1) == 6 && rows.first?.integer(3) == 2_000_000)
      #expect(rows.first?.text(2) == "xiao-nrf52840")
    }
  }
}
