/// The charts of a report, each a separate SVG element.
struct ReportCharts {
  static let width = 960.0
  private static let left = 170.0
  private let axis: TimeAxis

  /// Charts of the time from `begin` to `end`, in milliseconds since 1970-01-01T00:00:00Z.
  init(begin: UInt64, end: UInt64) {
    axis = Self.axis(begin: begin, end: end)
  }

  /// The time axis of these charts.
  static func axis(begin: UInt64, end: UInt64) -> TimeAxis {
    TimeAxis(begin: begin, end: end, left: left, right: width - 12)
  }

  private func begin(_ svg: inout Markup, height: Double, label: String) {
    svg.raw(
      "<svg viewBox=\"0 0 \(coordinate(Self.width)) \(coordinate(height))\" role=\"img\" aria-label=\"\(Markup.escaped(label))\">\n"
    )
  }

  // MARK: Contacts

  /// One row for each person, one bar for each contact; times without any record are hatched.
  func timeline(_ people: [ReportPerson], gaps: [ReportGap]) -> Markup {
    var svg = Markup()
    let row = 22.0
    let bottom = 8 + row * Double(max(people.count, 1))
    begin(&svg, height: bottom + 22, label: "Who was met when")
    svg.raw(
      "<defs><pattern id=\"gap\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
    )
    svg.raw("<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\"/></pattern></defs>\n")
    axis.draw(into: &svg, top: 4, bottom: bottom)
    for gap in gaps {
      let x = axis.x(gap.begin)
      svg.raw(
        "<rect class=\"gap\" x=\"\(coordinate(x))\" y=\"4\" width=\"\(coordinate(max(axis.x(gap.end) - x, 1)))\" height=\"\(coordinate(bottom - 4))\"><title>"
      )
      svg.text("nothing logged for \(ReportText.duration(gap.end - gap.begin))")
      svg.raw("</title></rect>\n")
    }
    for (index, person) in people.enumerated() {
      let y = 8 + row * Double(index)
      svg.raw("<text class=\"name\" x=\"\(coordinate(Self.left - 8))\" y=\"\(coordinate(y + 13))\">")
      svg.text(person.name)
      svg.raw("</text>\n")
      for contact in person.contacts {
        let x = axis.x(contact.begin)
        svg.raw(
          "<rect class=\"bar\" x=\"\(coordinate(x))\" y=\"\(coordinate(y + 2))\" width=\"\(coordinate(max(axis.x(contact.end) - x, 2)))\" height=\"14\" rx=\"3\"><title>"
        )
        svg.text(
          "\(person.name): \(ReportText.dates(contact.begin, contact.end)), near for \(DurationText.of(seconds: contact.seconds)), \(contact.readings) readings"
        )
        svg.raw("</title></rect>\n")
      }
    }
    svg.raw("</svg>\n")
    return svg
  }

  // MARK: RSSI

  /// RSSI over time: the weakest, the median and the strongest reading for each column of the chart.
  func strengths(_ person: ReportPerson) -> Markup {
    var svg = Markup()
    let top = 6.0
    let bottom = 96.0
    let range = -100.0 ... -30.0
    func y(_ rssi: Int) -> Double {
      let inside = min(max(Double(rssi), range.lowerBound), range.upperBound)
      return top + (range.upperBound - inside) / (range.upperBound - range.lowerBound) * (bottom - top)
    }
    begin(&svg, height: bottom + 20, label: "Signal strength of \(person.name) over time")
    axis.draw(into: &svg, top: top, bottom: bottom)
    for level in [-40, -60, -80, -100] {
      svg.raw(
        "<line class=\"grid\" x1=\"\(coordinate(Self.left))\" x2=\"\(coordinate(Self.width - 12))\" y1=\"\(coordinate(y(level)))\" y2=\"\(coordinate(y(level)))\"/>"
      )
      svg.raw(
        "<text class=\"name\" x=\"\(coordinate(Self.left - 8))\" y=\"\(coordinate(y(level) + 4))\">\(level) dBm</text>\n"
      )
    }
    for (x, counts) in person.columns.sorted(by: { $0.key < $1.key }) {
      guard let (strongest, median, weakest) = SignalLevels.summary(counts) else { continue }
      let at = "\(x).5"
      svg.raw(
        "<line class=\"spread\" x1=\"\(at)\" x2=\"\(at)\" y1=\"\(coordinate(y(strongest) - 0.5))\" y2=\"\(coordinate(y(weakest) + 0.5))\"/>"
      )
      svg.raw(
        "<circle class=\"dot\" cx=\"\(at)\" cy=\"\(coordinate(y(median)))\" r=\"1.3\"/>\n"
      )
    }
    svg.raw("</svg>\n")
    return svg
  }

  // MARK: Number of readings, and battery

  /// One bar for each time step with readings, over all peers.
  func readings(_ rates: [(begin: UInt64, readings: Int)], per step: (name: String, length: UInt64)) -> Markup
  {
    var svg = Markup()
    let top = 10.0
    let bottom = 110.0
    let most = max(rates.map(\.readings).max() ?? 1, 1)
    begin(&svg, height: bottom + 20, label: "Readings per \(step.name), at most \(most)")
    axis.draw(into: &svg, top: top, bottom: bottom)
    svg.raw(
      "<text class=\"name\" x=\"\(coordinate(Self.left - 8))\" y=\"\(coordinate(top + 8))\">\(most)</text>\n")
    svg.raw("<text class=\"name\" x=\"\(coordinate(Self.left - 8))\" y=\"\(coordinate(bottom))\">0</text>\n")
    for rate in rates {
      let x = axis.x(rate.begin)
      let height = (bottom - top) * Double(rate.readings) / Double(most)
      svg.raw(
        "<rect class=\"bar\" x=\"\(coordinate(x))\" y=\"\(coordinate(bottom - height))\" width=\"\(coordinate(max(axis.x(rate.begin + step.length) - x - 1, 1)))\" height=\"\(coordinate(height))\"><title>"
      )
      svg.text("\(UTCTimestamp.seconds(rate.begin)): \(rate.readings) readings")
      svg.raw("</title></rect>\n")
    }
    svg.raw("</svg>\n")
    return svg
  }

  /// The charge of the battery.
  func battery(_ levels: [BatteryLevel]) -> Markup {
    var svg = Markup()
    let top = 10.0
    let bottom = 90.0
    func y(_ level: Double) -> Double { bottom - (bottom - top) * min(max(level, 0), 100) / 100 }
    begin(&svg, height: bottom + 20, label: "Battery")
    axis.draw(into: &svg, top: top, bottom: bottom)
    for level in [0.0, 50, 100] {
      svg.raw(
        "<text class=\"name\" x=\"\(coordinate(Self.left - 8))\" y=\"\(coordinate(y(level) + 4))\">\(Int(level)) %</text>\n"
      )
    }
    let points = levels.map { "\(coordinate(axis.x($0.unixMilliseconds))),\(coordinate(y($0.level)))" }
    svg.raw("<polyline class=\"curve\" points=\"\(points.joined(separator: " "))\"/>\n</svg>\n")
    return svg
  }
}
