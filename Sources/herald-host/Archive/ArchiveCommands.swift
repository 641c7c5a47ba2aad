import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink

/// `herald-host archive`
struct ArchiveCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Keeps the logs of many devices in one database.",
    subcommands: [
      Add.self, Show.self, Near.self, SecondDegree.self, Pairs.self, Bands.self, Readings.self, Update.self,
      People.self, Rules.self,
    ])

  /// `herald-host archive add`
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds pulled logs to an archive, and derives contacts from them.",
      discussion: """
        The pages stay as they are, in the folders and in the archive. Adding a folder again adds only what is new; a command that was \
        interrupted goes on.
        """)

    @Argument(help: "Folders of pulled logs, or folders with such folders.")
    var dir: [String]
    @OptionGroup var place: ArchivePlace
    @Option(
      help: ArgumentHelp(
        "Who wore which device when: a CSV file with the columns serial, name, role, place, from, to.",
        valueName: "file"))
    var people: String?
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let filling = ArchiveFilling(
        archive: try Archive.open(place.archive, create: true), people: people, isQuiet: display.quiet)
      let addition = try filling.add(try PageStoreSearch.folders(in: dir))
      try display.show(addition) {
        Console.line(
          "\(Console.count(addition.newPages, "new page")) of \(Console.count(addition.folders, "device"))")
      }
      try addition.check()
    }
  }

  /// `herald-host archive update`
  struct Update: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Derives what new pages, people or rules have changed.",
      discussion: """
        Every command that reads an archive does so before. With --all everything is derived from the pages again.
        """)

    @OptionGroup var place: ArchivePlace
    @Flag(help: "Derive everything again.")
    var all = false
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let devices: Int
      let readings: Int
      let meetings: Int
    }

    func run() throws {
      let archive = try Archive.open(place.archive, create: false)
      if all { try archive.deriveAgain() }
      let bar = ProgressLine(isQuiet: display.quiet)
      let update = try archive.update { bar.update(done: $0, of: $1, text: "deriving contacts") }
      bar.finish()
      try display.show(
        Row(devices: update.devices, readings: update.readings, meetings: update.meetings)
      ) {
        Console.line(
          "\(Console.count(update.devices, "device")), \(Console.count(update.readings, "reading")), \(Console.count(update.meetings, "meeting"))"
        )
      }
    }
  }

  /// `herald-host archive people`
  struct People: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replaces who wore which device when.",
      discussion: """
        The file is CSV in UTF-8 with the columns serial and name, and role, place, from, to if they are wanted. All contacts are derived again \
        if it differs from the one before.
        """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var people: String
    @OptionGroup var place: ArchivePlace
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try Archive.open(place.archive, create: false)
      try ArchiveFilling(archive: archive, people: people, isQuiet: display.quiet).update()
      display.say(Console.count(try archive.contents().persons, "person"))
    }
  }

  /// `herald-host archive rules`
  struct Rules: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows or changes the rules by which contacts are made.",
      discussion: "If they are changed, all contacts are derived again from the pages.")

    @OptionGroup var place: ArchivePlace
    @Option(
      help: ArgumentHelp("Upper limits of the bands of attenuation in dB, such as 55,63,73.", valueName: "db")
    )
    var bands: String?
    @Option(
      name: .customLong("assumed-power"),
      help: ArgumentHelp(
        "The transmit power of peers whose advertisements do not contain it.", valueName: "dbm"))
    var assumedPower: Int?
    @Option(
      help: ArgumentHelp("The time zone whose days are counted, such as Europe/Berlin.", valueName: "name"))
    var zone: String?
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let bandLimits: [Int]
      let assumedPower: Int
      let zone: String
    }

    func run() throws {
      let archive = try Archive.open(place.archive, create: false)
      var rules = archive.rules
      if let bands {
        let limits = bands.split(separator: ",", omittingEmptySubsequences: false)
        rules.bandLimits = limits.compactMap { Int($0) }
        if rules.bandLimits.count != limits.count { rules.bandLimits = [] }
      }
      if let assumedPower { rules.assumedPower = assumedPower }
      if let zone { rules.zone = zone }
      try archive.change(rules)
      try ArchiveFilling(archive: archive, people: nil, isQuiet: display.quiet).update()
      try display.show(
        Row(bandLimits: rules.bandLimits, assumedPower: rules.assumedPower, zone: rules.zone)
      ) {
        Console.line("bands up to \(rules.bandLimits.map(String.init).joined(separator: ", ")) dB, and above")
        Console.line("assumed transmit power \(rules.assumedPower) dBm")
        Console.line("days of \(rules.zone)")
      }
    }
  }
}
