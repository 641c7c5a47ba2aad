import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

extension ArchiveCommands {
  /// The result of a question as JSON.
  struct AnswerRow<Row: Encodable>: Encodable {
    let who: String?
    let other: String?
    let zone: String
    let leastSeconds: Int
    let rows: [Row]
    /// The name of `rows`.
    let name: String
    let fields: Answer.Fields

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(_ name: String) { stringValue = name }
      init?(stringValue: String) { self.init(stringValue) }
      init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
      try fields.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(who, forKey: Key("who"))
      try container.encodeIfPresent(other, forKey: Key("other"))
      try container.encode(zone, forKey: Key("zone"))
      try container.encode(leastSeconds, forKey: Key("leastSeconds"))
      try container.encode(rows, forKey: Key(name))
    }
  }

  /// `herald-host archive near`
  struct Near: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Who was near somebody, day by day.",
      discussion: """
        Example: `herald-host archive near Ada --archive ward.sqlite --day 2026-09-15 --minutes 15 --within 63`
        It says what of that time is recorded of both sides. Exit status 12: nothing is, so that an empty answer says nothing.
        """)

    @Argument(help: "The person, or the serial number of a device that nobody wore.")
    var who: String
    @OptionGroup var location: ArchiveLocation
    @OptionGroup var period: PeriodOptions
    @OptionGroup var least: LeastMinutes
    @OptionGroup var nearness: NearnessOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try location.open(isQuiet: display.quiet)
      let query = MeetingQuery(archive, period, least, nearness, person: who)
      let meetings = try archive.figures(query)
      try archive.answer(query, meetings, "meetings", display, found: meetings.map(\.other.label)) {
        // The badge of somebody who does not wear it is another one than the person.
        let who = nearness.unworn ? [("WHO", \MeetingFigures.who.nameOrBadge)] : []
        MeetingTable(archive.rules).show(
          meetings,
          [("DAY", \.dayText)] + who + [("OTHER", \.other.nameOrBadge), ("ROLE", \.other.role)])
      }
    }
  }

  /// `herald-host archive pairs`
  struct Pairs: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "All pairs, day by day.",
      discussion: "Example: `herald-host archive pairs --archive ward.sqlite --day 2026-09-15 --band near`")

    @OptionGroup var location: ArchiveLocation
    @OptionGroup var period: PeriodOptions
    @OptionGroup var least: LeastMinutes
    @OptionGroup var nearness: NearnessOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try location.open(isQuiet: display.quiet)
      let query = MeetingQuery(archive, period, least, nearness)
      let meetings = try archive.figures(query)
      let found = meetings.flatMap { [$0.who.label, $0.other.label] }
      try archive.answer(query, meetings, "meetings", display, found: found) {
        MeetingTable(archive.rules).show(
          meetings, [("DAY", \.dayText), ("WHO", \.who.nameOrBadge), ("OTHER", \.other.nameOrBadge)])
      }
    }
  }

  /// `herald-host archive bands`
  struct Bands: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "The minutes of a pair in each band of attenuation, for each day.",
      discussion: "Example: `herald-host archive bands Ada Ben --archive ward.sqlite --from 2026-09-14`")

    @Argument(help: "One of the pair.")
    var who: String
    @Argument(help: "The other one.")
    var other: String
    @OptionGroup var location: ArchiveLocation
    @OptionGroup var period: PeriodOptions
    @OptionGroup var least: LeastMinutes
    @OptionGroup var nearness: NearnessOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try location.open(isQuiet: display.quiet)
      var query = MeetingQuery(archive, period, least, nearness, person: who)
      query.other = other
      let meetings = try archive.figures(query)
      try archive.answer(query, meetings, "meetings", display, found: []) {
        MeetingTable(archive.rules).show(meetings, [("DAY", \.dayText)])
      }
    }
  }

  /// `herald-host archive second-degree`
  struct SecondDegree: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "second-degree",
      abstract: "Contacts of contacts: who was near those who were near somebody.",
      discussion: """
        Listed is who met one of them on the day of their meeting or later, and did not meet the person in question. \
        Both meetings have at least --minutes, and count as near by --within.
        Example: `herald-host archive second-degree Ada --archive ward.sqlite --from 2026-09-14 --minutes 15`
        """)

    @Argument(help: "The person, or the serial number of a device that nobody wore.")
    var who: String
    @OptionGroup var location: ArchiveLocation
    @OptionGroup var period: PeriodOptions
    @OptionGroup var least: LeastMinutes
    @OptionGroup var nearness: NearnessOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try location.open(isQuiet: display.quiet)
      let query = MeetingQuery(archive, period, least, nearness, person: who)
      let rows = try archive.secondDegree(query)
      try archive.answer(query, rows, "secondDegree", display, found: rows.map(\.who.label)) {
        let cells = rows.map {
          [
            PrintableText.name($0.who.nameOrBadge), PrintableText.name($0.who.role), String($0.through),
            MeetingTable.minutes($0.seconds),
          ]
        }
        Console.printTable([["OTHER", "ROLE", "THROUGH", "LONGEST MIN"]] + cells, right: [2, 3])
      }
    }
  }

  /// `herald-host archive coverage`
  struct CoverageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "coverage",
      abstract: "What is recorded of whom: worn, lying, without power, without date, not collected.",
      discussion: "Example: `herald-host archive coverage Ada --archive ward.sqlite --day 2026-09-15`")

    @Argument(help: "Persons, or serial numbers of devices; all without one.")
    var who: [String] = []
    @OptionGroup var location: ArchiveLocation
    @OptionGroup var period: PeriodOptions
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let zone: String
      let coverage: [CoverageRow]
    }

    func run() throws {
      let archive = try location.open(isQuiet: display.quiet)
      try Answer.checkDays(archive, period.range)
      guard let time = try CoverageReader(archive).time(of: period.range) else { return }
      var found: [Coverage] = []
      if who.isEmpty { found = try archive.coverages(from: time.from, to: time.to) }
      for label in who {
        try archive.check(label)
        guard let coverage = try archive.coverage(of: label, from: time.from, to: time.to) else {
          throw HostLinkError(
            .unrecorded, "\(PrintableText.name(label)) has no log of its own in \(archive.location)",
            advice: "phones, venues and addresses are only received by others")
        }
        found.append(coverage)
      }
      var shares: [String: DirectionShare] = [:]
      for share in try CoverageReader(archive).directionShares(days: period.range ?? 0...99_991_231) {
        shares[share.who.label] = share
      }
      try display.show(
        Row(zone: archive.days.zone, coverage: found.map { CoverageRow($0, shares[$0.label]) })
      ) {
        let rows = found.map {
          [
            PrintableText.name($0.label), $0.kind.rawValue, CoverageText.hours($0.asked),
            CoverageText.hours($0.recorded), CoverageText.hours($0.milliseconds(.worn)),
            CoverageText.missing($0),
          ]
        }
        Console.printTable(
          [["WHO", "IS", "ASKED", "RECORDED", "WORN", "OTHERWISE"]] + rows, right: [2, 3, 4])
        for share in found.compactMap({ shares[$0.label] }) {
          guard let finding = share.finding else { continue }
          Console.line(
            "Check \(PrintableText.name(share.who.label)): received others for \(share.heardSeconds / 60) min and was received for \(share.wasHeardSeconds / 60) min: \(finding)."
          )
        }
      }
    }
  }
}

extension Who {
  /// The label; of a badge that nobody wears, that it is one.
  var nameOrBadge: String { kind == .unworn ? "badge of \(label), not worn" : label }
}

extension MeetingFigures {
  fileprivate var dayText: String { CivilDay.text(day) }
}

extension MeetingQuery {
  fileprivate init(
    _ archive: Archive, _ period: PeriodOptions, _ least: LeastMinutes, _ nearness: NearnessOptions,
    person: String? = nil
  ) {
    self.init()
    (days, self.person, leastSeconds) = (period.range, person, least.seconds)
    (within, withUnworn) = (nearness.limit(archive.rules), nearness.unworn)
  }
}

extension Archive {
  /// Shows the rows of a question, and what is recorded of those whom it is about.
  /// - Throws: `.unrecorded` if there are none, and nothing is recorded either.
  fileprivate func answer<Row: Encodable>(
    _ query: MeetingQuery, _ rows: [Row], _ name: String, _ display: DisplayOptions, found: [String],
    _ table: () -> Void
  ) throws {
    let answer = try Answer(self, query, found: Set(found))
    try display.show(
      ArchiveCommands.AnswerRow(
        who: query.person, other: query.other, zone: days.zone, leastSeconds: query.leastSeconds, rows: rows,
        name: name, fields: answer.fields)
    ) {
      if !rows.isEmpty { table() }
      answer.show()
    }
    if rows.isEmpty { try answer.checkEmpty(isQuiet: display.json || display.quiet) }
  }

  /// - Throws: `.unrecorded` if nobody has a label.
  func check(_ label: String) throws(HostLinkError) {
    guard try !CoverageReader(self).knows(label) else { return }
    throw HostLinkError(
      .unrecorded, "nobody in \(location) is called \(PrintableText.name(label))",
      advice: "`herald-host archive show --parties` lists everybody")
  }
}

/// Meetings as a table for people: minutes, and minutes in each band.
struct MeetingTable {
  private let heading: [String]

  init(_ rules: ContactRules) {
    let limits = rules.bandLimits
    heading =
      ["MINUTES"] + zip(ContactBand.allCases, limits).map { "\($0.rawValue) ≤\($1) dB" }
      + (limits.last.map { ["far >\($0) dB"] } ?? []) + ["READINGS"]
  }

  /// Seconds as minutes; meetings are whole windows of half a minute.
  static func minutes(_ seconds: Int64) -> String { "\(seconds / 60).\(seconds % 60 * 10 / 60)" }

  func show(
    _ meetings: [MeetingFigures], _ columns: [(name: String, value: KeyPath<MeetingFigures, String>)]
  ) {
    let rows = meetings.map { meeting in
      columns.map { PrintableText.name(meeting[keyPath: $0.value]) } + [Self.minutes(meeting.seconds)]
        + meeting.bands.map(Self.minutes) + [meeting.readings.map { String($0) } ?? ""]
    }
    let right = Set(columns.count..<columns.count + heading.count)
    Console.printTable([columns.map(\.name) + heading] + rows, right: right)
  }
}
