import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink

extension ArchiveCommands {
  /// `herald-host archive rules`
  struct Rules: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows the rules by which an archive makes contacts of readings, or changes them.",
      discussion:
        """
        After a change everything is derived again from the pages. docs/contacts.md defines the rules and says where the defaults come from.
        Example: `herald-host archive rules --archive ward.sqlite --zone Europe/Berlin`
        """
    )

    @Option(help: ArgumentHelp("The archive.", valueName: "file"))
    var archive: String
    @Option(
      help: ArgumentHelp(
        "The upper limits in dB of the bands of attenuation but the last: three numbers.",
        valueName: "dB,dB,dB"),
      transform: ContactNumbers.integers)
    var bands: [Int]?
    @Option(
      help: ArgumentHelp("The length of a window: 30, or 20 as SocioPatterns has.", valueName: "seconds"))
    var window: Int?
    @Option(
      help: ArgumentHelp(
        "The transmit power of peers that do not say it; the default is 0.", valueName: "dBm"))
    var assumedPower: Int?
    @Option(
      help: ArgumentHelp(
        "The time zone whose days are counted: Europe/Berlin, or a rule such as CET-1CEST,M3.5.0,M10.5.0/3.",
        valueName: "zone"))
    var zone: String?
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let bandsDb: [Int]
      let windowSeconds: Int
      let assumedPowerDbm: Int
      let silenceSeconds: Int64
      let zone: String
    }

    func run() throws {
      // An archive whose time zone this computer does not know is opened with the new one.
      let archive = try Archive.open(self.archive, create: false, zone: zone, isZoneReplaced: true)
      let former = archive.rules
      var rules = former
      rules.bandLimits = bands ?? rules.bandLimits
      rules.window = window ?? rules.window
      rules.assumedPower = assumedPower ?? rules.assumedPower
      try archive.change(rules)
      if zone != nil || rules != former {
        let bar = ProgressLine(isQuiet: display.quiet)
        try archive.update { bar.update(done: $0, of: $1, text: "deriving contacts") }
        bar.finish()
      }
      let row = Row(
        bandsDb: rules.bandLimits, windowSeconds: rules.window, assumedPowerDbm: rules.assumedPower,
        silenceSeconds: ContactRules.silence / 1000, zone: rules.zone)
      try display.show(row) {
        Console.printTable([
          ["Bands up to", rules.bandLimits.map(String.init).joined(separator: ", ") + " dB"],
          ["Windows of", "\(rules.window) s"],
          ["Transmit power of peers that do not say it", "\(rules.assumedPower) dBm"],
          ["Silence that ends a contact", "\(ContactRules.silence / 1000) s"],
          ["Days in", rules.zone],
        ])
      }
    }
  }
}
