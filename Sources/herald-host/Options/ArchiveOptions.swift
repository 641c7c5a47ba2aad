import ArgumentParser
import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink

/// Options of commands that read the logs of many devices: an archive, or the folders of pulled logs.
struct ArchiveOptions: ParsableArguments {
  @Argument(help: "Folders of pulled logs, or folders with such folders.")
  var dir: [String] = []

  @Option(
    help: ArgumentHelp(
      "The archive, instead of folders: a file that `herald-host archive add` made, or postgresql://…",
      valueName: "place"))
  var archive: String?

  @Option(
    help: ArgumentHelp(
      "Who wore which device when: a CSV file with the columns serial, name, role, place, from, to.",
      valueName: "file"))
  var people: String?

  mutating func validate() throws {
    guard dir.isEmpty != (archive == nil) else {
      throw ValidationError("Name either folders of pulled logs or --archive.")
    }
  }

  /// Opens the archive, or makes a temporary one of the folders, and brings it up to date.
  func open(_ display: DisplayOptions) throws -> Archive {
    guard let place = self.archive else {
      let archive = try Archive.temporary()
      let filling = ArchiveFilling(archive: archive, people: people, isQuiet: display.quiet)
      try filling.add(try PageStoreSearch.folders(in: dir)).noteProblems()
      return archive
    }
    let archive = try Archive.open(place, create: false)
    try ArchiveFilling(archive: archive, people: people, isQuiet: display.quiet).update()
    return archive
  }
}
