import HeraldHostLink
import HeraldText

/// The section of each person: timelines day by day, minutes in each band, attenuations, and who was near.
struct TimelinesSection: ReportSection {
  let report: WardReport

  /// The number of bytes that all timelines may take.
  private static let timelineBudget = 1_900_000
  /// The maximum number of others in the table of a person.
  private static let mostNear = 15

  func write(to page: inout Markup) {
    let drawing = TimelineDrawing(content.people, budget: Self.timelineBudget)
    // A long page is laid out as far as it is seen.
    let isLong = content.people.count > 10
    page.raw("<section id=\"people\"\(isLong ? " class=\"long\"" : "") aria-labelledby=\"people-title\">\n")
    page.element("h2", "id=\"people-title\"", "Timelines")
    page.element(
      "p", "",
      "The strip of a day shows the closest person in each column of \(drawing.step) min: the higher and the warmer, the closer. \(drawing.lanes > 0 ? "Below it are the \(drawing.lanes == 1 ? "closest person" : "\(drawing.lanes) closest persons") of that day, one in a lane. " : "")The line at its foot is where the badge recorded; where it is missing, nobody was near or the badge was off. It is dashed where the motion sensor says that the badge lay, and a red line across is a restart after a fault."
    )
    if content.focusCount > content.people.count {
      page.element(
        "p", "",
        "The \(content.people.count) with the most minutes, of \(content.focusCount.groupedDigits).")
    }
    let near = nearOthers
    writeIndex(to: &page)
    for person in content.people { write(person, drawing, near[person.who] ?? [], to: &page) }
    page.raw("</section>\n")
  }

  /// For each person the pairs, those that were closest for longest first.
  private var nearOthers: [Int: [ReportPair]] {
    var near: [Int: [ReportPair]] = [:]
    for pair in report.closestPairs {
      for who in [pair.one, pair.other] where content.whos[who].hasBadge {
        near[who, default: []].append(pair)
      }
    }
    return near
  }

  private func writeIndex(to page: inout Markup) {
    guard content.people.count > 1 else { return }
    open(table: "Minutes near anybody, each in the band of the closest", id: "index", to: &page)
    page.raw(
      "<thead><tr><th scope=\"col\">Person</th><th scope=\"col\">Role</th><th scope=\"col\">Place</th>")
    bandHeads(to: &page)
    page.raw("<th scope=\"col\">Share</th></tr></thead>\n<tbody>\n")
    for person in content.people {
      let who = content.whos[person.who]
      page.raw("<tr data-w=\"\(person.who)\"><th scope=\"row\">")
      link(person.who, to: &page)
      page.raw("</th><td>")
      page.text(who.role)
      page.raw("</td><td>")
      page.text(who.place)
      page.raw("</td>")
      cells(person.sums, to: &page)
      page.raw("<td>")
      bar(person.sums, height: 10, label: nil, to: &page)
      page.raw("</td></tr>\n")
    }
    page.raw("</tbody></table></div>\n")
  }

  private func write(
    _ person: ReportPerson, _ drawing: TimelineDrawing, _ near: [ReportPair], to page: inout Markup
  ) {
    let who = content.whos[person.who]
    let number = person.who
    page.raw(
      "<section class=\"person\" id=\"p\(number)\" data-w=\"\(number)\" aria-labelledby=\"h\(number)\">\n<h3 id=\"h\(number)\">"
    )
    page.text(who.label)
    page.raw(" <small>")
    page.text([who.role, who.place].filter { !$0.isEmpty }.joined(separator: ", "))
    page.raw("</small></h3>\n")
    let devices = content.devices.filter { $0.wearers.contains(number) }
    writeFacts(person, near, devices, to: &page)
    writeTimeline(person, drawing, devices, to: &page)
    page.raw("<div class=\"two\">\n<div>")
    writeNear(person, near, to: &page)
    page.raw("</div>\n")
    AttenuationHistogram(person.attenuations, bands, name: who.label).write(to: &page)
    page.raw("</div>\n</section>\n")
  }

  private func writeFacts(
    _ person: ReportPerson, _ near: [ReportPair], _ devices: [ReportDevice], to page: inout Markup
  ) {
    page.raw("<p class=\"facts\">")
    page.text("\(ReportText.minutes(person.sums.seconds)) min near others: \(words(person.sums)). ")
    if let pair = near.first {
      let other = pair.one == person.who ? pair.other : pair.one
      page.text("Closest for longest: \(content.whos[other].label). ")
    }
    if let coverage = content.coverage(of: person.who) {
      page.text(
        "Recorded for \(CoverageSection.hours(coverage.recorded)) of \(CoverageSection.hours(coverage.asked)) hours. "
      )
    }
    let findings = findings.filter { $0.who == person.who }
    if !devices.isEmpty {
      page.text("Badge: ")
      for (index, device) in devices.enumerated() {
        if index > 0 { page.raw(", ") }
        page.raw("<a href=\"#d\(device.id)\">")
        page.text(PrintableText.of(device.serial, limit: 40))
        page.raw("</a>")
      }
      page.raw(".")
    }
    page.raw("</p>\n")
    for finding in findings { page.element("p", "class=\"flag\"", "Check: \(finding.what).") }
  }

  private func writeTimeline(
    _ person: ReportPerson, _ drawing: TimelineDrawing, _ devices: [ReportDevice], to page: inout Markup
  ) {
    let id = "t\(person.who)"
    page.raw(
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-labelledby=\"\(id)-caption\"><table id=\"\(id)\" class=\"timeline\"><caption id=\"\(id)-caption\">"
    )
    page.text("Day by day: \(content.whos[person.who].label)")
    page.raw("</caption>\n<thead><tr><th scope=\"col\">Day</th><th scope=\"col\">")
    writeHours(drawing, to: &page)
    page.raw("</th>")
    page.raw("<th scope=\"col\" class=\"n\">min</th>")
    for band in ReportBands.names.indices {
      page.raw(
        "<th scope=\"col\" class=\"n\"><span class=\"key k\(band)\"></span><small>\(ReportBands.names[band])</small></th>"
      )
    }
    page.raw("</tr></thead>\n<tbody>\n")
    for day in person.days { write(day, drawing, devices, to: &page) }
    page.raw("</tbody></table></div>\n")
  }

  /// The hours above a timeline.
  private func writeHours(_ drawing: TimelineDrawing, to page: inout Markup) {
    page.raw(
      "<svg class=\"hours\" height=\"14\" role=\"img\" aria-label=\"Hours \(drawing.hours.lowerBound) to \(drawing.hours.upperBound)\">"
    )
    let count = Double(drawing.hours.upperBound - drawing.hours.lowerBound)
    for hour in stride(
      from: (drawing.hours.lowerBound + 2) / 3 * 3, through: drawing.hours.upperBound, by: 3)
    {
      let share = Double(hour - drawing.hours.lowerBound) * 100 / count
      let anchor = share < 4 ? "start" : share > 96 ? "end" : "middle"
      page.raw(
        "<text x=\"\(ReportText.coordinate(share))%\" y=\"11\" text-anchor=\"\(anchor)\">\(hour)</text>")
    }
    page.raw("</svg>")
  }

  private func write(
    _ day: ReportDay, _ drawing: TimelineDrawing, _ devices: [ReportDevice], to page: inout Markup
  ) {
    let number = content.dayNumbers[day.day]
    page.raw("<tr data-d=\"\(day.day)\"><th scope=\"row\"><b>\(ReportText.day(number))</b>")
    for lane in day.lanes.prefix(drawing.lanes) {
      page.raw("<i>")
      page.text(ReportText.shortened(content.whos[lane.who].label, to: 20))
      page.raw("</i>")
    }
    page.raw("</th><td>")
    let lying = devices.flatMap { device in device.lyingSpans.compactMap { minutes($0, of: number) } }
    let faults = devices.flatMap { device in
      device.faults.compactMap { date in
        date.flatMap { minutes(ReportDevice.Span(begin: $0, end: $0 + 60_000), of: number)?.lowerBound }
      }
    }
    drawing.write(
      day, label: "\(ReportText.day(number)): \(words(day.sums))", lying: lying, faults: faults, to: &page)
    page.raw("</td>")
    cells(day.sums, to: &page)
    page.raw("</tr>\n")
  }

  /// The minutes on a clock of a day that a span has.
  private func minutes(_ span: ReportDevice.Span, of day: Int64) -> ClosedRange<Int>? {
    let begin = content.days.begin(ofDay: day)
    let end = content.days.begin(ofDay: day + 1)
    guard span.end > begin, span.begin < end, span.end > span.begin else { return nil }
    let clock = DayClock(day, content.days)
    let first = clock.minute(Int((max(span.begin, begin) - begin) / 60_000))
    let last = clock.minute(Int((min(span.end, end) - 1 - begin) / 60_000))
    return first <= last ? first...last : nil
  }

  private func writeNear(_ person: ReportPerson, _ near: [ReportPair], to page: inout Markup) {
    let isAlone = content.isOfOneDevice
    open(table: "Near \(content.whos[person.who].label)", id: "n\(person.who)", classes: "near", to: &page)
    page.raw("<thead><tr><th scope=\"col\">Who</th><th scope=\"col\">\(isAlone ? "Kind" : "Role")</th>")
    bandHeads(to: &page)
    page.raw(
      "<th scope=\"col\" class=\"n\">Heard</th><th scope=\"col\" class=\"n\">Was heard</th></tr></thead>\n<tbody>\n"
    )
    let shown = isAlone ? near.prefix(WardContent.mostOthers) : near.prefix(Self.mostNear)
    for pair in shown {
      let isOne = pair.one == person.who
      let other = isOne ? pair.other : pair.one
      page.raw("<tr data-p=\"\(pair.one) \(pair.other)\"><th scope=\"row\">")
      link(other, to: &page)
      page.raw("</th><td class=\"t\">")
      page.text(content.whos[other].role)
      page.raw("</td>")
      cells(pair.sums, to: &page)
      let (heard, back) = isOne ? (pair.heard, pair.heardBack) : (pair.heardBack, pair.heard)
      page.raw(
        "<td class=\"n fixed\">\(ReportText.minutes(heard))</td><td class=\"n fixed\">\(content.whos[other].hasBadge ? ReportText.minutes(back) : "–")</td></tr>\n"
      )
    }
    for stranger in content.strangers[person.who] ?? [] {
      page.raw("<tr><th scope=\"row\">")
      page.text(stranger.label)
      page.raw("</th><td class=\"t\">\(stranger.kind == "place" ? ReportWho.places : ReportWho.phones)</td>")
      cells(stranger.sums, to: &page)
      page.raw(
        "<td class=\"n\">\(ReportText.minutes(stranger.sums.seconds))</td><td class=\"n\">–</td></tr>\n")
    }
    page.raw("</tbody></table></div>\n")
    if near.count > shown.count {
      page.element(
        "p", "class=\"more\"", "\(near.count - shown.count) more were near for less, or less close.")
    }
  }
}
