import HeraldHostLink
import HeraldText

/// A section of a report, with the parts that several sections have.
protocol ReportSection {
  /// The report to which it belongs.
  var report: WardReport { get }
}

extension ReportSection {
  var content: WardContent { report.content }
  var findings: [ReportFinding] { report.findings }
  var bands: ReportBands { report.bands }

  /// The roles in the order of a report.
  var roles: [String] {
    Set(content.whos.map(\.role)).sorted(by: ReportWho.precedes)
  }

  /// Begins a table in a region that scrolls by itself.
  func open(table caption: String, id: String, classes: String = "", to page: inout Markup) {
    page.raw("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-labelledby=\"\(id)-caption\">")
    page.raw(
      "<table id=\"\(id)\"\(classes.isEmpty ? "" : " class=\"\(classes)\"")><caption id=\"\(id)-caption\">")
    page.text(caption)
    page.raw("</caption>\n")
  }

  /// The column heads of `cells`.
  func bandHeads(to page: inout Markup) {
    page.raw("<th scope=\"col\" class=\"n\">Minutes</th>")
    for band in ReportBands.names.indices {
      page.raw(
        "<th scope=\"col\" class=\"n\"><span class=\"key k\(band)\"></span>\(ReportBands.names[band])<br><small>\(bands.range(band))</small></th>"
      )
    }
  }

  /// Minutes in all and in each band.
  func cells(_ sums: ReportSums, to page: inout Markup) {
    for seconds in [sums.seconds] + sums.bands {
      page.raw(
        seconds == 0 ? "<td class=\"n\">0</td>" : "<td class=\"n\">\(ReportText.minutes(seconds))</td>")
    }
  }

  /// The name, as a link if there is a section.
  func link(_ who: Int, to page: inout Markup) {
    let hasSection = content.whos[who].hasBadge
    if hasSection { page.raw("<a href=\"#p\(who)\">") }
    page.text(content.whos[who].label)
    if hasSection { page.raw("</a>") }
  }

  /// The sums in words.
  func words(_ sums: ReportSums) -> String {
    sums.bands.indices.map { "\(ReportBands.names[$0]) \(ReportText.minutes(sums.bands[$0])) min" }
      .joined(separator: ", ")
  }

  /// A bar with the shares of the bands. Without a label it is decoration: the numbers are beside it.
  func bar(_ sums: ReportSums, height: Int, label: String?, to page: inout Markup) {
    page.raw(
      "<svg class=\"bar\" viewBox=\"0 0 1000 \(height)\" height=\"\(height)\" preserveAspectRatio=\"none\"")
    if let label {
      page.raw(" role=\"img\" aria-label=\"\(Markup.escaped(label))\">")
    } else {
      page.raw(" aria-hidden=\"true\">")
    }
    let all = max(sums.seconds, 1)
    var before = 0
    for (band, seconds) in (sums.bands + [sums.unmeasured]).enumerated() {
      let (from, to) = (before * 1000 / all, (before + seconds) * 1000 / all)
      before += seconds
      guard to > from else { continue }
      page.raw("<rect class=\"f\(band)\" x=\"\(from)\" width=\"\(to - from)\" height=\"\(height)\"/>")
    }
    page.raw("</svg>")
  }
}
