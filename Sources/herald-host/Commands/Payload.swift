import ArgumentParser
import HeraldConsole
import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// `herald-host payload`
struct PayloadCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "payload", abstract: "Says what a device offers to others, and has it offer something else.",
    subcommands: [Push.self, Show.self, Simple.self])

  /// `herald-host payload simple`
  struct Simple: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Derives the keys of some days from a secret, for the simple payload.",
      discussion: """
        The secret, 2048 bytes in a file, stays on this computer: from it every identifier follows. The key file holds the \
        matching key of each day and is what a device gets; `herald-node --payload simple:FILE` reads it. Both files are \
        their owner's alone.
        """)

    @Option(help: ArgumentHelp("The file with the secret.", valueName: "file"))
    var secret: String
    @Flag(help: "Make the secret, in a new file.")
    var generate = false
    @Option(
      help: ArgumentHelp("ISO 3166-1 numeric country code; 826 is the United Kingdom.", valueName: "number"))
    var country: UInt16
    @Option(help: ArgumentHelp("The state within the country, 0 for all of it.", valueName: "number"))
    var state: UInt16 = 0
    @Option(
      help: ArgumentHelp("The first day, yyyy-mm-dd, or today: that of UTC.", valueName: "date"),
      transform: Self.firstDay)
    var from: UInt64
    @Option(help: ArgumentHelp("How many days, 1 to \(MatchingKeyWindow.mostDays).", valueName: "number"))
    var days = MatchingKeyWindow.mostDays
    @Option(
      help: ArgumentHelp(
        "Day 0 of the key schedule, yyyy-mm-dd; the phones' is 2020-09-24, and ended on 2026-03-17.",
        valueName: "date"),
      transform: Self.seconds)
    var epoch: UInt64 = KeyScheduleEpoch.phones.unixSeconds
    @Option(name: .shortAndLong, help: ArgumentHelp("The key file.", valueName: "file"))
    var output: String
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let firstDay: Int
      let days: Int
      let from: String
      let until: String
      let keyFile: String
    }

    func run() throws {
      let window = try makeWindow()
      try window.write(to: output)
      let seconds = window.unixSeconds
      let row = Row(
        firstDay: window.firstDay, days: window.dayCount, from: UTCTimestamp.json(seconds.lowerBound * 1000),
        until: UTCTimestamp.json(seconds.upperBound * 1000), keyFile: output)
      let text =
        "\(output): keys of \(Console.count(window.dayCount, "day")), \(Self.date(seconds.lowerBound)) to "
        + "\(Self.date(seconds.upperBound - 1)), day \(window.firstDay) of the schedule and on."
      try display.show(row) { Console.line(text) }
    }

    private func makeWindow() throws(HostLinkError) -> MatchingKeyWindow {
      let secret = generate ? SimpleSecret.generate() : try SimpleSecret.read(secret)
      if secret.isOpenToOthers {
        Console.note("herald-host: users other than its owner have access to \(self.secret); `chmod 600` it")
      }
      let window = try MatchingKeyWindow(
        of: secret, country: country, state: state, from: from, days: days,
        epoch: KeyScheduleEpoch(unixSeconds: epoch))
      if generate { try secret.write(to: self.secret) }
      return window
    }

    /// The current time for `today`, else the first second of a date.
    private static func firstDay(_ date: String) throws -> UInt64 {
      date == "today" ? PlausibleDate.now / 1000 : try seconds(date)
    }

    /// The first second of a date.
    private static func seconds(_ date: String) throws -> UInt64 {
      guard date.utf8.count == 10, let moment = UTCTimestamp.parse(date + " 00:00:00") else {
        throw ValidationError("\(PrintableText.of(date)) is no date of the form yyyy-mm-dd.")
      }
      return moment / 1000
    }

    private static func date(_ seconds: UInt64) -> String {
      String(UTCTimestamp.text(seconds * 1000).prefix(10))
    }
  }
}
