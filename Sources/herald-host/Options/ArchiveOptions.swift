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
      "The archive, instead of folders; `herald-host archive add` makes one.", valueName: "file"))
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
    let bar = ProgressLine(isQuiet: display.quiet)
    defer { bar.finish() }
    let archive: Archive
    if let place = self.archive {
      archive = try Archive.open(place, create: false)
    } else {
      archive = try Archive.temporary()
      let folders = try PageStoreSearch.folders(in: dir)
      let addition = try archive.add(folders: folders) {
        bar.update(done: $0, of: folders.count, text: "reading")
      }
      for (folder, error) in addition.failures { Console.note("herald-host: \(folder): \(error.what)") }
      for page in addition.refused { Console.note("herald-host: \(page) is not a page of this log") }
    }
    if let people {
      try archive.label(try PeopleFile(reading: people, days: archive.days))
    }
    try archive.update { bar.update(done: $0, of: $1, text: "deriving contacts") }
    return archive
  }
}
