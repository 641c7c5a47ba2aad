import ArgumentParser
import HeraldConsole
import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// `herald-host payload`
struct PayloadCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "payload", abstract: "Says what a device offers to others, and has it offer something else.",
    discussion: "Example: `herald-host payload show`",
    subcommands: [Push.self, Show.self, Simple.self])

  /// `herald-host payload simple`
  struct Simple: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Derives the keys of some days from a secret, for the simple payload.",
      discussion: """
        The secret, 2048 bytes in a file, stays on this computer: from it every identifier follows. The key file holds the \
        matching key of each day and is what a device gets; `herald-node --payload simple:FILE` reads it. Both files are \
        their owner's alone.

        Example: `herald-host payload simple --secret dora.secret --generate --country 826 --from today --days 90 --output dora.keys`
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
      transform: FirstDay.init)
    var from: FirstDay
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
    @OptionGroup var clock: ClockOptions
    @OptionGroup var replacing: ReplacingOptions
    @OptionGroup var display: DisplayOptions

    /// The first day, by its first second in UTC; that of `today` is this computer's date.
    enum FirstDay {
      case today
      case seconds(UInt64)

      init(_ date: String) throws { self = date == "today" ? .today : .seconds(try Simple.seconds(date)) }
    }

    private struct Row: Encodable {
      let firstDay: Int
      let days: Int
      let from: String
      let until: String
      let keyFile: String
    }

    func run() throws {
      let replacement = Replacement(isForced: replacing.force, inputs: [secret])
      try replacement.check(output, isOwn: MatchingKeyWindow.isFile)
      let window = try makeWindow()
      // The secret may have been made meanwhile.
      try replacement.check(output, isOwn: MatchingKeyWindow.isFile)
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
      let from = try firstSecond()
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

    /// The first second of the keys.
    /// - Throws: `.notConfirmed` for `today` if this computer's date is not believed.
    private func firstSecond() throws(HostLinkError) -> UInt64 {
      switch from {
      case .seconds(let seconds): return seconds
      case .today:
        switch clock.clockGuard.verdict(device: nil) {
        case .refused(let error): throw error
        case .agrees(let remark), .sets(let remark):
          if let remark { Console.note("herald-host: the first day of the keys: \(remark)") }
          return PlausibleDate.now / 1000
        }
      }
    }

    /// The first second of a date.
    static func seconds(_ date: String) throws -> UInt64 {
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
