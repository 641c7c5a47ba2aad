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

  @OptionGroup var who: WhoOptions
  @OptionGroup var zone: ZoneOption
  @OptionGroup var owner: OwnerOptions

  mutating func validate() throws {
    guard dir.isEmpty != (archive == nil) else {
      throw ValidationError("Name either folders of pulled logs or --archive.")
    }
  }

  /// What these options have the command read.
  var inputs: [String] { dir + [archive].compactMap(\.self) + who.inputs + owner.ownerKey }

  /// Opens the archive, or makes a temporary one of the folders, and brings it up to date.
  /// - Parameter window: the length of a window in seconds that the command needs; `nil` for any.
  func open(_ display: DisplayOptions, window: Int? = nil) throws -> Archive {
    guard let location = self.archive else {
      var rules = ContactRules()
      rules.zone = try zone.name()
      rules.window = window ?? rules.window
      let filling = ArchiveFilling(
        archive: try Archive.temporary(rules), who: who, isQuiet: display.quiet, keys: try owner.keys())
      try filling.add(try PageStoreSearch.folders(in: dir)).noteProblems()
      return filling.archive
    }
    let archive = try Archive.open(location, create: false, zone: zone.zone)
    if let window, window != archive.rules.window {
      throw HostLinkError(
        .usage, "\(archive.location) has windows of \(archive.rules.window) s",
        advice:
          "`herald-host archive rules --archive \(archive.location) --window \(window)` derives everything again"
      )
    }
    try ArchiveFilling(archive: archive, who: who, isQuiet: display.quiet).update()
    return archive
  }
}
