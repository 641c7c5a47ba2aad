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

  @OptionGroup var who: WhoOptions

  mutating func validate() throws {
    guard dir.isEmpty != (archive == nil) else {
      throw ValidationError("Name either folders of pulled logs or --archive.")
    }
  }

  /// Opens the archive, or makes a temporary one of the folders, and brings it up to date.
  /// - Parameter window: the length of a window in seconds that the command needs; `nil` for any.
  func open(_ display: DisplayOptions, window: Int? = nil) throws -> Archive {
    let bar = ProgressLine(isQuiet: display.quiet)
    defer { bar.finish() }
    let archive: Archive
    if let place = self.archive {
      archive = try Archive.open(place, create: false)
      if let window, window != archive.rules.window {
        throw HostLinkError(
          .usage, "\(place) has windows of \(archive.rules.window) s",
          advice: "`herald-host archive rules --archive \(place) --window \(window)` derives everything again"
        )
      }
    } else {
      var rules = ContactRules()
      rules.zone = LocalDays.systemZone
      rules.window = window ?? rules.window
      archive = try Archive.temporary(rules)
      let folders = try PageStoreSearch.folders(in: dir)
      let addition = try archive.add(folders: folders) {
        bar.update(done: $0, of: folders.count, text: "reading")
      }
      for (folder, error) in addition.failures { Console.note("herald-host: \(folder): \(error.what)") }
      for page in addition.refused { Console.note("herald-host: \(page) is not a page of this log") }
    }
    try who.apply(to: archive)
    try archive.update { bar.update(done: $0, of: $1, text: "deriving contacts") }
    return archive
  }
}
