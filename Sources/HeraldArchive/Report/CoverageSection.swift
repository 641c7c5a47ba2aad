import HeraldHostLink
import HeraldText

/// What is recorded of each person, and what is not.
struct CoverageSection: ReportSection {
  let report: WardReport

  /// The states of the columns beside the time that is recorded.
  private static let states: [(CoverageState, String)] = [
    (.lying, "Lay"), (.withoutPower, "No power"), (.withoutDate, "No date"), (.dropped, "No pages"),
    (.notCollected, "Not collected"), (.notProvisioned, "Not provisioned"), (.withoutDevice, "No badge"),
  ]

  /// What is recorded of each person, in hours.
  func write(to page: inout Markup) {
    guard let first = content.coverages.first else { return }
    page.element(
      "p", "",
      "Of \(Self.hours(first.asked)) hours, so many are recorded of each person, and so many are not: of these nobody can say who was near."
    )
    open(table: "Hours recorded of each person", id: "coverage", to: &page)
    page.raw("<thead><tr><th scope=\"col\">Person</th><th scope=\"col\" class=\"n\">Recorded</th>")
    for (_, name) in Self.states { page.raw("<th scope=\"col\" class=\"n\">\(name)</th>") }
    page.raw("</tr></thead>\n<tbody>\n")
    for coverage in content.coverages.prefix(WardContent.mostPeople) {
      page.raw("<tr><th scope=\"row\">")
      page.text(PrintableText.of(coverage.label, limit: 80))
      let recorded = Self.hours(coverage.recorded)
      page.raw(
        "</th><td class=\"n\">\(coverage.isUnrecorded ? "<strong>\(recorded)</strong>" : recorded)</td>")
      for (state, _) in Self.states {
        let time = coverage.milliseconds(state)
        page.raw("<td class=\"n\">\(time == 0 ? "–" : Self.hours(time))</td>")
      }
      page.raw("</tr>\n")
    }
    page.raw("</tbody></table></div>\n")
    if content.coverages.count > WardContent.mostPeople {
      page.element(
        "p", "", "The first \(WardContent.mostPeople) of \(content.coverages.count.groupedDigits).")
    }
  }

  /// Milliseconds as hours with a tenth.
  static func hours(_ milliseconds: Int64) -> String {
    let tenths = milliseconds / 360_000
    return "\((tenths / 10).groupedDigits).\(tenths % 10)"
  }
}
