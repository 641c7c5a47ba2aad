/// Devices that agree with each other on a day. Groups that met, and differ, are compared with each other; a
/// group that met no other one is right.
struct ClockGroups {
  typealias Node = ClockComparison.Node

  private var right: Set<Node> = []
  private var large: Set<Node> = []
  /// The devices and days that agree with another one, right or wrong.
  private(set) var agreeing: Set<Node> = []
  /// What each device on a day was compared with: the other one, on the day by its own clock.
  private var others: [Node: [Int64: Node]] = [:]

  init(
    _ offsets: [Node: [Int64: ClockComparison.Estimate]],
    _ other: (Node, _ peer: Int64, _ offset: Int64) -> Node?
  ) {
    var agreeing: [Node: Set<Node>] = [:]
    var differing: [Node: Set<Node>] = [:]
    func connect(_ one: Node, _ other: Node, in edges: inout [Node: Set<Node>]) {
      edges[one, default: []].insert(other)
      edges[other, default: []].insert(one)
    }
    for (node, list) in offsets {
      for (peer, estimate) in list {
        guard estimate.offset == 0 else {
          guard let other = other(node, peer, estimate.offset) else { continue }
          others[node, default: [:]][peer] = other
          connect(node, other, in: &differing)
          continue
        }
        let other = Node(device: peer, day: node.day)
        // Both have to say so, if both can.
        if let back = offsets[other]?[node.device], back.offset != 0 { continue }
        connect(node, other, in: &agreeing)
      }
    }
    self.agreeing = Set(agreeing.keys)
    var groups: [Set<Node>] = []
    var groupOf: [Node: Int] = [:]
    for node in Set(agreeing.keys).union(differing.keys) where groupOf[node] == nil {
      let group = Self.reached(from: node) { agreeing[$0] ?? [] }
      for node in group { groupOf[node] = groups.count }
      groups.append(group)
    }
    var seen: Set<Int> = []
    for index in groups.indices where !seen.contains(index) {
      let met = Self.reached(from: index) { index in
        Set(groups[index].flatMap { differing[$0] ?? [] }.compactMap { groupOf[$0] })
      }
      seen.formUnion(met)
      let sorted = met.map { groups[$0] }.sorted { $0.count > $1.count }
      // Of two groups of one size nobody knows which one is right.
      guard let first = sorted.first, first.count > 1, sorted.count < 2 || sorted[1].count < first.count
      else { continue }
      right.formUnion(first)
      if first.count >= 3 { large.formUnion(first) }
    }
  }

  private static func reached<Item: Hashable>(from first: Item, _ next: (Item) -> Set<Item>) -> Set<Item> {
    var reached: Set<Item> = [first]
    var open = [first]
    while let one = open.popLast() {
      for other in next(one) where reached.insert(other).inserted { open.append(other) }
    }
    return reached
  }

  /// The one that a device on a day differs from, on the day by its own clock.
  func other(_ node: Node, _ peer: Int64) -> Node? { others[node]?[peer] }

  /// Whether a device agrees with most of those on a day with whom it and they met.
  func isRight(_ node: Node) -> Bool { right.contains(node) }

  /// Whether at least three devices agree with each other, of which this is one.
  func isLarge(_ node: Node) -> Bool { large.contains(node) }
}
