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
      With the last three, the options that select contacts are those of `herald-host contacts`; the first three are of the whole archive, and \
      --table names the tables that are wanted: `minutes`, the minutes of each direction that all others are made of, is written only then. \
      --within, --band and --unworn say what counts as near in all. coverage says what is recorded of whom. \
      docs/archive.md describes the columns. Running the command again replaces the files, and no others. They tell whom somebody met: \
      keep them accordingly.
      Example: `herald-host export --format csv --archive ward.sqlite --table minutes --table coverage --output ward`
      """)

  @OptionGroup var archive: ArchiveOptions
  @Option(help: ArgumentHelp("What the files look like: one of the above.", valueName: "format"))
  var format = Format.parquet
  @Option(name: .shortAndLong, help: ArgumentHelp("Where the files go.", valueName: "dir"))
  var output: String
  @OptionGroup var which: MeetingOptions
  @Option(
    help: ArgumentHelp(
      "With parquet, csv and jsonl: only this table; may be repeated. docs/archive.md lists them.",
      valueName: "name"))
  var table: [String] = []
  @Flag(help: "Include addresses from which no payload was read: mostly appliances and passers-by.")
  var addresses = false
  @OptionGroup var replacing: ReplacingOptions
  @OptionGroup var display: DisplayOptions

  mutating func validate() throws {
    for name in table where !ExportSelection.names.contains(name) {
      throw ValidationError(
        "There is no table \(name): --table takes \(ExportSelection.names.joined(separator: ", ")).")
    }
    guard format.exchange == nil || table.isEmpty else {
      throw ValidationError("--table goes with parquet, csv and jsonl.")
    }
    guard format.exchange != nil || !(which.selects || addresses) else {
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
    let strength: String
  }

  private struct ExchangeRow: Encodable {
    let folder: String
    let files: [ExchangeFile]
    let strength: String
  }

  func run() throws {
    let replacement = Replacement(isForced: replacing.force, inputs: archive.inputs)
    // The windows of tij are decoded from the pages, whatever the archive has.
    try archive.answer(display, window: format == .tij ? nil : which.window) { try write($0, replacement) }
  }

  private func write(_ archive: Archive, _ replacement: Replacement) throws {
    if let days = which.period.range { try Answer.checkDays(archive, days) }
    if let format = format.exchange { return try export(archive, as: format, replacement) }
    var selection = ExportSelection()
    if !table.isEmpty { selection.tables = Set(table) }
    (selection.within, selection.withUnworn) = (which.nearness.limit(archive.rules), which.nearness.unworn)
    let export: Archive.Export
    switch format {
    case .csv: export = try archive.export(as: .csv, to: output, selection, replacing: replacement)
    case .jsonl: export = try archive.export(as: .jsonl, to: output, selection, replacing: replacement)
    default:
      let bar = ProgressLine(isQuiet: display.quiet)
      defer { bar.finish() }
      export = try archive.exportParquet(to: output, selection, replacing: replacement) {
        bar.update(done: $0, of: $1, text: "exporting")
      }
    }
    let strength = Answer.strength(selection.within)
    try display.show(
      Row(folder: output, tables: export.tables, leftOut: export.leftOut, strength: strength)
    ) {
      Console.printTable(
        [["TABLE", "ROWS", "FILES"]] + export.tables.map { [$0.name, String($0.rows), String($0.files)] },
        right: [1, 2])
      Console.line("Contacts are \(strength).")
      if export.leftOut > 0 {
        Console.line(
          "\(Console.count(export.leftOut, "row")) without a date, or outside the years 1970 to 9999, left out"
        )
      }
    }
  }

  private func export(_ archive: Archive, as format: ExchangeFormat, _ replacement: Replacement) throws {
    var query = which.query(archive.rules)
    query.leastSeconds = which.least.seconds
    let bar = ProgressLine(isQuiet: display.quiet)
    let files = try archive.exchange(
      query, as: format, to: output, withAddresses: addresses, replacing: replacement
    ) {
      bar.update(done: $0, of: $1, text: "decoding")
    }
    bar.finish()
    let strength = Answer.strength(query.within)
    try display.show(ExchangeRow(folder: output, files: files, strength: strength)) {
      Console.printTable(
        [["FILE", "ROWS"]] + files.map { ["\(output)/\($0.name)", String($0.rows)] }, right: [1])
      Console.line("Contacts are \(strength).")
    }
    // coverage.csv has rows of those whom nobody met as well.
    let isEmpty = files.allSatisfy { $0.rows == 0 || $0.name == "coverage.csv" }
    if isEmpty { try Answer(archive, query, found: []).checkEmpty(isQuiet: true) }
  }
}
