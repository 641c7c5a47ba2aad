import Foundation
import HeraldEmbedded
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// What a person gets to look at, with numbers computed by hand.
@Suite("Report of a ward")
struct WardReportTests {
  private let people = """
    serial,name,role,place
    A1,Anna,nurse,Ward 3
    B1,Ben,patient,Ward 3
    C1,Cleo,nurse,Ward 3

    """

  /// Anna hears Ben for 30 minutes at 50 dB and for 10 at 60 dB; Ben hears Anna in the first 10 at 70 dB.
  /// Cleo hears Ben for 5 minutes at 80 dB on the next day, and he her.
  private func ward() throws -> ReportWard {
    let ward = ReportWard()
    try ward.add(
      "A1",
      ReportWard.near("B1", 0..<30, rssi: -50) + ReportWard.near("B1", 30..<40, rssi: -60) + [
        (0, .battery(level: 80, external: false), []), (1_800_000, .battery(level: 15, external: false), []),
      ])
    try ward.add(
      "B1", ReportWard.near("A1", 0..<10, rssi: -70) + ReportWard.near("C1", 1440..<1445, rssi: -80))
    try ward.add("C1", ReportWard.near("B1", 1440..<1445, rssi: -80))
    return ward
  }

  /// The text between two others.
  private func part(_ html: String, from: String, to: String) throws -> String {
    let begin = try #require(html.range(of: from))
    let end = try #require(html.range(of: to, range: begin.upperBound..<html.endIndex))
    return String(html[begin.upperBound..<end.lowerBound])
  }

  /// The cells of the rows of a table, without markup.
  private func rows(_ html: String, table: String) throws -> [[String]] {
    let body = try part(
      try part(html, from: "<table id=\"\(table)\"", to: "</table>"), from: "<tbody>", to: "</tbody>")
    return body.components(separatedBy: "<tr").dropFirst().map { row in
      let cells = row.replacingOccurrences(of: "<th", with: "<td").components(separatedBy: "<td").dropFirst()
      return cells.map { cell in
        let text = cell.dropFirst(
          (cell.firstIndex(of: ">").map { cell.distance(from: cell.startIndex, to: $0) } ?? 0) + 1)
        return text.replacingOccurrences(of: "<br>", with: "/")
          .replacingOccurrences(of: "<svg.*</svg>", with: "", options: .regularExpression)
          .replacingOccurrences(of: "<[^>]*>", with: "", options: .regularExpression)
          .trimmingCharacters(in: .whitespacesAndNewlines)
      }
    }
  }

  @Test("Names, days and the time zone; the pair that was closest for longest is the first line")
  func head() throws {
    let html = try ward().report(people)
    #expect(html.contains("<h1>Who was near whom</h1>"))
    #expect(
      html.contains(
        "<p class=\"lead\">Mon 2026-09-14 to Tue 2026-09-15. All times are civil time in Europe/Berlin (UTC+02:00).</p>"
      ))
    #expect(
      html.contains(
        "Closest for longest: Anna and Ben, 30 min immediate (≤\u{A0}55\u{A0}dB) of 40 min. 2 points to check before these numbers are used."
      ))
    #expect(html.contains("<dt>pairs met</dt><dd>2 of 3</dd>"))
    #expect(html.contains("<dt>persons with a badge</dt><dd>3</dd>"))
    #expect(html.contains("<h3 id=\"h0\">Anna <small>nurse, Ward 3</small></h3>"))
  }

  @Test("Minutes of pairs, roles, days and persons in each band")
  func minutes() throws {
    let html = try ward().report(people)
    #expect(
      try rows(html, table: "pairs") == [
        ["Anna", "Ben", "40", "30", "10", "0", "0", ""], ["Cleo", "Ben", "5", "0", "0", "0", "5", ""],
      ])
    #expect(
      try rows(html, table: "role-matrix") == [
        ["nurse (2)", "0/0", "45/30"], ["patient (1)", "45/30", "–"],
      ])
    #expect(
      try rows(html, table: "who-matrix") == [
        ["Anna", "", "", "40"], ["Cleo", "", "", "5"], ["Ben", "40", "5", ""],
      ])
    #expect(
      try rows(html, table: "index") == [
        ["Anna", "nurse", "Ward 3", "40", "30", "10", "0", "0", ""],
        ["Cleo", "nurse", "Ward 3", "5", "0", "0", "0", "5", ""],
        ["Ben", "patient", "Ward 3", "45", "30", "10", "0", "5", ""],
      ])
    #expect(
      try rows(html, table: "t2") == [
        ["Mon 2026-09-14Anna", "", "40", "30", "10", "0", "0"],
        ["Tue 2026-09-15Cleo", "", "5", "0", "0", "0", "5"],
      ])
    #expect(
      try rows(html, table: "n2") == [
        ["Anna", "nurse", "40", "30", "10", "0", "0", "10", "40"],
        ["Cleo", "nurse", "5", "0", "0", "0", "5", "5", "5"],
      ])
  }

  @Test("The closer, the higher is the strip; both run at the minutes of the day")
  func timeline() throws {
    let html = try ward().report(people)
    let day = try part(html, from: "<table id=\"t0\"", to: "</table>")
    // From 08:00: 30 minutes of 30 units height, 10 of 22; the base is at 32.
    #expect(day.contains("<path class=\"s0 b0\" d=\"M0 17h30\"/><path class=\"s1 b1\" d=\"M30 21h10\"/>"))
    #expect(day.contains("<path class=\"rec\" d=\"M0 36h40\"/>"))
    #expect(
      day.contains(
        "aria-label=\"Mon 2026-09-14: immediate 30 min, near 10 min, medium 0 min, other 0 min\""))
    #expect(html.contains("Hours 8 to 9"))
    #expect(html.contains(".s0 { stroke-width: 30; } .s1 { stroke-width: 22; }"))
  }

  @Test("The histogram has the seconds of each attenuation, and quartiles")
  func histogram() throws {
    let html = try ward().report(people)
    let person = try part(html, from: "<section class=\"person\" id=\"p0\"", to: "</section>")
    // 30 minutes at 50 dB, 10 at 60 dB: a bar of 80 units and one of a third. 40 dB is at 30.
    #expect(
      person.contains("<path class=\"b0 bin\" d=\"M72 96v-80\"/><path class=\"b1 bin\" d=\"M112 96v-26.7\"/>")
    )
    #expect(person.contains("Attenuation: median 50 dB, the middle half 50–50 dB."))
    #expect(
      AttenuationHistogram([Int](repeating: 1, count: 100), ReportBands(limits: [55, 63, 73]), name: "")
        .quantile(25) == 24)
    #expect(AttenuationHistogram([], ReportBands(limits: [55, 63, 73]), name: "").quantile(50) == nil)
  }

  @Test("A badge that heard for much longer than it was heard is named, in words and in the table")
  func asymmetry() throws {
    let ward = try ward()
    let html = try ward.report(people)
    #expect(
      html.contains(
        "<li><b>Anna and Ben</b>: Anna heard Ben for 40 min, and Ben heard Anna for 10 min. To do: one of both badges was covered or off for a part of the time: ask those who wore them.</li>"
      ))
    #expect(html.contains("<li><b>Anna (badge A1)</b>: its battery was down to 15 %."))
    #expect(
      html.contains("<li><b>Anna (badge A1)</b>: its log ends on 2026-09-14 08:39, 23 h 25 min") == false)
    #expect(!html.contains("<li><b>Ben</b>"))
    #expect(try rows(html, table: "uneven") == [["Anna", "Ben", "40", "10", ""]])
    #expect(
      try rows(html, table: "heard").map { Array($0.prefix(5)) } == [
        ["Anna", "nurse", "40", "10", "25 %"], ["Cleo", "nurse", "5", "5", "100 %"],
        ["Ben", "patient", "15", "45", "33 %"],
      ])
  }

  @Test("Only the days that are asked for")
  func period() throws {
    let html = try ward().report(people, try ReportPeriod(from: "2026-09-15", to: nil))
    #expect(html.contains("<p class=\"lead\">Tue 2026-09-15. All"))
    #expect(try rows(html, table: "pairs") == [["Cleo", "Ben", "5", "0", "0", "0", "5", ""]])
    #expect(html.contains("<li><b>Anna</b>: no record in these days (badge A1)."))
    #expect(!html.contains("heard the others for"))
    let none = try ward().report(people, try ReportPeriod(from: "2027-01-01", to: "2027-01-02"))
    #expect(none.contains("Nothing in these logs has a date in these days."))
  }

  @Test("Days that are none, or in the wrong order, are refused")
  func wrongPeriod() throws {
    for (from, to) in [("14.9.2026", nil), ("2026-02-30", nil), ("2026-09-15", "2026-09-14")]
      as [(String, String?)]
    {
      let error = #expect(throws: HostLinkError.self) { try ReportPeriod(from: from, to: to) }
      #expect(error?.cause == .usage && error?.advice != nil, "\(from)")
    }
    #expect(try ReportPeriod(from: "2026-09-14", to: "2026-09-14").from == 20_710)
  }

  @Test("Restarts after faults, events that were not logged, gaps, motion, and persons without a log")
  func devices() throws {
    let ward = ReportWard()
    try ward.add(
      "A1", name: "Herald badge",
      ReportWard.near("B1", 0..<2, rssi: -50) + ReportWard.near("B1", 60..<62, rssi: -50) + [
        (600_000, .restarted, []), (601_000, .dropped(count: 7), []), (600_000, .motion(.lying), []),
        (1_200_000, .motion(.worn), []), (3_600_000, .motion(.unknown), []),
      ])
    let html = try ward.report("serial,name\nA1,Anna\nX9,Xaver\n")
    #expect(html.contains("<li><b>Xaver</b>: no record in these days (badge X9)."))
    #expect(html.contains("it started 1 time after a fault"))
    #expect(html.contains("7 events are not in this log"))
    // Records at minutes 0, 1, 10, 20, 60 and 61: one gap, from minute 21 to 60.
    #expect(html.contains("<li>2026-09-14 08:21 to 2026-09-14 09:00 (39 min 0 s)</li>"))
    #expect(html.contains("<li>2026-09-14 08:10 to 2026-09-14 08:20 (10 min 0 s)</li>"))
    #expect(html.contains("it was worn for 40 min 0 s and lay for 10 min 0 s."))
    #expect(
      try rows(html, table: "badges") == [
        [
          "A1", "Anna", "–", "2026-09-14 08:00", "2026-09-14 09:01", "23 min 0 s", "1", "8", "–", "–", "1",
          "1",
          "7",
          "0",
        ]
      ])
    // Of one badge, everybody whom it heard has a row.
    #expect(try rows(html, table: "n0").count == 1)
    #expect(html.contains("<title>Contacts of Anna (badge A1)</title>"))
    let day = try part(html, from: "<table id=\"t0\"", to: "</table>")
    #expect(day.contains("<path class=\"lay\" d=\"M10 36h10\"/>"))
    #expect(day.contains("<path class=\"fault\" d=\"M10 0v40\"/>"))
  }

  @Test("What people, devices and phones are called is text, never markup")
  func hostileNames() throws {
    let name = "<script>alert(1)</script>\"'&"
    let ward = ReportWard()
    try ward.add("A1", name: name, ReportWard.near("B<b>", 0..<40, rssi: -50))
    try ward.add("B<b>", ReportWard.near("A1", 0..<1, rssi: -50))
    let html = try ward.report(
      "serial,name,role,place\nA1,\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\",<i>role</i>,<u>place</u>\n"
    )
    let body = try #require(html.range(of: "<body>"))
    for markup in ["<script>alert", "<i>role", "<u>place", "B<b>"] {
      #expect(!html[body.upperBound...].contains(markup))
    }
    #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"))
    #expect(html.contains("&lt;i&gt;role&lt;/i&gt;"))
    #expect(html.components(separatedBy: "<script").count == 3)
  }

  @Test("The report uses no network: it has no address, and its policy allows only its own style and script")
  func selfContained() throws {
    let html = try ward().report(people)
    for word in ["http:", "https:", "src=", "@import", "url(", "style=", " onclick", "<img", "<link"] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(
      html.contains(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-"))
    #expect(html.contains("'; base-uri 'none'; form-action 'none'\">"))
    #expect(!html.contains("unsafe"))
    #expect(!html.contains(" metres") && !html.contains(" m)"))
  }

  @Test("The same archive makes the same bytes")
  func deterministic() throws {
    let archive = try ward().archive(people)
    #expect(try WardReport(archive).html == WardReport(archive).html)
  }

  @Test("An archive without a date makes a page that says so")
  func empty() throws {
    let ward = ReportWard()
    try FileManager.default.createDirectory(atPath: ward.folder, withIntermediateDirectories: true)
    let html = try ward.report("")
    #expect(html.contains("Nothing in these logs has a date in these days."))
  }

  @Test("A report that cannot be written names the file and says what to do")
  func unwritable() throws {
    let report = try WardReport(try ward().archive(people))
    for path in ["/nowhere/report.html", "/tmp"] {
      let error = #expect(throws: HostLinkError.self) { try report.write(to: path) }
      #expect(error?.cause == .storage && error?.what.hasPrefix(path) == true)
      #expect(error?.what.contains(" cannot be ") == true)
      #expect(error?.advice?.contains("in a folder that is there") == true)
    }
  }
}
