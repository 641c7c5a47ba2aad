import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink

/// `herald-host export`
struct Export: ParsableCommand {
  /// What the files look like.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case parquet, csv, jsonl, tij, epicontacts, graphml

    /// The format of other programs for contacts, if it is one.
    var exchange: ExchangeFormat? { ExchangeFormat(rawValue: rawValue) }
  }

  static let configuration = CommandConfiguration(
    abstract: "Writes the logs of many devices as files for programs that analyse.",
    discussion: """
      FORMAT is one of
        parquet      a data set for DuckDB, pandas, Spark, R and others: readings by day and device, and contacts, meetings and directions by day
        csv, jsonl   one file for each table, without readings
        tij          SocioPatterns: tij.tsv with a line "t i j Si Sj" for each pair in contact in each 20 s, and names.csv
        epicontacts  R's epicontacts: linelist.csv and contacts.csv with a row for each pair and day
        graphml      contacts.graphml: persons and pairs with their minutes, for networkx, igraph, Gephi and others
      With the last three, the options that select contacts are those of `herald-host contacts`; the first three are of the whole archive. \
      docs/archive.md and docs/exchange.md describe the columns. Running the command again replaces the files. They tell whom somebody met: \
      keep them accordingly.
      """)

  @OptionGroup var archive: ArchiveOptions
  @Option(help: ArgumentHelp("What the files look like: one of the above.", valueName: "format"))
  var format = Format.parquet
  @Option(name: .shortAndLong, help: ArgumentHelp("Where the files go.", valueName: "dir"))
  var output: String
  @OptionGroup var which: MeetingOptions
  @Flag(help: "Include addresses from which no payload was read: mostly appliances and passers-by.")
  var addresses = false
  @OptionGroup var display: DisplayOptions

  mutating func validate() throws {
    guard format.exchange != nil || !(which.isGiven || addresses) else {
      throw ValidationError(
        "With --format \(format.rawValue) the whole archive is exported: options that select contacts are for tij, epicontacts and graphml."
      )
    }
    guard format != .tij || which.window ?? 20 == 20 else {
      throw ValidationError("The windows of tij are 20 s.")
    }
  }

  private struct Row: Encodable {
    let folder: String
    let tables: [Archive.Export.Table]
    let leftOut: Int
  }

  private struct ExchangeRow: Encodable {
    let folder: String
    let files: [ExchangeFile]
  }

  func run() throws {
    // The windows of tij are decoded from the pages, whatever the archive has.
    let archive = try archive.open(display, window: format == .tij ? nil : which.window)
    if let format = format.exchange { return try export(archive, as: format) }
    let export: Archive.Export
    switch format {
    case .csv: export = try archive.export(as: .csv, to: output)
    case .jsonl: export = try archive.export(as: .jsonl, to: output)
    default:
      let bar = ProgressLine(isQuiet: display.quiet)
      defer { bar.finish() }
      export = try archive.exportParquet(to: output) { bar.update(done: $0, of: $1, text: "exporting") }
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

  private func export(_ archive: Archive, as format: ExchangeFormat) throws {
    var query = which.query
    query.leastSeconds = which.leastSeconds
    let bar = ProgressLine(isQuiet: display.quiet)
    let files = try archive.exchange(query, as: format, to: output, withAddresses: addresses) {
      bar.update(done: $0, of: $1, text: "decoding")
    }
    bar.finish()
    try display.show(ExchangeRow(folder: output, files: files)) {
      Console.printTable(
        [["FILE", "ROWS"]] + files.map { ["\(output)/\($0.name)", String($0.rows)] }, right: [1])
    }
  }
}
