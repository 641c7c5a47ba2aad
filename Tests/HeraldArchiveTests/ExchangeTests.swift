import Foundation
import HeraldHostLink
import Testing

@testable import HeraldArchive

private func selected(
  days: ClosedRange<Int64>? = nil, person: String? = nil, role: String? = nil, place: String? = nil,
  leastSeconds: Int = 0
) -> MeetingQuery {
  var query = MeetingQuery()
  (query.days, query.person, query.role, query.place) = (days, person, role, place)
  query.leastSeconds = leastSeconds
  return query
}

@Suite("Files for other programs")
struct ExchangeTests {
  @Test("text in XML and in columns")
  func quoting() {
    #expect(
      ExchangeText.xml("<a href='x'>\"&amp;\u{1}]]>") == "&lt;a href=&apos;x&apos;&gt;&quot;&amp;amp;]]&gt;")
    #expect(ExchangeText.word("Medical  doctor\u{A0}x") == "Medical__doctor_x")
    #expect(ExchangeText.word("") == "-" && ExchangeText.word("\u{1}") == "-")
    // What a reader takes for a number, a missing value, or the end of a field.
    #expect(
      ["NA", "T", "00012", "1E5", "=1"].map(ExchangeText.word) == ["_NA", "_T", "_00012", "_1E5", "_=1"])
    #expect(ExchangeText.word("nurse's \"aide\" #2") == "nurse_s__aide___2")
  }

  @Test(
    "seconds as minutes",
    arguments: [(0, "0"), (30, "0.50"), (20, "0.33"), (40, "0.67"), (60, "1"), (3630, "60.50"), (63, "1.05")]
      as [(Int64, String)])
  func minutes(seconds: Int64, text: String) { #expect(ExchangeText.minutes(seconds) == text) }

  /// An archive of three persons and an address, with meetings on two days.
  private func archive(_ folder: RecordedFolders) throws -> Archive {
    try folder.write("archive", "keep", [])
    let archive = try Archive.open("\(folder.path)/archive/a.sqlite", create: true)
    try archive.connection.append(
      "who", ["id", "kind", "key", "label", "role", "place"],
      [
        .integer(1), .text("person"), .text("Ann"), .text("Ann <&>"), .text("NUR"), .text("Ward \"3\""),
        .integer(2), .text("device"), .text("B"), .text("B"), .text(""), .text(""),
        .integer(3), .text("address"), .text("C"), .text("C"), .text(""), .text(""),
        .integer(7), .text("person"), .text("=D"), .text("=D"), .text("PAT"), .text(""),
      ])
    let meetings: [(Int64, Int64, Int64, Int64, [Int64])] = [
      (20_260_914, 1, 2, 90, [0, 60, 30, 0]), (20_260_915, 1, 2, 60, [60, 0, 0, 0]),
      (20_260_914, 1, 3, 30, [30, 0, 0, 0]),
      (20_260_915, 2, 7, 30, [0, 0, 0, 0]),
    ]
    for (day, one, other, seconds, bands) in meetings {
      for (who, with) in [(one, other), (other, one)] {
        try archive.connection.append(
          "meeting",
          ["day", "who_id", "other_id", "seconds", "readings", "directions"] + ArchiveSchema.bands,
          ([day, who, with, seconds, seconds / 10, 2] + bands).map(SQLValue.integer))
      }
    }
    return archive
  }

  private func text(_ folder: RecordedFolders, _ name: String) throws -> String {
    try String(contentsOfFile: "\(folder.path)/out/\(name)", encoding: .utf8)
  }

  @Test("the tables of epicontacts, byte by byte")
  func caseTables() throws {
    let folder = RecordedFolders()
    let files = try archive(folder).exchange(MeetingQuery(), as: .epicontacts, to: "\(folder.path)/out")
    #expect(files.map(\.rows) == [3, 3, 0] && files.map(\.name).last == "coverage.csv")
    #expect(
      try text(folder, "linelist.csv") == """
        id,name,kind,role,place
        1,Ann <&>,person,NUR,"Ward ""3\"""
        2,B,device,"",""
        7,"'=D",person,PAT,""

        """)
    #expect(
      try text(folder, "contacts.csv") == """
        from,to,date,minutes,readings,directions,minutes_band_1,minutes_band_2,minutes_band_3,minutes_band_4
        1,2,2026-09-14,1.50,9,2,0,1,0.50,0
        1,2,2026-09-15,1,6,2,1,0,0,0
        2,7,2026-09-15,0.50,3,2,0,0,0,0

        """)
  }

  @Test("a graph, and addresses only if they are wanted")
  func graph() throws {
    let folder = RecordedFolders()
    let archive = try archive(folder)
    #expect(
      try archive.exchange(MeetingQuery(), as: .graphml, to: "\(folder.path)/out").map(\.rows) == [5, 0])
    let graph = try text(folder, "contacts.graphml")
    #expect(
      graph.contains(
        """
        <graph id="contacts" edgedefault="undirected">
        <node id="1"><data key="label">Ann &lt;&amp;&gt;</data><data key="name">Ann &lt;&amp;&gt;</data><data key="kind">person</data><data key="role">NUR</data><data key="place">Ward &quot;3&quot;</data></node>
        <node id="2"><data key="label">B</data><data key="name">B</data><data key="kind">device</data><data key="role"></data><data key="place"></data></node>
        <node id="7"><data key="label">=D</data><data key="name">=D</data><data key="kind">person</data><data key="role">PAT</data><data key="place"></data></node>
        <edge source="1" target="2"><data key="weight">2.50</data><data key="minutes">2.50</data><data key="days">2</data><data key="readings">15</data><data key="minutes_band_1">1</data><data key="minutes_band_2">1</data><data key="minutes_band_3">0.50</data><data key="minutes_band_4">0</data></edge>
        <edge source="2" target="7">
        """))
    #expect(graph.hasSuffix("</graph>\n</graphml>\n"))
    #expect(
      try archive.exchange(MeetingQuery(), as: .graphml, to: "\(folder.path)/out", withAddresses: true).map(
        \.rows) == [7, 0])
    #expect(try text(folder, "contacts.graphml").contains("<edge source=\"1\" target=\"3\">"))
  }

  @Test(
    "only the contacts of a query: day, person by either number, role, place, duration",
    arguments: [
      (selected(days: 20_260_914...20_260_914), ["1,2,2026-09-14"]),
      (selected(days: 20_260_915...20_261_231), ["1,2,2026-09-15", "2,7,2026-09-15"]),
      (selected(person: "Ann"), ["1,2,2026-09-14", "1,2,2026-09-15"]),
      (selected(person: "=D"), ["2,7,2026-09-15"]),
      (selected(role: "PAT"), ["2,7,2026-09-15"]),
      (selected(place: "Ward \"3\""), ["1,2,2026-09-14", "1,2,2026-09-15"]),
      (selected(leastSeconds: 61), ["1,2,2026-09-14"]), (selected(leastSeconds: 91), []),
    ] as [(MeetingQuery, [String])])
  func selection(query: MeetingQuery, rows: [String]) throws {
    let folder = RecordedFolders()
    let archive = try archive(folder)
    _ = try archive.exchange(query, as: .epicontacts, to: "\(folder.path)/out")
    let found = try text(folder, "contacts.csv").split(separator: "\n").dropFirst().map {
      $0.split(separator: ",").prefix(3).joined(separator: ",")
    }
    #expect(found == rows)
    // In a graph, a pair is an edge, and those in a pair are nodes.
    let pairs = Set(rows.map { $0.split(separator: ",").prefix(2) })
    let size = pairs.count + Set(pairs.joined()).count
    #expect(try archive.exchange(query, as: .graphml, to: "\(folder.path)/out").map(\.rows).first == size)
  }

  @Test(
    "a person, a role or a place that nobody is, has or belongs to",
    arguments: [
      (selected(person: "Bob"), "nobody in these logs is called Bob"),
      (selected(role: "DOC"), "nobody has the role DOC"),
      (selected(place: "Ward 4"), "nobody has the place Ward 4"),
    ] as [(MeetingQuery, String)])
  func unknown(query: MeetingQuery, what: String) throws {
    let folder = RecordedFolders()
    let archive = try archive(folder)
    for format in ExchangeFormat.allCases {
      let error = #expect(throws: HostLinkError.self) {
        try archive.exchange(query, as: format, to: "\(folder.path)/out")
      }
      #expect(error?.cause == (query.person == nil ? .usage : .unrecorded) && error?.what == what)
    }
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out"))
  }

  @Test("windows of 20 s of a query")
  func timedSelection() throws {
    let folder = try ScratchFolder()
    try logMeeting(in: folder.path)
    let archive = try newArchive(folder.path + "/a.sqlite")
    try archive.fill(folder.path)
    var query = MeetingQuery()
    func rows() throws -> [Int] {
      try archive.exchange(query, as: .tij, to: folder.path + "/out").prefix(2).map(\.rows)
    }
    // ONE hears from 0 to 285 s, TWO from 120 to 465 s, every 15 s: 24 windows of 20 s.
    #expect(try rows() == [24, 2])
    query.person = "TWO"
    #expect(try rows() == [24, 2])
    query.leastSeconds = 480
    #expect(try rows() == [24, 2])
    query.leastSeconds = 481
    #expect(try rows() == [0, 0])
    query.leastSeconds = 0
    // Of these, 15 are in the five minutes whose least median is 60 dB.
    query.within = 63
    #expect(try rows() == [15, 2])
    query.within = 59
    #expect(try rows() == [0, 0])
    query.within = nil
    query.days = 20_260_915...20_260_916
    #expect(try rows() == [0, 0])
  }

  @Test("an archive without contacts, and what a run that was killed has left")
  func emptyArchive() throws {
    let folder = RecordedFolders()
    try folder.write("archive", "keep", [])
    let archive = try Archive.open("\(folder.path)/archive/a.sqlite", create: true)
    try folder.write("out/.tij-stale", "20000", [1, 2, 3])
    for format in ExchangeFormat.allCases {
      #expect(
        try archive.exchange(MeetingQuery(), as: format, to: "\(folder.path)/out").allSatisfy { $0.rows == 0 }
      )
    }
    #expect(try text(folder, "tij.tsv").isEmpty)
    #expect(try text(folder, "names.csv") == "id,name,kind,role,place\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out").sorted() == [
        "_herald.json", "contacts.csv", "contacts.graphml", "coverage.csv", "linelist.csv", "names.csv",
        "tij.tsv",
      ])
  }
}
