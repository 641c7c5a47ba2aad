import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink

/// `herald-host exchange`
struct ExchangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exchange",
    abstract: "Writes contacts in the formats of other programs.",
    discussion: """
      FORMAT is one of
        tij          SocioPatterns: tij.tsv with a line "t i j Si Sj" for each pair in contact in each 20 s, and names.csv
        epicontacts  R's epicontacts: linelist.csv and contacts.csv with a row for each pair and day
        graphml      contacts.graphml: persons and pairs with their minutes, for networkx, igraph, Gephi and others
      docs/exchange.md describes the columns. The files tell whom somebody met: keep them accordingly.
      """)

  @OptionGroup var archive: ArchiveOptions
  @Option(help: ArgumentHelp("tij, epicontacts or graphml.", valueName: "format"))
  var format: Archive.ExchangeFormat
  @Flag(help: "Include addresses from which no payload was read: mostly appliances and passers-by.")
  var addresses = false
  @Option(name: .shortAndLong, help: ArgumentHelp("Where the files go.", valueName: "dir"))
  var output: String
  @OptionGroup var display: DisplayOptions

  private struct Row: Encodable {
    let folder: String
    let files: [Archive.ExchangeFile]
  }

  func run() throws {
    let archive = try archive.open(display)
    let bar = ProgressLine(isQuiet: display.quiet)
    let files = try archive.exchange(as: format, to: output, withAddresses: addresses) {
      bar.update(done: $0, of: $1, text: "decoding")
    }
    bar.finish()
    try display.show(Row(folder: output, files: files)) {
      Console.printTable(
        [["FILE", "ROWS"]] + files.map { ["\(output)/\($0.name)", String($0.rows)] }, right: [1])
    }
  }
}

extension Archive.ExchangeFormat: ExpressibleByArgument {}
