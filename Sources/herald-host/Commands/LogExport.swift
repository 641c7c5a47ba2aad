import ArgumentParser
import HeraldConsole
import HeraldHostLink

extension LogCommands {
  /// `herald-host log export`
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes a pulled log as flat tables for programs that analyse.",
      discussion: """
        Files devices, pages, readings, events, batteries, visits and contacts, each usable without the others and with one type in each \
        column: JSON Lines, or CSV as RFC 4180 has it, which readers of tables turn into Parquet as it is. docs/archive.md describes the \
        columns. In CSV, text that a reader would take for a number, a date, a missing value or a formula has an apostrophe in front, and bytes an x.

        Example: `herald-host log export logs/dora --format csv --output tables`
        """)

    @Argument(help: "The folder of a pulled log.")
    var dir: String
    @Option(help: "What the files look like: jsonl or csv.")
    var format = FlatFormat.jsonl
    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("Where the files go (default: DIR/export).", valueName: "dir"))
    var output: String?
    @OptionGroup var owner: OwnerOptions
    @OptionGroup var replacing: ReplacingOptions
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let folder: String
      let files: [FlatExport.File]
    }

    func run() throws {
      let folder = try PageStore(path: dir, create: false)
      folder.sealedPageKeys = try owner.keys()
      let outputFolder = try output ?? folder.subfolder("export")
      let replacement = Replacement(isForced: replacing.force, inputs: [dir] + owner.ownerKey)
      let export = try FlatExport(folder, as: format, to: outputFolder, replacing: replacement)
      if display.json {
        try Console.printJSON(Row(folder: outputFolder, files: export.files))
      } else if !display.quiet {
        Console.printTable(
          [["FILE", "ROWS"]] + export.files.map { ["\(outputFolder)/\($0.name)", String($0.rows)] },
          right: [1])
      }
      if let sealed = SealedPagesText(export.sealedPages) {
        throw HostLinkError(.partial, "\(sealed.what); the rest is exported", advice: sealed.advice)
      }
      guard export.refused.isEmpty else {
        for page in export.refused { Console.note("herald-host: \(page) is not a page of this log") }
        throw HostLinkError(
          .partial, "\(Console.count(export.refused.count, "page")) could not be read; the rest is exported")
      }
    }
  }
}

extension FlatFormat: ExpressibleByArgument {}
