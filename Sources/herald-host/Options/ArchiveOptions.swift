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

  /// Opens the archive, or makes a temporary one of the folders, brings it up to date, and answers from it.
  /// - Parameter window: the length of a window in seconds that the command needs; `nil` for any.
  /// - Throws: what `body` throws; `.partial` after it if a part of the folders could not be read.
  func answer(_ display: DisplayOptions, window: Int? = nil, _ body: (Archive) throws -> Void) throws {
    guard let location = self.archive else {
      var rules = ContactRules()
      rules.zone = try zone.name()
      rules.window = window ?? rules.window
      let filling = try ArchiveFilling(
        archive: try Archive.temporary(rules), who: who, isQuiet: display.quiet, keys: try owner.keys())
      let addition = try filling.add(try PageStoreSearch.folders(in: dir))
      addition.noteProblems()
      try body(filling.archive)
      guard addition.failures.isEmpty, addition.refused.isEmpty else {
        throw HostLinkError(
          .partial, "not everything in the folders could be read; the result is of the rest",
          advice: "make the files named above readable, or pull the logs of those devices into new folders")
      }
      return
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
    try body(archive)
  }
}
