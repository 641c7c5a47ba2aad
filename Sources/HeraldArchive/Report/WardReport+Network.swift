import Foundation
import HeraldHostLink
import HeraldText

/// The network: everybody on a circle, and a line for each pair.
extension WardReport {
  /// The maximum number of lines for each person.
  private static let mostLines = 3

  func writeNetwork(to page: inout Markup) {
    guard hasNetwork else { return }
    let layout = NetworkLayout(groups: content.whos.map(\.group))
    let lines = content.pairs.prefix(max(Self.mostLines * content.whos.count, 60))
    page.raw("<section id=\"network\" aria-labelledby=\"network-title\">\n")
    page.element("h2", "id=\"network-title\"", "Network")
    page.element(
      "p", "",
      "A line is a pair: the wider, the more minutes; its colour is the band of the middle minute. Persons of a \(isByPlace ? "place" : "role") are side by side."
    )
    if content.pairs.count > lines.count {
      page.element(
        "p", "", "The \(lines.count) of \(content.pairs.count.groupedDigits) pairs with the most minutes.")
    }
    page.raw("<div class=\"wide net\" role=\"region\" tabindex=\"0\" aria-label=\"Network of persons\">")
    page.raw(
      "<svg class=\"network\(layout.isRadial ? " dense" : "")\" viewBox=\"0 0 900 900\" role=\"img\" aria-labelledby=\"network-name network-text\"><title id=\"network-name\">Network of \(content.whos.count) persons and \(lines.count) pairs</title><desc id=\"network-text\">"
    )
    page.text(description)
    page.raw("</desc>\n<g class=\"edges\">")
    let most = content.pairs.first?.sums.seconds ?? 1
    // The widest lines are drawn last.
    for pair in lines.reversed() { write(pair, layout, most, to: &page) }
    page.raw("</g>\n<g class=\"nodes\">")
    for node in layout.nodes { write(node, layout, to: &page) }
    page.raw("</g>\n<g class=\"groups\">")
    for label in layout.labels {
      let text = ReportText.shortened(label.text, to: 24)
      // About the half of the width of the text.
      let half = Double(text.count) * 4.5 + 4
      let x = min(max(label.x, half), NetworkLayout.size - half)
      page.raw(
        "<text x=\"\(ReportText.coordinate(x))\" y=\"\(ReportText.coordinate(min(max(label.y, 16), 890)))\" text-anchor=\"middle\">"
      )
      page.text(text)
      page.raw("</text>")
    }
    page.raw("</g></svg></div>\n</section>\n")
  }

  /// Whether persons are grouped by their places.
  private var isByPlace: Bool { content.whos.contains { $0.kind == "person" && $0.group != $0.role } }

  private var description: String {
    let first = content.pairs.prefix(3).map {
      "\(content.whos[$0.one].label) and \(content.whos[$0.other].label) \(ReportText.minutes($0.sums.seconds)) min"
    }
    return
      "The pairs with the most minutes: \(first.joined(separator: "; ")). The matrix of persons has all numbers."
  }

  private func write(_ pair: ReportPair, _ layout: NetworkLayout, _ most: Int, to page: inout Markup) {
    let (one, other) = (layout.nodes[pair.one], layout.nodes[pair.other])
    let centre = NetworkLayout.size / 2
    // Lines bend towards the centre, those between places side by side less.
    let apart = abs(one.angle - other.angle)
    let bend = 0.9 - 0.6 * min(1, min(apart, 2 * .pi - apart) / 1.5)
    func bent(_ from: Double, _ to: Double) -> String {
      ReportText.coordinate(((from + to) / 2 - centre) * bend + centre)
    }
    let band = pair.sums.middleBand ?? ContactRules.bandCount
    page.raw(
      "<path class=\"w\(max(1, min(5, pair.sums.seconds * 5 / max(most, 1) + 1))) c\(band)\" data-p=\"\(pair.one) \(pair.other)\" d=\"M\(ReportText.coordinate(one.x)) \(ReportText.coordinate(one.y))Q\(bent(one.x, other.x)) \(bent(one.y, other.y)) \(ReportText.coordinate(other.x)) \(ReportText.coordinate(other.y))\"/>"
    )
  }

  private func write(_ node: NetworkLayout.Node, _ layout: NetworkLayout, to page: inout Markup) {
    let who = content.whos[node.who]
    let isLeft = node.angle > .pi
    let (x, y) = (ReportText.coordinate(node.x), ReportText.coordinate(node.y))
    page.raw(
      "<g data-w=\"\(node.who)\"><circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(layout.isRadial ? 4 : 7)\"/><text ")
    if layout.isRadial {
      let degrees = node.angle * 180 / .pi - (isLeft ? 270 : 90)
      page.raw(
        "transform=\"translate(\(x) \(y)) rotate(\(ReportText.coordinate(degrees)))\" x=\"\(isLeft ? -9 : 9)\" y=\"4\" text-anchor=\"\(isLeft ? "end" : "start")\">"
      )
    } else {
      let centre = NetworkLayout.size / 2
      let (outX, outY) = (node.x + 14 * sin(node.angle), node.y - 18 * cos(node.angle))
      let anchor = abs(node.x - centre) < 60 ? "middle" : isLeft ? "end" : "start"
      page.raw(
        "x=\"\(ReportText.coordinate(outX))\" y=\"\(ReportText.coordinate(outY + 5))\" text-anchor=\"\(anchor)\">"
      )
    }
    page.text(ReportText.shortened(who.label, to: 18))
    page.raw("</text></g>")
  }
}
