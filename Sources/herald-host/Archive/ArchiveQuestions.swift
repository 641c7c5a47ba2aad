import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

extension ArchiveCommands {
  /// The shortest meeting that counts.
  struct LeastMinutes: ParsableArguments {
    @Option(
      name: .customLong("minutes"), help: ArgumentHelp("Only more than so many minutes.", valueName: "n"))
    var minutes: Int = 0

    mutating func validate() throws {
      guard (0...1_000_000).contains(minutes) else { throw ValidationError("--minutes takes 0 or more.") }
    }

    var seconds: Int64 { Int64(minutes) * 60 }
  }

  /// `herald-host archive near`
  struct Near: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Who was near somebody on a day.")

    @Argument(help: "The person, or the serial number of a device that nobody wore.")
    var who: String
    @OptionGroup var place: ArchivePlace
    @Option(help: ArgumentHelp("The day, such as 2026-09-14.", valueName: "day"))
    var day: CivilDay
    @OptionGroup var least: LeastMinutes
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try place.open(isQuiet: display.quiet)
      try archive.check(who)
      let meetings = try archive.near(who, day: day.number, seconds: least.seconds)
      try display.show(meetings) {
        MeetingTable(archive.rules).show(meetings, [("OTHER", \.other.label), ("ROLE", \.other.role)])
      }
    }
  }

  /// `herald-host archive pairs`
  struct Pairs: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "All pairs of a day.")

    @OptionGroup var place: ArchivePlace
    @Option(help: ArgumentHelp("The day, such as 2026-09-14.", valueName: "day"))
    var day: CivilDay
    @OptionGroup var least: LeastMinutes
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try place.open(isQuiet: display.quiet)
      let meetings = try archive.pairs(day: day.number, seconds: least.seconds)
      try display.show(meetings) {
        MeetingTable(archive.rules).show(meetings, [("WHO", \.who.label), ("OTHER", \.other.label)])
      }
    }
  }

  /// `herald-host archive bands`
  struct Bands: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "The minutes of a pair in each band of attenuation, for each day.")

    @Argument(help: "One of the pair.")
    var who: String
    @Argument(help: "The other one.")
    var other: String
    @OptionGroup var place: ArchivePlace
    @OptionGroup var days: CivilDays
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try place.open(isQuiet: display.quiet)
      for label in [who, other] { try archive.check(label) }
      let meetings = try archive.bands(who, other, days: days.range)
      try display.show(meetings) {
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
        Both meetings are longer than --minutes.
        """)

    @Argument(help: "The person, or the serial number of a device that nobody wore.")
    var who: String
    @OptionGroup var place: ArchivePlace
    @OptionGroup var days: CivilDays
    @OptionGroup var least: LeastMinutes
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try place.open(isQuiet: display.quiet)
      try archive.check(who)
      let found = try archive.secondDegree(who, days: days.range, seconds: least.seconds)
      try display.show(found) {
        let rows = found.map {
          [
            PrintableText.of($0.who.label), PrintableText.of($0.who.role), String($0.through),
            MeetingTable.minutes($0.seconds),
          ]
        }
        Console.printTable([["OTHER", "ROLE", "THROUGH", "LONGEST MIN"]] + rows, right: [2, 3])
      }
    }
  }
}

extension MeetingFigures {
  fileprivate var dayText: String { CivilDay.text(day) }
}

extension Archive {
  /// - Throws: `.usage` if nobody has a label.
  func check(_ label: String) throws(HostLinkError) {
    guard try parties(labelled: label).isEmpty else { return }
    throw HostLinkError(
      .usage, "nobody in \(place) is called \(PrintableText.of(label))",
      advice: "`herald-host archive show --parties` lists everybody")
  }
}

/// Meetings as a table for people: minutes, and minutes in each band.
struct MeetingTable {
  private let heading: [String]

  init(_ rules: ContactRules) {
    let limits = rules.bandLimits
    heading =
      ["MINUTES"] + limits.map { "≤\($0) dB" } + (limits.last.map { [">\($0) dB"] } ?? []) + ["READINGS"]
  }

  /// Seconds as minutes; meetings are whole windows of half a minute.
  static func minutes(_ seconds: Int64) -> String { "\(seconds / 60).\(seconds % 60 * 10 / 60)" }

  func show(
    _ meetings: [MeetingFigures], _ columns: [(name: String, value: KeyPath<MeetingFigures, String>)]
  ) {
    let rows = meetings.map { meeting in
      columns.map { PrintableText.of(meeting[keyPath: $0.value]) } + [Self.minutes(meeting.seconds)]
        + meeting.bands.map(Self.minutes) + [String(meeting.readings)]
    }
    let right = Set(columns.count..<columns.count + heading.count)
    Console.printTable([columns.map(\.name) + heading] + rows, right: right)
  }
}
