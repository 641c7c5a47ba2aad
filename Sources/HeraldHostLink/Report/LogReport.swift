import HeraldText

/// A report of a log as one HTML page: contacts over time, their RSSI, the number of readings, and the
/// battery level. The page is self-contained, without network access or scripts. Strings from a device or a
/// peer are escaped as text.
public struct LogReport {
  /// The file name of the report in the folder of the pages.
  public static let fileName = "report.html"

  private static let mostGaps = 50

  private let content: ReportContent
  private let log: LogConversion
  private let device: DeviceRecord

  /// Creates the report on the log in a folder; updates its database and tables.
  public init(_ folder: PageStore) throws(HostLinkError) {
    let logDatabase = try LogDatabase(path: "\(folder.path)/\(LogDatabase.fileName)")
    try self.init(logDatabase, device: folder.device, after: try logDatabase.convert(folder))
  }

  /// Creates the report on a device in a database, after a conversion.
  init(_ logDatabase: LogDatabase, device: DeviceRecord, after change: LogDatabase.Change)
    throws(HostLinkError)
  {
    log = try LogConversion(logDatabase, of: device, after: change)
    content = try ReportContent(logDatabase, serial: device.serial)
    self.device = device
  }

  /// Writes the report to a file that only its owner can read.
  public func write(to path: String) throws(HostLinkError) {
    let file = try ReplacedFile(path)
    try file.append(html)
    try file.finish()
  }

  /// The complete file, UTF-8.
  public var html: [UInt8] {
    var page = Markup()
    let name = PrintableText.of([device.name, device.serial].filter { !$0.isEmpty }.joined(separator: " "))
    let title = name.isEmpty ? "Contacts" : "Contacts of \(name)"
    page.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    page.raw(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    )
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    page.element("title", "", title)
    page.raw("<style>\n\(Self.style)</style>\n</head>\n<body>\n")
    page.element("h1", "", title)
    guard content.end > 0 else {
      page.element("p", "", "Nothing in this log has a date.")
      page.raw("</body>\n</html>\n")
      return page.bytes
    }
    page.element(
      "p", "class=\"lead\"",
      "\(ReportText.span(content.begin, content.end)), all times in UTC. \(content.peopleCount.groupedDigits) met, \(content.readings.groupedDigits) readings."
    )
    let charts = ReportCharts(begin: content.begin, end: content.end)
    writeTimeline(charts, to: &page)
    writeStrengths(charts, to: &page)
    page.element("h2", "", "Readings per \(content.step.name)")
    page.append(charts.readings(content.rates, per: content.step))
    if !content.batteries.isEmpty {
      page.element("h2", "", "Battery")
      page.append(charts.battery(content.batteries))
    }
    writeMotion(to: &page)
    writeGaps(to: &page)
    writeRemarks(to: &page)
    page.raw("</body>\n</html>\n")
    return page.bytes
  }

  private func writeTimeline(_ charts: ReportCharts, to page: inout Markup) {
    page.element("h2", "", "Who was met when")
    page.append(charts.timeline(content.people, gaps: content.gaps))
    if content.peopleCount > content.people.count {
      page.element(
        "p", "",
        "The \(content.people.count) met longest; \(content.peopleCount - content.people.count) more are in contact_events.csv."
      )
    }
    page.raw(
      "<table>\n<thead><tr><th>Met<th>Kind<th>Contacts<th>In all<th>First<th>Last<th>Readings<th>Strongest</tr></thead>\n<tbody>\n"
    )
    for person in content.people {
      page.raw("<tr>")
      for cell in [
        person.name, person.kind, "\(person.contactCount)", DurationText.of(seconds: person.seconds),
        UTCTimestamp.seconds(person.begin), UTCTimestamp.seconds(person.end), "\(person.readings)",
        person.strongest.map { "\($0) dBm" } ?? "–",
      ] { page.element("td", "", cell) }
      page.raw("</tr>\n")
    }
    page.raw("</tbody>\n</table>\n")
  }

  private func writeStrengths(_ charts: ReportCharts, to page: inout Markup) {
    let heard = content.people.filter { !$0.columns.isEmpty }
    guard !heard.isEmpty else { return }
    page.element("h2", "", "How strongly they were heard")
    page.element(
      "p", "",
      "A dot is the median of the readings at that place of the drawing, the line behind it goes from the weakest to the strongest."
    )
    for person in heard {
      page.element("h3", "", person.name)
      page.append(charts.strengths(person))
    }
  }

  private func writeMotion(to page: inout Markup) {
    let motion = content.motion
    guard !motion.isEmpty else { return }
    page.element("h2", "", "Worn and lying")
    page.element(
      "p", "",
      "By its motion sensor the device was worn for \(ReportText.duration(motion.worn)) and lay for \(ReportText.duration(motion.lying)). It scans less while it lies."
    )
    guard !motion.spans.isEmpty else { return }
    page.raw("<ul>\n")
    for span in motion.spans { page.element("li", "", ReportText.span(span.begin, span.end)) }
    page.raw("</ul>\n")
    if motion.spanCount > motion.spans.count {
      page.element("p", "", "… and \(motion.spanCount - motion.spans.count) more, in motion.csv.")
    }
  }

  private func writeGaps(to page: inout Markup) {
    guard !content.gaps.isEmpty else { return }
    page.element("h2", "", "Times without a record")
    page.element(
      "p", "",
      "More than \(ReportText.duration(ReportContent.gap)) in which the device logged nothing: nobody was near, or it was off."
    )
    page.raw("<ul>\n")
    for gap in content.gaps.prefix(Self.mostGaps) {
      page.element("li", "", ReportText.span(gap.begin, gap.end))
    }
    page.raw("</ul>\n")
    if content.gaps.count > Self.mostGaps {
      page.element("p", "", "… and \(content.gaps.count - Self.mostGaps) more.")
    }
  }

  private func writeRemarks(to page: inout Markup) {
    var remarks: [String] = []
    if log.undatedEvents > 0 {
      remarks.append("\(log.undatedEvents.groupedDigits) events have no date and are not shown.")
    }
    if let dropped = DroppedEventsText(log.droppedEvents) {
      remarks.append("\(dropped.what) What to do: \(dropped.advice).")
    }
    if content.restarts > 0 {
      remarks.append("The device started \(content.restarts) times after a fault; restarts.csv has each.")
    }
    for damaged in log.damagedPages.prefix(10) { remarks.append("Page \(PrintableText.of(damaged)).") }
    guard !remarks.isEmpty else { return }
    page.element("h2", "", "Remarks")
    page.raw("<ul>\n")
    for remark in remarks { page.element("li", "", remark) }
    page.raw("</ul>\n")
  }

  private static let style = """
    :root { color-scheme: light dark; --ink: #1d2733; --soft: #667789; --line: #dde4ea; --bar: #2672b8; --spread: #9cc3e6; --paper: #ffffff; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e5ebf1; --soft: #93a3b3; --line: #33414e; --bar: #62a8ea; --spread: #2f5c86; --paper: #161d24; }
    }
    body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
    h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; } h3 { font-size: .95rem; margin: 1rem 0 0; }
    .lead { color: var(--soft); margin-top: .25rem; }
    svg { width: 100%; height: auto; display: block; font: 11px system-ui, sans-serif; }
    svg text { fill: var(--soft); } svg .name { text-anchor: end; } svg .tick { text-anchor: middle; }
    .grid { stroke: var(--line); } .bar { fill: var(--bar); } .spread { stroke: var(--spread); } .dot { fill: var(--bar); }
    .curve { fill: none; stroke: var(--bar); stroke-width: 1.5; } .gap { fill: url(#gap); } .hatch { stroke: var(--line); stroke-width: 2; }
    table { border-collapse: collapse; width: 100%; margin-top: 1rem; font-size: .85rem; }
    th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); } th { color: var(--soft); font-weight: 600; }

    """
}
