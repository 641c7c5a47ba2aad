import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink

/// `herald-host report`
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a page to look at from pulled logs: who was near whom, how near and when.",
    discussion: """
      The page is one file that needs no network; any browser shows it, on a phone and on paper as well. It tells whom somebody met: keep it \
      accordingly.

      Example: `herald-host report logs/* --people people.csv --output report.html`
      """)

  @OptionGroup var logs: ArchiveOptions
  @Option(help: ArgumentHelp("The first day, as in 2026-09-14.", valueName: "day"))
  var from: String?
  @Option(help: ArgumentHelp("The last day.", valueName: "day"))
  var to: String?
  @Option(help: ArgumentHelp("Only this day, instead of --from and --to.", valueName: "day"))
  var day: String?
  @Option(
    help: ArgumentHelp("Only this person, or device that nobody wore, and those near.", valueName: "name"))
  var person: String?
  @Option(help: ArgumentHelp("Only persons with this role, and those near them.", valueName: "role"))
  var role: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where the page goes (default: report.html in the first folder).", valueName: "file"))
  var output: String?
  @OptionGroup var cell: CellOptions
  @OptionGroup var replacing: ReplacingOptions
  @OptionGroup var display: DisplayOptions

  func validate() throws {
    guard day == nil || from == nil && to == nil else {
      throw ValidationError("--day is one day: it excludes --from and --to.")
    }
    guard output != nil || !logs.dir.isEmpty else {
      throw ValidationError("Name the file of the report with --output.")
    }
  }

  func run() throws {
    let period = try ReportPeriod(from: day ?? from, to: day ?? to)
    let first = logs.dir.first.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    let report = output ?? "\(first ?? "")\(WardReport.fileName)"
    try Replacement(isForced: replacing.force, inputs: logs.inputs).check(
      report, takesStream: true, isOwn: WardReport.isReport)
    try logs.answer(display) { try write($0, period, to: report) }
  }

  private func write(_ archive: Archive, _ period: ReportPeriod, to path: String) throws {
    var query = MeetingQuery()
    (query.days, query.person, query.role) = (period.days, person, role)
    if query.days != nil { try Answer.checkDays(archive, query.days) }
    let focus = try ReportFocus(archive, person: person, role: role)
    let report = try WardReport(archive, period, focus: focus, capacity: cell.battery)
    try report.write(to: path)
    // A report on standard output has no line behind it.
    if !LocalFile.isStream(path) {
      try display.show(["report": path]) { Console.line("Report: \(path)") }
    }
    // A report on everything says what there is of each badge, and that nothing has a date.
    if report.isEmpty, query != MeetingQuery() {
      try Answer(archive, query, found: []).checkEmpty(isQuiet: true)
    }
  }
}
