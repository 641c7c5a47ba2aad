import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink

/// `herald-host archive`
struct ArchiveCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Keeps the logs of many devices in one database.",
    subcommands: [Add.self, Rules.self])

  /// `herald-host archive add`
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds pulled logs to an archive, and derives contacts from them.",
      discussion: """
        The pages stay as they are, in the folders and in the archive. Adding a folder again adds only what is new; a command that was \
        interrupted goes on.
        """)

    @Argument(help: "Folders of pulled logs, or folders with such folders.")
    var dir: [String]
    @Option(help: ArgumentHelp("The archive; made if it is not there.", valueName: "file"))
    var archive: String
    @OptionGroup var who: WhoOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let bar = ProgressLine(isQuiet: display.quiet)
      let folders = try PageStoreSearch.folders(in: dir)
      let archive = try Archive.open(self.archive, create: true)
      let addition = try archive.add(folders: folders) {
        bar.update(done: $0, of: folders.count, text: "adding")
      }
      try who.apply(to: archive)
      try archive.update { bar.update(done: $0, of: $1, text: "deriving contacts") }
      bar.finish()
      for page in addition.refused { Console.note("herald-host: \(page) is not a page of this log") }
      for (folder, error) in addition.failures { Console.note("herald-host: \(folder): \(error)") }
      if !display.quiet {
        Console.line(
          "\(Console.count(addition.newPages, "new page")) of \(Console.count(addition.folders, "device"))")
      }
      guard addition.failures.isEmpty, addition.refused.isEmpty else {
        throw HostLinkError(.partial, "not everything could be added; the rest is in \(self.archive)")
      }
    }
  }
}
