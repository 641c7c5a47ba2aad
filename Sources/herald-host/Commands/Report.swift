import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// `herald-host report`
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Makes a page to look at from a pulled log: who was met when, how strongly, and how the battery did.",
    discussion:
      "The page is one file that needs no network; any browser shows it. It tells whom somebody met: keep it accordingly."
  )

  @Argument(help: "The folder of a pulled log.")
  var dir: String
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where the page goes (default: DIR/report.html).", valueName: "file"))
  var output: String?
  @OptionGroup var display: DisplayOptions

  func run() throws {
    let folder = try PageStore(path: dir, create: false)
    let report = output ?? "\(dir.hasSuffix("/") ? dir : dir + "/")\(LogReport.fileName)"
    try LogReport(folder).write(to: report)
    try display.show(["report": report]) { Console.line("Report: \(report)") }
  }
}
