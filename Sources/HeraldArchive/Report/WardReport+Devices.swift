import HeraldHostLink
import HeraldText

/// The badges: how long each recorded, its battery, and what is missing from its log.
extension WardReport {
  /// The maximum number of devices with details.
  private static let mostDetails = 300

  func writeDevices(to page: inout Markup) {
    page.raw("<section id=\"devices\" aria-labelledby=\"devices-title\">\n")
    page.element("h2", "id=\"devices-title\"", "Badges")
    page.element(
      "p", "",
      "A gap is at least \(ReportDevice.gapMinutes) minutes without a record: nobody was near, or the badge was off; nights in a drawer are gaps."
    )
    open(table: "Badges and their logs", id: "badges", classes: "badges", to: &page)
    page.raw("<thead><tr><th scope=\"col\">Badge</th><th scope=\"col\">Person</th><th scope=\"col\">Log</th>")
    for head in ["First record", "Last record"] { page.raw("<th scope=\"col\">\(head)</th>") }
    for head in [
      "Recorded", "Gaps", "Readings", "Battery", "Lasts for", "Starts", "Faults", "Lost events", "No date",
    ] {
      page.raw("<th scope=\"col\" class=\"n\">\(head)</th>")
    }
    page.raw("</tr></thead>\n<tbody>\n")
    for device in content.devices { writeRow(device, to: &page) }
    page.raw("</tbody></table></div>\n")
    for device in content.devices.prefix(Self.mostDetails) { writeDetails(device, to: &page) }
    page.raw("</section>\n")
  }

  private func writeRow(_ device: ReportDevice, to page: inout Markup) {
    page.raw("<tr data-w=\"\(device.wearers.map(String.init).joined(separator: " "))\"><th scope=\"row\">")
    page.text(PrintableText.of(device.serial, limit: 40))
    page.raw("</th><td>")
    page.text(
      device.wearers.filter { content.whos[$0].kind == "person" }.map { content.whos[$0].label }.joined(
        separator: ", "))
    page.raw("</td><td>\(device.isSealed.map { $0 ? "sealed" : "not sealed" } ?? "–")</td>")
    for date in [device.first, device.last] {
      page.raw("<td class=\"t\">\(date.map { ReportText.moment($0, content.days) } ?? "–")</td>")
    }
    let battery = device.levels.last.map { last in
      "\(device.levels[0].level) → \(last.level) %\(last.isExternal ? " (external power)" : "")"
    }
    number("\(DurationText.of(seconds: device.activeMinutes * 60))", isBad: false, to: &page)
    number("\(device.gapCount)", isBad: false, to: &page)
    number(device.readings.groupedDigits, isBad: false, to: &page)
    number(battery ?? "–", isBad: (device.lowest ?? 100) < ReportFinding.lowBattery, to: &page)
    number(
      device.outlook?.life.map(\.shortWords) ?? "–", isBad: ReportFinding.isShort(device), to: &page)
    number("\(device.starts)", isBad: false, to: &page)
    number("\(device.faults.count)", isBad: !device.faults.isEmpty, to: &page)
    number(device.dropped.groupedDigits, isBad: device.dropped > 0, to: &page)
    number(device.undated.groupedDigits, isBad: device.undated > 0, to: &page)
    page.raw("</tr>\n")
  }

  private func number(_ text: String, isBad: Bool, to page: inout Markup) {
    page.raw("<td class=\"n\">\(isBad ? "<strong>\(text)</strong>" : text)</td>")
  }

  private func writeDetails(_ device: ReportDevice, to page: inout Markup) {
    guard device.first != nil else { return }
    page.raw(
      "<details class=\"badge\" id=\"d\(device.id)\" data-w=\"\(device.wearers.map(String.init).joined(separator: " "))\"\(content.devices.count == 1 ? " open" : "")><summary>"
    )
    page.text(content.name(of: device))
    page.raw("</summary>\n")
    if !device.name.isEmpty { page.element("p", "", device.name) }
    if device.isSealed == false {
      page.element("p", "", "Its log is not sealed: who takes the badge apart can read it.")
    }
    writeBattery(device, to: &page)
    if let outlook = device.outlook {
      let from = device.latest.map { ", from \(ReportText.moment($0.date, content.days)) on" } ?? ""
      page.element("p", "", "Battery life\(outlook.life == nil ? "" : from): \(outlook.words).")
    }
    writeReadings(device, to: &page)
    if device.worn > 0 || device.lying > 0 {
      page.element(
        "p", "",
        "By its motion sensor it was worn for \(DurationText.of(seconds: device.worn / 1000)) and lay for \(DurationText.of(seconds: device.lying / 1000)). It scans less while it lies."
      )
      list("Lay", ReportDevice.longest(device.lyingSpans), of: device.lyingSpans.count, to: &page)
    }
    list("Gaps", device.gaps, of: device.gapCount, to: &page)
    if device.gapCount > 0 {
      page.element("p", "", "Gaps in all: \(DurationText.of(seconds: device.gapTime / 1000)).")
    }
    let faults = device.faults.compactMap(\.self).prefix(ReportDevice.mostSpans)
    if !faults.isEmpty {
      page.element(
        "p", "",
        "Started after a fault: \(faults.map { ReportText.moment($0, content.days) }.joined(separator: ", "))."
      )
    }
    page.raw("</details>\n")
  }

  private func list(
    _ title: String, _ spans: [ReportDevice.Span], of count: Int, to page: inout Markup
  ) {
    guard !spans.isEmpty else { return }
    page.raw(
      "<p>\(title)\(count > spans.count ? ", the longest \(spans.count) of \(count)" : ""):</p>\n<ul class=\"spans\">"
    )
    for span in spans { page.raw("<li>\(ReportText.span(span, content.days))</li>\n") }
    page.raw("</ul>\n")
  }

  private func writeBattery(_ device: ReportDevice, to page: inout Markup) {
    guard let first = device.levels.first, let last = device.levels.last else { return }
    let (begin, end) = (device.first ?? first.date, max(device.last ?? last.date, first.date + 1))
    let text =
      "Battery: \(first.level) % on \(ReportText.moment(first.date, content.days)), \(last.level) % on \(ReportText.moment(last.date, content.days)), lowest \(device.lowest ?? 0) %"
    page.raw(
      "<figure class=\"battery\"><svg viewBox=\"0 0 600 60\" role=\"img\" aria-label=\"\(Markup.escaped(text))\"><path class=\"axis\" d=\"M44 8H594M44 50H594\"/><text x=\"40\" y=\"12\" text-anchor=\"end\">100 %</text><text x=\"40\" y=\"54\" text-anchor=\"end\">0 %</text><path class=\"curve\" d=\""
    )
    for (place, level) in device.levels.enumerated() {
      let x = 44 + 550 * Double(level.date - begin) / Double(max(end - begin, 1))
      let y = 50 - 42 * Double(level.level) / 100
      page.raw("\(place == 0 ? "M" : "L")\(ReportText.coordinate(x)) \(ReportText.coordinate(y))")
    }
    if device.levels.count == 1 { page.raw("h3") }
    page.raw("\"/></svg><figcaption>\(text).</figcaption></figure>\n")
  }

  private func writeReadings(_ device: ReportDevice, to page: inout Markup) {
    guard !device.readingsOfDays.isEmpty else { return }
    let id = "r\(device.id)"
    open(table: "Readings of each day", id: id, classes: "narrow", to: &page)
    page.raw(
      "<thead><tr><th scope=\"col\">Day</th><th scope=\"col\" class=\"n\">Readings</th></tr></thead>\n<tbody>\n"
    )
    for day in content.dayNumbers {
      guard let readings = device.readingsOfDays[day] else { continue }
      page.raw(
        "<tr><th scope=\"row\">\(ReportText.day(day))</th><td class=\"n\">\(readings.groupedDigits)</td></tr>\n"
      )
    }
    page.raw("</tbody></table></div>\n")
  }

  // MARK: Data of the filter

  /// Tens of seconds of each pair and day, and the roles, for the script.
  func writeData(to page: inout Markup) {
    let places = Dictionary(roles.enumerated().map { ($1, $0) }, uniquingKeysWith: { one, _ in one })
    page.raw("<script type=\"application/json\" id=\"data\">{\"roles\":[")
    page.raw(content.whos.map { String(places[$0.role] ?? 0) }.joined(separator: ","))
    page.raw("],\"badges\":[")
    page.raw(content.whos.map { $0.hasBadge ? "1" : "0" }.joined(separator: ","))
    // One, other, and for each day: the day, and the tens of seconds of each band and of none.
    page.raw("],\"pairs\":[")
    for (place, pair) in content.pairs.enumerated() {
      page.raw("\(place == 0 ? "" : ",\n")[\(pair.one),\(pair.other)")
      for (day, sums) in pair.days {
        page.raw(",\(day)")
        for seconds in sums.bands + [sums.unmeasured] { page.raw(",\(seconds / 10)") }
      }
      page.raw("]")
    }
    page.raw("]}</script>\n")
  }
}
