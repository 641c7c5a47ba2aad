import Foundation
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// Archives whose rows somebody else has written: numbers of a file are not added up unchecked.
@Suite("Extreme numbers in an archive")
struct HostileNumbersTests {
  /// Runs every question and export; errors are answers, too.
  private func ask(_ archive: Archive, _ folder: String, isLimited: Bool) {
    for (within, withUnworn) in [isLimited ? (63, true) : (nil, false)] as [(Int?, Bool)] {
      var query = MeetingQuery()
      (query.within, query.withUnworn) = (within, withUnworn)
      for format in ExchangeFormat.allCases {
        _ = try? archive.exchange(query, as: format, to: "\(folder)/exchange", withAddresses: true)
      }
      for person in [nil, "Anna"] as [String?] {
        query.person = person
        _ = try? archive.figures(query)
        _ = try? archive.unwornFigures(query)
        try? archive.meetings(query) { _ = ($0.joined.periods, $0.joined.medianAttenuation) }
        try? archive.contacts(query) { _ = $0.period.windows.seconds }
        _ = try? archive.secondDegree(query)
      }
      var selection = ExportSelection()
      (selection.within, selection.withUnworn) = (within, withUnworn)
      selection.tables = Set(ExportSelection.names)
      _ = try? archive.export(as: .csv, to: "\(folder)/csv", selection)
      _ = try? archive.exportParquet(to: "\(folder)/parquet", selection)
    }
    for label in ["Anna", "B2"] {
      guard let coverage = try? archive.coverage(of: label, from: .min, to: .max) else { continue }
      _ = (
        CoverageReader(archive).days(of: coverage).count, coverage.gaps, coverage.recorded,
        coverage.isUnrecorded
      )
    }
    if let time = try? CoverageReader(archive).time(of: nil) {
      for coverage in (try? archive.coverages(from: time.from, to: time.to)) ?? [] {
        _ = CoverageReader(archive).days(of: coverage).count
      }
    }
    _ = try? CoverageReader(archive).time(of: 20_260_914...20_260_915)
    _ = try? CoverageReader(archive).recordedDays()
    _ = try? CoverageReader(archive).directionShares(days: .min ... .max)
    _ = try? archive.contents()
    _ = (try? archive.devices(), try? archive.parties(), try? archive.refusedPages())
    try? archive.readings(Archive.ReadingFilter()) { _ in }
  }

  @Test(
    "Each column of integers is set to the least and the greatest number in turn; all ends without a trap")
  func columns() throws {
    let folder = try ContactsFolder()
    let whole = folder.path + "/whole.sqlite"
    do {
      var one = try LoggingBadge("A1", payload: fixedPayload(1))
      try one.read(2, fixedPayload(2), at: after(0))
      for index in 0..<20 { try one.measure(2, -60, at: after(Double(index) * 15)) }
      try one.move(.lying, at: after(200))
      var two = try LoggingBadge("B2", payload: fixedPayload(2))
      try two.read(1, fixedPayload(1), at: after(0))
      for index in 0..<20 { try two.measure(1, -70, at: after(Double(index) * 15)) }
      var rules = ContactRules()
      rules.zone = "Europe/Berlin"
      let archive = try Archive(try SQLiteConnection(path: whole, create: true), newRules: rules)
      _ = try archive.add(folders: [try one.pull(into: folder), try two.pull(into: folder)])
      try archive.label(
        try PeopleFile(Array("serial,name,from,to\nA1,Anna,2026-09-14,2026-09-20\n".utf8), days: archive.days)
      )
      try archive.update()
    }
    let connection = try SQLiteConnection(path: whole, create: false)
    var columns: [(table: String, column: String)] = []
    for table in try connection.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    {
      for column in try connection.rows(
        "SELECT name FROM pragma_table_info('\(table.text(0))') WHERE type = 'INTEGER'")
      {
        columns.append((table.text(0), column.text(0)))
      }
    }
    #expect(columns.count > 60)
    for (table, column) in columns {
      for number in [Int64.min, .max] {
        let path = folder.path + "/a.sqlite"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: whole, toPath: path)
        let archive = try Archive.open(path, create: false)
        // One row where the column is a key.
        try archive.connection.execute("UPDATE OR IGNORE \(table) SET \(column) = ?", [.integer(number)])
        ask(archive, folder.path, isLimited: number == .max)
        _ = try? archive.update()
      }
    }
  }
}
