import HeraldHostLink

/// The drawing of one person's day: a strip with the closest person of each minute, whose height and colour
/// are the band, and a lane for each of the closest.
struct TimelineDrawing {
  /// Heights of the bands in the strip and in a lane: the closest is the highest.
  private static let stripHeights = [30.0, 22, 14, 7, 4]
  private static let laneHeights = [12.0, 9, 6, 3, 2]
  /// The base of the strip, and the heights of strip and lane.
  private static let base = 32.0
  static let stripHeight = 40
  static let laneHeight = 15

  /// The hours that are drawn: the same for all days of a report.
  let hours: ClosedRange<Int>
  /// Minutes of a column.
  let step: Int
  /// The number of lanes.
  let lanes: Int

  /// The width in units: a minute each.
  var width: Int { (hours.upperBound - hours.lowerBound) * 60 }

  /// Chooses the hours, and columns and lanes with which all days fit into about `budget` bytes.
  init(_ people: [ReportPerson], budget: Int) {
    var first = ReportDay.minutes
    var last = 0
    for run in people.lazy.flatMap(\.days).flatMap({ $0.closest + $0.recorded }) {
      first = min(first, run.start)
      last = max(last, run.start + run.length)
    }
    if first > last { (first, last) = (0, ReportDay.minutes) }
    let low = first / 60
    hours = low...max(low + 1, (last + 59) / 60)
    let choices = [(6, 1), (6, 2), (5, 2), (3, 2), (3, 5), (2, 5), (1, 5), (0, 5)]
    let chosen = choices.first { Self.cost(people, $0.1, $0.0) <= budget } ?? (0, 10)
    (lanes, step) = chosen
  }

  /// About the number of bytes of all days.
  private static func cost(_ people: [ReportPerson], _ step: Int, _ lanes: Int) -> Int {
    var runs = 0
    var days = 0
    for day in people.lazy.flatMap(\.days) {
      days += 1
      runs += ReportRun.coarse(day.closest, step: step).count
      for lane in day.lanes.prefix(lanes) { runs += ReportRun.coarse(lane.runs, step: step).count }
    }
    return runs * 8 + days * (700 + lanes * 20)
  }

  /// Writes a day. `lying` and `faults` are minutes of it.
  func write(
    _ day: ReportDay, label: String, lying: [ClosedRange<Int>], faults: [Int], to page: inout Markup
  ) {
    let shown = day.lanes.prefix(lanes)
    let height = Self.stripHeight + Self.laneHeight * shown.count
    page.raw(
      "<svg class=\"day\" viewBox=\"0 0 \(width) \(height)\" height=\"\(height)\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\(Markup.escaped(label))\">"
    )
    page.raw("<path class=\"grid\" d=\"")
    for hour in stride(from: (hours.lowerBound + 2) / 3 * 3, through: hours.upperBound, by: 3) {
      page.raw("M\((hour - hours.lowerBound) * 60) 0v\(height)")
    }
    page.raw("\"/>")
    for index in 1...max(1, shown.count) where index <= shown.count {
      page.raw("<path class=\"grid\" d=\"M0 \(Self.stripHeight + Self.laneHeight * index).5h\(width)\"/>")
    }
    path("rec", day.recorded, middle: 36, to: &page)
    let lyingRuns = lying.map { ReportRun(start: $0.lowerBound, length: $0.count, band: 0) }
    path("lay", lyingRuns, middle: 36, to: &page)
    let strip = ReportRun.coarse(day.closest, step: step)
    for band in Self.stripHeights.indices {
      let runs = strip.filter { Int($0.band) == band }
      path("s\(band) b\(band)", runs, middle: Self.base - Self.stripHeights[band] / 2, to: &page)
    }
    for band in Self.laneHeights.indices {
      var data = ""
      for (index, lane) in shown.enumerated() {
        let runs = ReportRun.coarse(lane.runs, step: step).filter { Int($0.band) == band }
        let middle =
          Double(Self.stripHeight + Self.laneHeight * (index + 1)) - 1 - Self.laneHeights[band] / 2
        data += self.data(runs, middle)
      }
      if !data.isEmpty { page.raw("<path class=\"l\(band) b\(band)\" d=\"\(data)\"/>") }
    }
    if !faults.isEmpty {
      page.raw("<path class=\"fault\" d=\"")
      for minute in faults { page.raw("M\(minute - hours.lowerBound * 60) 0v\(Self.stripHeight)") }
      page.raw("\"/>")
    }
    page.raw("</svg>")
  }

  private func path(_ name: String, _ runs: [ReportRun], middle: Double, to page: inout Markup) {
    guard !runs.isEmpty else { return }
    page.raw("<path class=\"\(name)\" d=\"\(data(runs, middle))\"/>")
  }

  /// Horizontal lines, each after the first relative to the end of the one before.
  private func data(_ runs: [ReportRun], _ middle: Double) -> String {
    var text = ""
    var end: Int?
    for run in runs {
      let start = run.start - hours.lowerBound * 60
      if let end { text += "m\(start - end) 0" } else { text += "M\(start) \(ReportText.coordinate(middle))" }
      text += "h\(run.length)"
      end = start + run.length
    }
    return text
  }
}
