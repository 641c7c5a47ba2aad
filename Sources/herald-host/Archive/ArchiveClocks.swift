import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

extension ArchiveCommands {
  /// `herald-host archive clocks`
  struct Clocks: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says which devices had a wrong date, and corrects their records.",
      discussion: """
        Devices that are near each other hear each other in the same minutes: what each has of the other says by how much their clocks differ. \
        A device that differs from those that agree with each other is the wrong one. --correct moves its records of those days in every answer and export; \
        the pages stay as they are, and --restore undoes it. docs/contacts.md has the rules.
        Example: `herald-host archive clocks --archive ward.sqlite --correct`
        """)

    @OptionGroup var location: ArchiveLocation
    @Flag(help: "Correct the records of devices that are ahead of or behind the others.")
    var correct = false
    @Flag(help: "Remove all corrections.")
    var restore = false
    @OptionGroup var display: DisplayOptions

    mutating func validate() throws {
      guard !(correct && restore) else {
        throw ValidationError("--correct and --restore exclude each other.")
      }
    }

    private struct Row: Encodable {
      let findings: [ClockFinding]
      let corrections: [DeviceClocks.Correction]
      /// How many devices were compared, of how many.
      let compared: Int
      let devices: Int
    }

    func run() throws {
      let archive = try location.open(isQuiet: display.quiet)
      if restore { try archive.deviceClocks.restore() }
      if correct { display.say("\(Console.count(try archive.deviceClocks.correct(), "correction"))") }
      if correct || restore {
        try ArchiveFilling(archive: archive, who: nil, isQuiet: display.quiet).update()
      }
      let reach = try archive.deviceClocks.reach()
      let row = Row(
        findings: try archive.deviceClocks.findings(), corrections: try archive.deviceClocks.corrections(),
        compared: reach.compared, devices: reach.devices)
      try display.show(row) {
        if row.findings.isEmpty { Console.line(reach.words) }
        for finding in row.findings { Console.line("\(finding.text): \(finding.advice)") }
        for correction in row.corrections {
          Console.line("corrected: \(correction.text(archive.days))")
        }
      }
    }
  }
}

extension DeviceClocks.Correction {
  fileprivate func text(_ days: LocalDays) -> String {
    let ends = [fromMs, toMs].map { days.localTime(of: $0, isToMinutes: true) }
    let minutes = shiftMs / 60_000
    return "\(PrintableText.of(device)), by \(minutes) min, from \(ends[0]) to \(ends[1]) of its clock"
  }
}
