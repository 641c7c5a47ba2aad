import Foundation

/// Places persons on a circle, those of a group side by side: the same for the same persons.
struct NetworkLayout {
  struct Node: Equatable {
    let who: Int
    /// The angle in radians, clockwise from the top.
    let angle: Double
    let x: Double
    let y: Double
  }

  struct GroupLabel: Equatable {
    let text: String
    let x: Double
    var y: Double
    let isLeft: Bool
  }

  static let size = 900.0
  /// The least number of persons whose names point away from the centre.
  private static let leastRadial = 24
  private static let lineHeight = 17.0

  let nodes: [Node]
  private(set) var labels: [GroupLabel] = []
  let radius: Double
  /// Whether names are turned to point away from the centre.
  let isRadial: Bool

  /// Places persons, who are in the order of their groups.
  init(groups: [String]) {
    isRadial = groups.count >= Self.leastRadial
    radius = isRadial ? 250 : 270
    let changes = groups.indices.count(where: { $0 > 0 && groups[$0] != groups[$0 - 1] })
    // A position remains empty between two groups.
    let gap = groups.count > 2 && changes > 0 ? 0.8 : 0
    let steps = Double(groups.count) + gap * Double(changes > 0 ? changes + 1 : 0)
    var position = 0.5
    var nodes: [Node] = []
    for (who, group) in groups.enumerated() {
      if who > 0, groups[who - 1] != group { position += gap }
      let angle = position / steps * 2 * .pi
      nodes.append(
        Node(
          who: who, angle: angle, x: Self.size / 2 + radius * sin(angle),
          y: Self.size / 2 - radius * cos(angle)))
      position += 1
    }
    self.nodes = nodes
    labels = Self.labels(groups, nodes)
  }

  private static func labels(_ groups: [String], _ nodes: [Node]) -> [GroupLabel] {
    var labels: [GroupLabel] = []
    var start = 0
    guard !groups.isEmpty else { return [] }
    for end in 1...groups.count where end == groups.count || groups[end] != groups[start] {
      let angle = (nodes[start].angle + nodes[end - 1].angle) / 2
      labels.append(
        GroupLabel(
          text: groups[start], x: size / 2 + 395 * sin(angle), y: size / 2 - 405 * cos(angle),
          isLeft: angle > .pi))
      start = end
    }
    // Labels of one side are moved apart.
    for isLeft in [false, true] {
      var last = -Double.infinity
      for index in labels.indices.filter({ labels[$0].isLeft == isLeft })
        .sorted(by: { (labels[$0].y, $0) < (labels[$1].y, $1) })
      {
        labels[index].y = max(labels[index].y, last + lineHeight)
        last = labels[index].y
      }
    }
    return labels
  }
}
