import HeraldEmbedded
import HeraldText

/// A log as one page of HTML for a person: who was met when, how strongly they were heard, how much was heard and how the
/// battery did. The page needs nothing but itself: no network, no script. Whatever a device or a peer said is in it as text.
public struct LogReport {
  /// Under what name it lies beside the pages.
  public static let fileName = "report.html"

  /// The most people who get a row of their own, and the most who get a drawing of their strength.
  private static let mostRows = 60
  private static let mostCharts = 12
  private static let mostGaps = 50

  private let content: ReportContent
  private let log: LogConversion
  private let device: DeviceRecord

  /// The report on a log and the device it is of.
  public init(_ log: LogConversion, device: DeviceRecord) {
    content = ReportContent(log)
    self.log = log
    self.device = device
  }

  /// The whole file, UTF-8.
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
      "\(ReportWords.span(content.begin, content.end)), all times in UTC. \(content.people.count) met, \(content.readings) readings."
    )
    let charts = ReportCharts(begin: content.begin, end: content.end)
    writeTimeline(charts, to: &page)
    writeStrengths(charts, to: &page)
    page.element("h2", "", "Readings per hour")
    page.append(charts.readingsPerHour(content.hours))
    if !log.batteries.isEmpty {
      page.element("h2", "", "Battery")
      page.append(charts.battery(log.batteries))
    }
    writeGaps(to: &page)
    writeRemarks(to: &page)
    page.raw("</body>\n</html>\n")
    return page.bytes
  }

  private func writeTimeline(_ charts: ReportCharts, to page: inout Markup) {
    page.element("h2", "", "Who was met when")
    page.append(charts.timeline(Array(content.people.prefix(Self.mostRows)), gaps: content.gaps))
    if content.people.count > Self.mostRows {
      page.element(
        "p", "",
        "The \(Self.mostRows) met longest; \(content.people.count - Self.mostRows) more are in contact_events.csv."
      )
    }
    page.raw(
      "<table>\n<thead><tr><th>Met<th>Kind<th>Contacts<th>In all<th>First<th>Last<th>Readings<th>Strongest</tr></thead>\n<tbody>\n"
    )
    for person in content.people.prefix(Self.mostRows) {
      page.raw("<tr>")
      let strongest = person.readings.map(\.rssi).max().map { "\($0) dBm" } ?? "–"
      for cell in [
        person.name, person.kind, "\(person.contacts.count)", ReportWords.duration(person.total),
        person.contacts.first.map { UTCTimestamp.seconds($0.begin) } ?? "",
        person.contacts.last.map { UTCTimestamp.seconds($0.end) } ?? "",
        "\(person.readings.count)", strongest,
      ] { page.element("td", "", cell) }
      page.raw("</tr>\n")
    }
    page.raw("</tbody>\n</table>\n")
  }

  private func writeStrengths(_ charts: ReportCharts, to page: inout Markup) {
    let heard = content.people.filter { !$0.readings.isEmpty }.prefix(Self.mostCharts)
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

  private func writeGaps(to page: inout Markup) {
    guard !content.gaps.isEmpty else { return }
    page.element("h2", "", "Times without a record")
    page.element(
      "p", "",
      "More than \(ReportWords.duration(ReportContent.gap)) in which the device logged nothing: nobody was near, or it was off."
    )
    page.raw("<ul>\n")
    for gap in content.gaps.prefix(Self.mostGaps) {
      page.element("li", "", ReportWords.span(gap.begin, gap.end))
    }
    page.raw("</ul>\n")
    if content.gaps.count > Self.mostGaps {
      page.element("p", "", "… and \(content.gaps.count - Self.mostGaps) more.")
    }
  }

  private func writeRemarks(to page: inout Markup) {
    var remarks: [String] = []
    if log.undatedEvents > 0 { remarks.append("\(log.undatedEvents) events have no date and are not shown.") }
    if log.droppedEvents > 0 { remarks.append("The device could not keep \(log.droppedEvents) events.") }
    if !log.restarts.isEmpty {
      remarks.append("The device started \(log.restarts.count) times after a fault; restarts.csv has each.")
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
