/// A horizontal time axis: maps timestamps to coordinates and places the labels.
struct TimeAxis {
  /// The timestamps at both ends, in milliseconds since 1970-01-01T00:00:00Z.
  let begin: UInt64
  let end: UInt64
  /// The coordinates of both ends.
  let left: Double
  let right: Double

  /// Intervals between labels, in milliseconds: from one second to four weeks.
  private static let steps: [UInt64] = [
    1_000, 5_000, 15_000, 30_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000,
    43_200_000,
    86_400_000, 172_800_000, 604_800_000, 2_419_200_000,
  ]
  private static let mostTicks: UInt64 = 10

  /// Creates an axis; one of zero length is extended to one second.
  init(begin: UInt64, end: UInt64, left: Double, right: Double) {
    self.begin = begin
    self.end = max(end, begin + 1000)
    self.left = left
    self.right = right
  }

  /// The coordinate of a timestamp, clamped to the axis.
  func x(_ moment: UInt64) -> Double {
    let inside = min(max(moment, begin), end)
    return left + (right - left) * Double(inside - begin) / Double(end - begin)
  }

  /// The labelled timestamps with their labels: the time of day, or the date where a new day begins.
  var ticks: [(moment: UInt64, name: String)] {
    let length = end - begin
    let step = Self.steps.first { length / $0 < Self.mostTicks } ?? (length / Self.mostTicks + 1)
    var ticks: [(moment: UInt64, name: String)] = []
    var moment = (begin + step - 1) / step * step
    while moment <= end {
      let text = UTCTimestamp.text(moment)
      let isMidnight = moment % 86_400_000 == 0
      let name = isMidnight ? text.prefix(10) : text.dropFirst(11).prefix(step < 60_000 ? 8 : 5)
      ticks.append((moment, String(name)))
      moment += step
    }
    return ticks
  }

  /// Draws labels and lines from `top` to `bottom`, with the labels below.
  func draw(into svg: inout Markup, top: Double, bottom: Double) {
    for tick in ticks {
      let x = coordinate(x(tick.moment))
      svg.raw(
        "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(coordinate(top))\" y2=\"\(coordinate(bottom))\"/>\n"
      )
      svg.raw("<text class=\"tick\" x=\"\(x)\" y=\"\(coordinate(bottom + 14))\">\(tick.name)</text>\n")
    }
  }
}

/// A coordinate in the format of SVG, rounded to a tenth.
func coordinate(_ value: Double) -> String {
  let tenths = Int((value * 10).rounded())
  return tenths % 10 == 0
    ? "\(tenths / 10)" : "\(tenths < 0 && tenths > -10 ? "-" : "")\(tenths / 10).\(abs(tenths) % 10)"
}
