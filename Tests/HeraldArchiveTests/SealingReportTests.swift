import HeraldEmbedded
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// What a report says of the sealing of logs, from what devices said at pulls.
@Suite("Sealing in reports")
struct SealingReportTests {
  private static func sealing(_ isSealed: Bool, at date: UInt64 = 1000) -> DeviceRecord.Sealing {
    DeviceRecord.Sealing(
      unixMilliseconds: date, isSealed: isSealed,
      ownerKey: isSealed ? String(repeating: "a1", count: 32) : nil)
  }

  private func ward(_ one: DeviceRecord.Sealing?, _ other: DeviceRecord.Sealing?) throws -> ReportWard {
    let ward = ReportWard()
    try ward.add("A1", sealing: one, ReportWard.near("B1", 0..<30, rssi: -50))
    try ward.add("B1", sealing: other, ReportWard.near("A1", 0..<30, rssi: -50))
    return ward
  }

  private let sentence = "Its log is not sealed: who takes the badge apart can read it."
  private let finding = "its log is not sealed, and those of others are"

  @Test("Each badge has its state in the table; that of a folder without one is not known")
  func states() throws {
    let mixed = try ward(Self.sealing(true), Self.sealing(false)).report("")
    #expect(mixed.contains("<th scope=\"row\">A1</th><td></td><td>sealed</td>"))
    #expect(mixed.contains("<th scope=\"row\">B1</th><td></td><td>not sealed</td>"))
    #expect(mixed.ranges(of: sentence).count == 1)
    #expect(mixed.contains("<b>Badge B1</b>: \(finding)") && !mixed.contains("<b>Badge A1</b>: \(finding)"))
    let unknown = try ward(nil, Self.sealing(false)).report("")
    #expect(unknown.contains("<th scope=\"row\">A1</th><td></td><td>–</td>"))
    #expect(unknown.contains(sentence) && !unknown.contains(finding))
  }

  @Test("What the latest pull says counts, in any order; an archive of an earlier version gets the table")
  func latest() throws {
    for order in [[0, 1], [1, 0]] {
      let wards = try [
        ward(Self.sealing(false, at: 5), nil), ward(Self.sealing(true, at: 6), nil),
      ]
      let archive = try Archive(try SQLiteConnection())
      try archive.connection.execute("DROP TABLE device_sealing")
      for index in order { _ = try archive.add(folders: [wards[index].folder + "/A0"]) }
      let rows = try archive.connection.rows(
        "SELECT unix_ms, is_sealed, owner_key FROM device_sealing")
      #expect(rows.count == 1)
      #expect(rows.first?.integer(0) == 6 && rows.first?.integer(1) == 1)
      #expect(rows.first?.text(2) == String(repeating: "a1", count: 32))
    }
  }
}
