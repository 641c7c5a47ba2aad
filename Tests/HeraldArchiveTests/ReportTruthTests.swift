import Foundation
import HeraldEmbedded
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// Whom a report names, and whom it does not; reports about some; and archives with numbers that no log has.
@Suite struct ReportTruthTests {
  private static let names = ["Ada", "Ben", "Cleo", "Dora"]
  private static let people =
    "serial,name,role\n"
    + zip(names, ["nurse", "doctor", "nurse", "visitor"]).map { "\($0),\($0),\($1)\n" }.joined()

  /// Four badges, of which each pair is near for 40 minutes; those that are deaf hear nobody.
  private func ward(deaf: Set<String> = [], mute: Set<String> = [], ahead: UInt64 = 0) throws -> ReportWard {
    let ward = ReportWard()
    for (one, name) in Self.names.enumerated() {
      var records: [(UInt64, LogEvent, [UInt8])] = [(0, .battery(level: 80, external: false), [])]
      for (other, peer) in Self.names.enumerated()
      where other != one && !deaf.contains(name) && !mute.contains(peer) {
        let begin = UInt64(min(one, other) * 90 + max(one, other) * 41)
        records += ReportWard.near(peer, begin..<begin + 40, rssi: -60).map {
          ($0.0 + (name == "Dora" ? ahead * 60_000 : 0), $0.1, $0.2)
        }
      }
      try ward.add(name, records)
    }
    return ward
  }

  private func findings(_ ward: ReportWard) throws -> [String] {
    try WardReport(try ward.archive(Self.people)).findings.map { "\($0.about): \($0.what)" }
  }

  @Test func rightBadgesAreNotNamed() throws { #expect(try findings(try ward()).isEmpty) }

  @Test func aCoveredBadgeIsNamedAndNoOther() throws {
    #expect(
      try findings(try ward(deaf: ["Ben"])) == [
        "Ben: heard nobody, and others heard it for 120 min"
      ])
    #expect(
      try findings(try ward(mute: ["Cleo"])) == [
        "Cleo: heard the others for 120 min, and none of them heard it"
      ])
  }

  @Test func aFastClockIsNamedByPersonAndNoOther() throws {
    #expect(
      try findings(try ward(ahead: 180)) == [
        "Dora's badge: is 3 h 00 min ahead of the 3 badges it met on 2026-09-14"
      ])
  }

  @Test func hoursThatAreRecordedAreThoseOfTheArchive() throws {
    let ward = try ward()
    let archive = try ward.archive(Self.people)
    let html = String(decoding: try WardReport(archive).html, as: UTF8.self)
    let time = try #require(try CoverageReader(archive).time(of: nil))
    for name in Self.names {
      let coverage = try #require(try archive.coverage(of: name, from: time.from, to: time.to))
      #expect(
        html.contains(
          "<tr><th scope=\"row\">\(name)</th><td class=\"n\">\(CoverageSection.hours(coverage.recorded))</td>"
        ))
      #expect(
        html.contains(
          "Recorded for \(CoverageSection.hours(coverage.recorded)) of \(CoverageSection.hours(coverage.asked)) hours."
        )
      )
    }
    #expect(CoverageSection.hours(5_400_000) == "1.5" && CoverageSection.hours(4_000_000_000) == "1,111.1")
    withExtendedLifetime(ward) {}
  }

  @Test func countsArePersonsAndBadgesWithoutOne() throws {
    let html = try ward().report("serial,name,role\nAda,Ada,nurse\nBen,Ben,doctor\n")
    #expect(html.contains("<dt>persons with a badge</dt><dd>2</dd>"))
    #expect(html.contains("<dt>badges without a person</dt><dd>2</dd>"))
    #expect(try ward().report("").contains("<dt>badges</dt><dd>4</dd>"))
  }

  @Test func aRoleOfOnePersonHasNoMinutesWithItself() throws {
    let html = try ward().report(Self.people)
    // Doctor, visitor: one each; nurse: two.
    #expect(html.components(separatedBy: "<td class=\"self\">–</td>").count == 3)
  }

  private func report(person: String? = nil, role: String? = nil) throws -> String {
    let archive = try ward().archive(Self.people)
    let focus = try ReportFocus(archive, person: person, role: role)
    return String(decoding: try WardReport(archive, focus: focus).html, as: UTF8.self)
  }

  @Test func aReportOfAPerson() throws {
    let html = try report(person: "Ben")
    #expect(html.contains("<h1>Who was near Ben</h1>"))
    #expect(html.components(separatedBy: "<section class=\"person\"").count == 2)
    #expect(html.contains("<dt>pairs met</dt><dd>3</dd>"))
    #expect(!html.contains("most minutes, of"))
  }

  @Test func aReportOfARole() throws {
    let html = try report(role: "nurse")
    #expect(html.contains("<h1>Who was near role nurse</h1>"))
    // Two nurses with three others each: five pairs, without that of doctor and visitor.
    #expect(html.components(separatedBy: "<section class=\"person\"").count == 3)
    #expect(html.contains("<dt>pairs met</dt><dd>5</dd>"))
    #expect(try report(person: "Ada", role: "nurse").contains("<h1>Who was near Ada, role nurse</h1>"))
  }

  @Test func nobodyOfAReportIsAnError() throws {
    for (person, role) in [("Eve", nil), (nil, "cook"), ("Ada", "doctor")] as [(String?, String?)] {
      let error = #expect(throws: HostLinkError.self) { _ = try report(person: person, role: role) }
      #expect(error?.cause == .usage && error?.what.hasPrefix("nobody in ") == true)
    }
  }

  @Test func itSaysOfWhatItWasMade() throws {
    let ward = try ward()
    let archive = try ward.archive(Self.people)
    let digest = try ArchiveDigest.of(archive)
    #expect(digest.count == 64)
    let html = String(decoding: try WardReport(archive).html, as: UTF8.self)
    #expect(
      html.contains(
        "Made by herald-host \(HeraldRelease.version) of archive.sqlite. The SHA-256 of its pages, people and rules is \(digest)."
      ))
    try archive.label(try PeopleFile(Array("serial,name\nAda,Eve\n".utf8), days: archive.days))
    #expect(try ArchiveDigest.of(archive) != digest)
  }

  @Test func labelsOfAHistogramAreWithinIt() {
    var seconds = [Int](repeating: 0, count: 127)
    seconds[60] = 12_345 * 60
    var page = Markup()
    AttenuationHistogram(seconds, ReportBands(limits: [55, 56, 73]), name: "").write(to: &page)
    let html = String(decoding: page.bytes, as: UTF8.self)
    // Six characters of at most 7 units end at 44.
    #expect(html.contains("<text x=\"44\" y=\"20\" text-anchor=\"end\">12,345</text>"))
    // 56 would lie upon 55.
    #expect(html.contains(">55</text>") && !html.contains(">56</text>") && html.contains(">73</text>"))
  }

  @Test(
    "numbers that no log has do not end the program",
    arguments: [
      "UPDATE heard SET readings = 9223372036854775807, seconds = 9223372036854775807",
      "UPDATE heard SET readings = -9223372036854775808, seconds_1 = -9223372036854775808",
      "UPDATE meeting SET seconds = 9223372036854775807, seconds_1 = 9223372036854775807",
      "UPDATE meeting SET readings = 9223372036854775807, day = 99991231",
      "UPDATE heard SET day = 9223372036854775807", "UPDATE heard SET day = -9223372036854775808",
      "UPDATE heard SET day = 99991231", "UPDATE heard SET windows = x'ffffffffffffffffff7f80ffffffffffff7f'",
      "UPDATE battery SET unix_ms = 9223372036854775807", "UPDATE battery SET unix_ms = -9223372036854775808",
      "UPDATE battery SET level = 9223372036854775807",
      "INSERT INTO device_event SELECT id, 9223372036854775807, 'motion', 9223372036854775807 FROM device",
      "INSERT INTO device_event SELECT id, -9223372036854775808, 'motion', 2 FROM device",
      "INSERT INTO device_event SELECT id, 0, 'dropped', 9223372036854775807 FROM device UNION ALL SELECT id, 1, 'dropped', 9223372036854775807 FROM device",
      "UPDATE device SET undated = 9223372036854775807, first_ms = -9223372036854775808, last_ms = 9223372036854775807",
      "UPDATE assignment SET from_ms = -9223372036854775808, to_ms = 9223372036854775807",
      "UPDATE contact SET begin_ms = 9223372036854775807, end_ms = -9223372036854775808",
      "UPDATE clock_finding SET from_day = 9223372036854775807, offset_s = -9223372036854775808, met = 9223372036854775807",
      "INSERT INTO clock_correction SELECT id, 9223372036854775807, -9223372036854775808, 9223372036854775807 FROM device",
      "INSERT INTO device_power SELECT id, 9223372036854775807, '', 9223372036854775807, '' FROM device",
    ])
  func extremeNumbers(statement: String) throws {
    let ward = try ward(ahead: 180)
    let archive = try ward.archive(Self.people)
    try archive.connection.execute(statement)
    _ = try WardReport(archive).html
    _ = try archive.deviceClocks.findings().map(\.text)
    try archive.connection.execute("DELETE FROM setting WHERE name = 'clock_findings'")
    try archive.update()
    _ = try archive.deviceClocks.correct()
    try archive.update()
    _ = try WardReport(archive).html
    withExtendedLifetime(ward) {}
  }

  @Test(
    "an archive whose rules were changed by another program is not opened",
    arguments: [
      ("band_limits", "55,63,9223372036854775807"), ("band_limits", "-5,63,73"), ("band_limits", "63,55,73"),
      ("band_limits", "55"), ("band_limits", ""), ("assumed_power", "9223372036854775807"),
      ("assumed_power", "-9223372036854775808"),
    ])
  func foreignRules(name: String, value: String) throws {
    let folder = try ScratchFolder()
    let path = "\(folder.path)/archive.sqlite"
    let archive = try newArchive(path)
    try archive.connection.execute(
      "UPDATE setting SET value = ? WHERE name = ?", [.text(value), .text(name)])
    let error = #expect(throws: HostLinkError.self) { try Archive.open(path, create: false) }
    #expect(error?.cause == .storage && error?.what.contains("no command stores") == true)
  }
}
