import ArgumentParser
import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink

/// `herald-host archive`
struct ArchiveCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Keeps the logs of many devices in one database.",
    discussion: "Example: `herald-host archive add logs/* --archive ward.sqlite --people people.csv`",
    subcommands: [
      Add.self, DayKeys.self, Show.self, Near.self, SecondDegree.self, Pairs.self, Bands.self,
      CoverageCommand.self, Clocks.self, Readings.self, Update.self, People.self, Rules.self,
    ])

  /// `herald-host archive add`
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds pulled logs to an archive, and derives contacts from them.",
      discussion: """
        The pages stay as they are, in the folders and in the archive. Adding a folder again adds only what is new; a command that was \
        interrupted goes on. Sealed pages without a key are kept as they are: --owner-key opens those that are in the archive, too, and needs no folder.
        Example: `herald-host archive add logs --archive ward.sqlite --people people.csv`
        """)

    @Argument(help: "Folders of pulled logs, or folders with such folders.")
    var dir: [String] = []
    @OptionGroup var location: ArchiveLocation
    @OptionGroup var who: WhoOptions
    @OptionGroup var zone: ZoneOption
    @OptionGroup var owner: OwnerOptions
    @OptionGroup var display: DisplayOptions

    func validate() throws {
      guard !dir.isEmpty || !owner.ownerKey.isEmpty else {
        throw ValidationError("Missing expected argument '<dir> ...'")
      }
    }

    func run() throws {
      let keys = try owner.keys()
      let folders = dir.isEmpty ? [] : try PageStoreSearch.folders(in: dir)
      let archive = try Archive.open(location.archive, create: !dir.isEmpty, zone: zone.zone)
      let addition: Archive.Addition
      do {
        addition = try add(folders, to: archive, keys)
      } catch {
        archive.discard()
        throw error
      }
      archive.discard(onlyIfEmpty: true)
      try display.show(addition) {
        Console.line(
          "\(Console.count(addition.newPages, "new page")) of \(Console.count(addition.folders, "device"))")
      }
      try addition.check()
    }

    private func add(_ folders: [String], to archive: Archive, _ keys: SealedPageKeys?) throws
      -> Archive.Addition
    {
      let filling = try ArchiveFilling(archive: archive, who: who, isQuiet: display.quiet, keys: keys)
      var stored = (opened: 0, left: 0)
      if let keys { stored = try archive.openSealedPages(keys) }
      var addition = try filling.add(folders)
      addition.newPages += stored.opened
      if dir.isEmpty { addition.sealedPages = stored.left }
      return addition
    }
  }

  /// `herald-host archive update`
  struct Update: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Derives what new pages, people or rules have changed.",
      discussion: """
        Every command that reads an archive does so before. With --all everything is derived from the pages again.
        Example: `herald-host archive update --archive ward.sqlite`
        """)

    @OptionGroup var location: ArchiveLocation
    @Flag(help: "Derive everything again.")
    var all = false
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let devices: Int
      let readings: Int
      let meetings: Int
    }

    func run() throws {
      let archive = try Archive.open(location.archive, create: false)
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
      abstract: "Says who wore which device when, and whose identifiers were read.",
      discussion: """
        A new file replaces the one before; all contacts are derived again if they differ.
        Example: `herald-host archive people --archive ward.sqlite --people people.csv`
        """)

    @OptionGroup var location: ArchiveLocation
    @OptionGroup var who: WhoOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let archive = try Archive.open(location.archive, create: false)
      try ArchiveFilling(archive: archive, who: who, isQuiet: display.quiet).update()
      display.say(Console.count(try archive.contents().persons, "person"))
    }
  }
}
