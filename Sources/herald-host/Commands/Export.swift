import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink

/// `herald-host export`
struct Export: ParsableCommand {
  /// What the files look like.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case parquet, csv, jsonl
  }

  static let configuration = CommandConfiguration(
    abstract: "Writes the logs of many devices as tables for programs that analyse.",
    discussion: """
      With --format parquet a data set for DuckDB, pandas, Spark, R and others: readings by day and device, and contacts, meetings and \
      directions by day. With csv or jsonl one file for each table, without readings. docs/archive.md describes the columns. Running \
      the command again replaces the files. They tell whom somebody met: keep them accordingly.
      """)

  @OptionGroup var archive: ArchiveOptions
  @Option(help: "What the files look like: parquet, csv or jsonl.")
  var format = Format.parquet
  @Option(name: .shortAndLong, help: ArgumentHelp("Where the files go.", valueName: "dir"))
  var output: String
  @OptionGroup var display: DisplayOptions

  private struct Row: Encodable {
    let folder: String
    let tables: [Archive.Export.Table]
    let leftOut: Int
  }

  func run() throws {
    let archive = try archive.open(display)
    let export: Archive.Export
    switch format {
    case .parquet:
      let bar = ProgressLine(isQuiet: display.quiet)
      defer { bar.finish() }
      export = try archive.exportParquet(to: output) { bar.update(done: $0, of: $1, text: "exporting") }
    case .csv: export = try archive.export(as: .csv, to: output)
    case .jsonl: export = try archive.export(as: .jsonl, to: output)
    }
    try display.show(Row(folder: output, tables: export.tables, leftOut: export.leftOut)) {
      Console.printTable(
        [["TABLE", "ROWS", "FILES"]] + export.tables.map { [$0.name, String($0.rows), String($0.files)] },
        right: [1, 2])
      if export.leftOut > 0 {
        Console.line(
          "\(Console.count(export.leftOut, "row")) without a date, or outside the years 1970 to 9999, left out"
        )
      }
    }
  }
}
