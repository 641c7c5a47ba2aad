import HeraldHostLink

/// How many minutes were measured at each attenuation.
struct AttenuationHistogram {
  /// The least width left of the axis, in which the greatest number of minutes stands.
  private static let leastLeft = 30.0
  /// The width of a digit.
  private static let digit = 7.0
  private static let base = 96.0
  private static let height = 80.0
  private static let unit = 4.0

  private let seconds: [Int]
  private let bands: ReportBands
  private let name: String

  /// `seconds` are those at each dB.
  init(_ seconds: [Int], _ bands: ReportBands, name: String) {
    self.seconds = seconds
    self.bands = bands
    self.name = name
  }

  /// The attenuations that are drawn.
  private var range: ClosedRange<Int> {
    let first = seconds.firstIndex { $0 > 0 } ?? 0
    let last = seconds.lastIndex { $0 > 0 } ?? 0
    return min(first, bands.limits[0] - 15)...max(last, bands.limits[bands.limits.count - 1] + 15)
  }

  /// The attenuation below or at which `share` percent of the time is.
  func quantile(_ share: Int) -> Int? {
    let all = seconds.reduce(0) { $0.plus($1) }
    guard all > 0 else { return nil }
    var sum = 0
    for (level, count) in seconds.enumerated() {
      sum += count
      if sum * 100 >= all * share { return level }
    }
    return nil
  }

  func write(to page: inout Markup) {
    guard let low = quantile(25), let median = quantile(50), let high = quantile(75) else { return }
    let range = range
    let most = max(seconds.max() ?? 1, 1)
    let label = ReportText.minutes(most)
    let left = max(Self.leastLeft, Double(label.count) * Self.digit + 6)
    func x(_ level: Double) -> Double { left + (level - Double(range.lowerBound)) * Self.unit }
    let width = x(Double(range.upperBound + 1)) + 6
    let text = "Attenuation: median \(median) dB, the middle half \(low)–\(high) dB"
    page.raw(
      "<figure class=\"histogram\"><svg viewBox=\"0 0 \(ReportText.coordinate(width)) 128\" role=\"img\" aria-label=\"\(Markup.escaped("\(name): \(text)"))\">"
    )
    page.raw(
      "<path class=\"axis\" d=\"M\(ReportText.coordinate(left)) \(ReportText.coordinate(Self.base))H\(ReportText.coordinate(width - 6))\"/>"
    )
    for band in 0...bands.limits.count {
      let from = band == 0 ? range.lowerBound : bands.limits[band - 1] + 1
      let to = band < bands.limits.count ? bands.limits[band] : range.upperBound
      guard from <= to else { continue }
      var data = ""
      for level in from...to where seconds.indices.contains(level) && seconds[level] > 0 {
        let bar = max(1, Self.height * Double(seconds[level]) / Double(most))
        data +=
          "M\(ReportText.coordinate(x(Double(level) + 0.5))) \(ReportText.coordinate(Self.base))v-\(ReportText.coordinate(bar))"
      }
      if !data.isEmpty { page.raw("<path class=\"b\(band) bin\" d=\"\(data)\"/>") }
    }
    var last = -Double.infinity
    for limit in bands.limits {
      let place = x(Double(limit + 1))
      let at = ReportText.coordinate(place)
      page.raw("<path class=\"limit\" d=\"M\(at) 10V100\"/>")
      // A number that would lie upon the one before is left out.
      guard place - last >= 3 * Self.digit else { continue }
      last = place
      page.raw("<text x=\"\(at)\" y=\"112\" text-anchor=\"middle\">\(limit)</text>")
    }
    page.raw(
      "<text x=\"\(ReportText.coordinate(left - 4))\" y=\"20\" text-anchor=\"end\">\(label)</text><text x=\"\(ReportText.coordinate(left - 4))\" y=\"96\" text-anchor=\"end\">0</text><text x=\"\(ReportText.coordinate((left + width) / 2))\" y=\"125\" text-anchor=\"middle\">dB; upright: minutes</text></svg><figcaption>\(text).</figcaption></figure>\n"
    )
  }
}
