import Foundation
import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// The filter, the figures at the top, and what limits their meaning.
extension WardReport {
  /// The maximum number of pairs in the first table.
  private static let mostPairs = 12
  /// The maximum number of findings that are shown without opening a list.
  private static let mostFindings = 8

  // MARK: Filter

  func writeFilter(to page: inout Markup) {
    page.raw("<form id=\"filter\" class=\"filter\" aria-label=\"Filter\" hidden>\n")
    page.raw("<label>Day <select id=\"filter-day\"><option value=\"\">all days</option>")
    for (index, day) in content.dayNumbers.enumerated() {
      page.raw("<option value=\"\(index)\">\(ReportText.day(day))</option>")
    }
    page.raw(
      "</select></label>\n<label>Role <select id=\"filter-role\"><option value=\"\">all roles</option>")
    for (index, role) in roles.enumerated() {
      page.raw("<option value=\"\(index)\">")
      page.text(role)
      page.raw("</option>")
    }
    page.raw(
      "</select></label>\n<label>Person <select id=\"filter-who\"><option value=\"\">everybody</option>")
    for (index, who) in content.whos.enumerated() {
      page.raw("<option value=\"\(index)\">")
      page.text(who.label)
      page.raw("</option>")
    }
    page.raw("</select></label>\n<fieldset><legend>Bands of attenuation</legend>\n")
    for band in bands.limits.indices + [bands.limits.count] {
      page.raw(
        "<label><input type=\"checkbox\" value=\"\(band)\" checked><span class=\"key k\(band)\"></span>\(ReportBands.names[band]) \(bands.range(band))</label>\n"
      )
    }
    page.raw("</fieldset>\n<button type=\"reset\">Show all</button>\n")
    page.raw("<p id=\"filter-result\" role=\"status\" aria-live=\"polite\">")
    let seconds = content.pairs.reduce(0) { $0 + $1.sums.seconds }
    page.text(
      "\(content.people.count) \(content.people.count == 1 ? "badge" : "badges"), \(content.pairs.count.groupedDigits) pairs, \(ReportText.minutes(seconds)) pair minutes shown."
    )
    page.raw("</p>\n</form>\n")
  }

  // MARK: At a glance

  func writeOverview(to page: inout Markup) {
    page.raw("<section id=\"overview\" aria-labelledby=\"overview-title\">\n")
    page.element("h2", "id=\"overview-title\"", "At a glance")
    var all = ReportSums()
    for pair in content.pairs { all += pair.sums }
    writeAnswer(to: &page)
    page.raw("<dl class=\"figures\">\n")
    writeCounts(to: &page)
    figure("\(content.dayNumbers.count)", content.dayNumbers.count == 1 ? "day" : "days", to: &page)
    let badges = content.people.count
    let isAll = badges > 1 && content.focus == nil && badges == content.peopleCount
    let possible = isAll ? " of \((badges * (badges - 1) / 2).groupedDigits)" : ""
    figure(content.pairs.count.groupedDigits + possible, "pairs met", to: &page)
    figure(
      ReportText.minutes(all.bands[0]), "pair minutes \(ReportBands.names[0]) (\(bands.range(0)))", to: &page)
    figure(ReportText.minutes(all.seconds), "pair minutes in all", to: &page)
    page.raw("</dl>\n")
    writeBandKey(all, to: &page)
    writePairs(to: &page)
    page.raw("</section>\n")
  }

  /// How many persons there are, and how many badges without one.
  private func writeCounts(to page: inout Markup) {
    let (persons, badges) = (content.personCount, content.peopleCount - content.personCount)
    if persons > 0 {
      figure("\(persons)", persons == 1 ? "person with a badge" : "persons with a badge", to: &page)
    }
    guard badges > 0 else { return }
    figure(
      "\(badges)", (badges == 1 ? "badge" : "badges") + (persons > 0 ? " without a person" : ""), to: &page)
  }

  private func figure(_ number: String, _ what: String, to page: inout Markup) {
    page.raw("<div><dt>")
    page.text(what)
    page.raw("</dt><dd>\(number)</dd></div>\n")
  }

  /// The pairs that were closest for longest, those first.
  var closestPairs: [ReportPair] {
    content.pairs.sorted {
      for band in $0.sums.bands.indices where $0.sums.bands[band] != $1.sums.bands[band] {
        return $0.sums.bands[band] > $1.sums.bands[band]
      }
      return ($1.sums.seconds, $0.one, $0.other) < ($0.sums.seconds, $1.one, $1.other)
    }
  }

  private func writeAnswer(to page: inout Markup) {
    guard let pair = closestPairs.first else { return }
    let names = (content.whos[pair.one].label, content.whos[pair.other].label)
    var text = "Closest for longest: \(names.0) and \(names.1), "
    if let band = pair.sums.bands.firstIndex(where: { $0 > 0 }) {
      text +=
        "\(ReportText.minutes(pair.sums.bands[band])) min \(ReportBands.names[band]) (\(bands.range(band))) of \(ReportText.minutes(pair.sums.seconds)) min."
    } else {
      text += "\(ReportText.minutes(pair.sums.seconds)) min."
    }
    if findings.isEmpty {
      text += " Nothing was found that limits these numbers."
    } else {
      text +=
        " \(findings.count == 1 ? "1 point" : "\(findings.count) points") to check before these numbers are used."
    }
    page.element("p", "class=\"answer\"", text)
  }

  /// The names and limits of the bands, with their shares.
  private func writeBandKey(_ sums: ReportSums, to page: inout Markup) {
    page.raw("<figure class=\"bands\">\n")
    bar(sums, height: 18, label: "Share of the bands: \(words(sums))", to: &page)
    page.raw("<ul class=\"keys\">\n")
    for band in sums.bands.indices {
      page.raw(
        "<li><span class=\"key k\(band)\"></span><b>\(ReportBands.names[band])</b> \(bands.range(band))<br>\(ReportText.minutes(sums.bands[band])) min</li>\n"
      )
    }
    page.raw("</ul>\n<figcaption>")
    page.text(
      "Attenuation is the transmit power minus the RSSI: less is closer. It depends on bodies, walls and how a badge is worn, so it is not a distance. A minute has the band of its median attenuation."
    )
    page.raw("</figcaption>\n</figure>\n")
  }

  private func writePairs(to page: inout Markup) {
    guard !content.pairs.isEmpty else { return }
    open(table: "Closest for longest", id: "pairs", to: &page)
    page.raw("<thead><tr><th scope=\"col\">Who</th><th scope=\"col\">With</th>")
    bandHeads(to: &page)
    page.raw("<th scope=\"col\">Share</th></tr></thead>\n<tbody>\n")
    for pair in closestPairs.prefix(Self.mostPairs) {
      page.raw("<tr data-p=\"\(pair.one) \(pair.other)\"><th scope=\"row\">")
      link(pair.one, to: &page)
      page.raw("</th><td class=\"t\">")
      link(pair.other, to: &page)
      page.raw("</td>")
      cells(pair.sums, to: &page)
      page.raw("<td>")
      bar(pair.sums, height: 10, label: nil, to: &page)
      page.raw("</td></tr>\n")
    }
    page.raw("</tbody></table></div>\n")
  }

  // MARK: Trust

  func writeTrust(to page: inout Markup) {
    page.raw("<section id=\"trust\" aria-labelledby=\"trust-title\">\n")
    page.element("h2", "id=\"trust-title\"", "Check first")
    if findings.isEmpty && refused.isEmpty {
      page.element(
        "p", "",
        "No badge was heard much longer than it heard, no clock was wrong, no log ends early, no battery was low, and nothing was lost."
      )
    } else {
      page.raw("<ul class=\"findings\">\n")
      for finding in findings.prefix(Self.mostFindings) { write(finding, to: &page) }
      page.raw("</ul>\n")
      if findings.count > Self.mostFindings {
        page.raw(
          "<details><summary>\(findings.count - Self.mostFindings) more</summary>\n<ul class=\"findings\">\n")
        for finding in findings.dropFirst(Self.mostFindings).prefix(500) { write(finding, to: &page) }
        page.raw("</ul></details>\n")
      }
    }
    CoverageSection(report: self).write(to: &page)
    if !refused.isEmpty {
      page.raw("<p>Not in this report:</p>\n<ul>\n")
      for name in refused.prefix(20) { page.element("li", "", name) }
      page.raw("</ul>\n")
    }
    page.raw("</section>\n")
  }

  private func write(_ finding: ReportFinding, to page: inout Markup) {
    page.raw("<li><b>")
    page.text(finding.about)
    page.raw("</b>: ")
    page.text("\(finding.what). To do: \(finding.advice).".replacingOccurrences(of: "..", with: "."))
    page.raw("</li>\n")
  }

  // MARK: Notes

  func writeNotes(to page: inout Markup) {
    page.raw("<section id=\"notes\" aria-labelledby=\"notes-title\">\n")
    page.element("h2", "id=\"notes-title\"", "How to read this")
    page.raw("<ul>\n")
    for note in [
      "Minutes are counted in windows of \(content.rules.window) s that have a sign: a detection, a read payload or a reading. A pair was near in a window if one of the two heard the other; the attenuation of a minute is the lesser of the two medians.",
      "The four bands have the names of the Exposure Notification system: \(ReportBands.names.indices.map { "\(ReportBands.names[$0]) \(bands.range($0))" }.joined(separator: ", ")). Where the transmit power of a peer is not known, \(content.rules.assumedPower) dBm is assumed. There are no distances in this report.",
      "Minutes of a person are counted once, in the band of the closest; pair minutes are counted for each pair.",
      "On a day on which clocks are set back, the repeated hour is drawn once.",
      "Made by herald-host \(HeraldRelease.version) of \(origin.location). The SHA-256 of its pages, people and rules is \(origin.digest).",
    ] { page.element("li", "", note) }
    page.raw("</ul>\n</section>\n")
  }
}
