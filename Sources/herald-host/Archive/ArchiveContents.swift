import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

extension ArchiveCommands {
  /// `herald-host archive show`
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows what is in an archive.",
      discussion: """
        It is shown as it is; what new pages change is derived by `archive update`.
        Example: `herald-host archive show --archive ward.sqlite --devices`
        """)

    @OptionGroup var location: ArchiveLocation
    @Flag(help: "List the devices.")
    var devices = false
    @Flag(help: "List everybody in the contacts.")
    var parties = false
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let place: String
      let devices: Int
      let pages: Int
      let sealedPages: Int
      let readings: Int
      let contacts: Int
      let persons: Int
      let refusedPages: [Archive.RefusedPage]
      let zone: String
      let bandLimits: [Int]
      let assumedPower: Int
      let isUpdateDue: Bool
      let clockFindings: [ClockFinding]
      var deviceRows: [Archive.Device]?
      var parties: [Who]?
    }

    func run() throws {
      let archive = try Archive.open(location.archive, create: false)
      let contents = try archive.contents()
      var row = Row(
        place: archive.location, devices: contents.devices, pages: contents.pages,
        sealedPages: try archive.sealedPageCount(), readings: contents.readings,
        contacts: contents.contacts, persons: contents.persons, refusedPages: try archive.refusedPages(),
        zone: archive.rules.zone, bandLimits: archive.rules.bandLimits,
        assumedPower: archive.rules.assumedPower, isUpdateDue: try archive.isUpdateDue(),
        clockFindings: try archive.deviceClocks.findings())
      if devices { row.deviceRows = try archive.devices() }
      if parties { row.parties = try archive.parties() }
      try display.show(row) {
        Console.line(
          [
            Console.count(row.devices, "device"), Console.count(row.pages, "page"),
            Console.count(row.readings, "reading"), Console.count(row.contacts, "contact"),
            Console.count(row.persons, "person"),
          ].joined(separator: ", "))
        Console.line(
          "days of \(row.zone); bands up to \(row.bandLimits.map(String.init).joined(separator: ", ")) dB")
        if row.isUpdateDue {
          Console.line(
            "an update is due: readings and contacts are those before it; `herald-host archive update` derives the rest"
          )
        }
        if row.sealedPages > 0 {
          Console.line(
            "\(Console.count(row.sealedPages, "further page")) sealed still: `herald-host archive add --owner-key FILE` opens them"
          )
        }
        for page in row.refusedPages {
          Console.line(
            "refused: page \(page.sequence) of epoch \(page.epoch) of \(PrintableText.of(page.device)): \(page.reason)"
          )
        }
        for finding in row.clockFindings { Console.line("clock: \(finding.text): \(finding.advice)") }
        if let devices = row.deviceRows { show(devices) }
        if let parties = row.parties {
          let rows = parties.map {
            [$0.kind.rawValue, $0.label, $0.role, $0.place].map { PrintableText.of($0) }
          }
          Console.printTable([["KIND", "LABEL", "ROLE", "PLACE"]] + rows)
        }
      }
    }

    private func show(_ devices: [Archive.Device]) {
      func date(_ milliseconds: Int64?) -> String {
        milliseconds.map { UTCTimestamp.json(UInt64(clamping: $0)) } ?? "-"
      }
      let rows = devices.map {
        [
          PrintableText.of($0.serial), PrintableText.of($0.name), String($0.pages), String($0.readings),
          String($0.undated), String($0.lost), date($0.firstMs), date($0.lastMs),
        ]
      }
      Console.printTable(
        [["DEVICE", "NAME", "PAGES", "READINGS", "UNDATED", "LOST", "FIRST", "LAST"]] + rows,
        right: [2, 3, 4, 5])
    }
  }
}
