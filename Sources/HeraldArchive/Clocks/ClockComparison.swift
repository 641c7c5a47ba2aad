/// Compares the clocks of devices by what each heard of the others.
///
/// Two devices that are near each other hear each other in the same minutes. If the minutes of one direction
/// are those of the other moved by *d*, their clocks differ by *d*. The devices that agree with each other on
/// a day are right; one that differs from those is wrong. docs/contacts.md, "Days and clocks", has the rules.
struct ClockComparison {
  /// A device and a civil day by its clock.
  struct Node: Hashable {
    let device: Int64
    let day: Int64
  }

  /// A device whose clock differs on a day.
  struct Difference: Equatable {
    let node: Node
    /// Minutes by which it is ahead of the others; behind if negative.
    let minutes: Int64
    /// The devices that it was compared with.
    let met: [Int64]
    /// Whether those agree with others, so that it is this one that is wrong; otherwise one of two is.
    let isDecided: Bool
  }

  private struct Direction: Hashable {
    let observer: Int64
    let subject: Int64
  }

  /// The two directions of a pair: the minutes of a day by the clock of one, and all minutes by that of the
  /// other.
  private struct Match {
    let peer: Int64
    let forth: [Int64]
    let back: [Int64]
  }

  /// A difference of the clocks of a pair, as one of the two sees it.
  struct Estimate {
    /// Minutes to add to the clock of the observer to have that of the other.
    let offset: Int64
    /// Whether it needs no other device that says the same.
    let isSure: Bool
  }

  /// The least number of minutes in common, and their least share, of a difference that one pair alone shows.
  private static let sureMinutes = 30
  private static let sureShare = 0.7
  /// Differences up to this many minutes are none: both directions do not begin in the same minute.
  static let tolerance: Int64 = 2
  /// The least number of minutes in common.
  private static let leastMinutes = 10
  /// The least share of minutes in common, of those that either has.
  private static let leastShare = 0.4
  /// By how much the share has to be greater than without a difference.
  private static let leastGain = 0.03
  /// The differences that are tried first; presence has few interruptions, so that the share grows towards
  /// the right one.
  private static let first: [Int64] = [0, -5, 5, -10, 10, -20, 20, -40, 40]
  /// The number of other differences that are tried, and of ends of presence that they are made of.
  private static let mostCandidates = 8
  private static let mostEnds = 400
  /// The minutes without a sign that end presence.
  private static let silence: Int64 = 15

  private let dayOfMinute: (Int64) -> Int64
  private var minutes: [Direction: [Int64: [Int64]]] = [:]

  /// `dayOfMinute` is the civil day of a minute since 1970-01-01T00:00:00Z.
  init(dayOfMinute: @escaping (Int64) -> Int64) { self.dayOfMinute = dayOfMinute }

  /// Adds the minutes of a civil day in which a device heard another, each by the clock of the observer.
  mutating func add(_ observer: Int64, heard subject: Int64, day: Int64, _ minutes: [Int64]) {
    guard observer != subject else { return }
    self.minutes[Direction(observer: observer, subject: subject), default: [:]][day, default: []] += minutes
  }

  /// The devices and days with a difference, by device and day, and those that agree with another one.
  func outcome() -> (differences: [Difference], agreeing: Set<Node>) {
    let matches = matches()
    let found = offsets(matches)
    let groups = ClockGroups(found) { node, peer, offset in
      guard let middle = matches[node]?.first(where: { $0.peer == peer })?.forth.middle else { return nil }
      return Node(device: peer, day: dayOfMinute(middle + offset))
    }
    var differences: [Difference] = []
    // Days on which a device has one of the group to be compared with.
    var single: [(difference: Difference, isSure: Bool)] = []
    for (node, estimates) in found where !groups.isRight(node) {
      // Those that agree with others on the day that they had.
      let others = estimates.filter { peer, estimate in
        estimate.offset != 0 && groups.other(node, peer).map(groups.isRight) ?? false
      }.sorted { $0.key < $1.key }.map { (peer: $0.key, estimate: $0.value) }
      guard let middle = others.map(\.estimate.offset).sorted().middle else { continue }
      let agreeing = others.filter { abs($0.estimate.offset - middle) <= Self.tolerance }
      guard agreeing.count * 3 >= others.count * 2 else { continue }
      let difference = Difference(
        node: node, minutes: -middle, met: agreeing.map(\.peer).sorted(), isDecided: true)
      if agreeing.count > 1 {
        differences.append(difference)
      } else {
        let isLarge = others.contains { groups.other(node, $0.peer).map(groups.isLarge) ?? false }
        single.append((difference, isLarge && others.allSatisfy(\.estimate.isSure)))
      }
    }
    let known = differences
    func isKnown(_ device: Int64, _ minutes: Int64) -> Bool {
      known.contains { $0.node.device == device && abs($0.minutes - minutes) <= Self.tolerance }
    }
    differences += single.filter { $0.isSure || isKnown($0.difference.node.device, $0.difference.minutes) }
      .map(\.difference)
    differences += undecided(found, groups, Set(differences.map(\.node)), isKnown)
    differences.sort {
      ($0.node.device, $0.node.day, $0.minutes) < ($1.node.device, $1.node.day, $1.minutes)
    }
    return (differences, groups.agreeing)
  }

  /// Pairs that differ, and of which nobody else on that day can say which one is wrong: once each. It is the
  /// one that differs as much from others on other days, if there is one.
  private func undecided(
    _ found: [Node: [Int64: Estimate]], _ groups: ClockGroups, _ decided: Set<Node>,
    _ isKnown: (_ device: Int64, _ minutes: Int64) -> Bool
  ) -> [Difference] {
    var differences: [Difference] = []
    var pairs: Set<Set<Node>> = []
    var attributed: Set<Node> = []
    let nodes = found.keys.sorted { ($0.device, $0.day) < ($1.device, $1.day) }
    for node in nodes where !decided.contains(node) {
      for (peer, estimate) in (found[node] ?? [:]).sorted(by: { $0.key < $1.key })
      where estimate.offset != 0 && estimate.isSure {
        guard let other = groups.other(node, peer), !decided.contains(other) else { continue }
        if isKnown(node.device, -estimate.offset) {
          guard attributed.insert(node).inserted else { continue }
          differences.append(
            Difference(node: node, minutes: -estimate.offset, met: [peer], isDecided: true))
        } else if !isKnown(peer, estimate.offset), !groups.isRight(node), !groups.isRight(other),
          peer > node.device, pairs.insert([node, other]).inserted
        {
          differences.append(
            Difference(node: node, minutes: -estimate.offset, met: [peer], isDecided: false))
        }
      }
    }
    return differences
  }

  private func matches() -> [Node: [Match]] {
    var all: [Direction: [Int64]] = [:]
    for (direction, days) in minutes { all[direction] = Array(Set(days.values.joined())).sorted() }
    var matches: [Node: [Match]] = [:]
    for (direction, days) in minutes {
      let reverse = Direction(observer: direction.subject, subject: direction.observer)
      guard let back = all[reverse] else { continue }
      for (day, list) in days {
        matches[Node(device: direction.observer, day: day), default: []].append(
          Match(peer: direction.subject, forth: Array(Set(list)).sorted(), back: back))
      }
    }
    return matches.mapValues { $0.sorted { $0.peer < $1.peer } }
  }

  /// The differences that are tried for a device and a day, best first in `best`; none but 0 if that is
  /// right.
  private struct Candidates {
    let span: ClosedRange<Int64>
    var offsets: [Int64] = []
    var best: Int64 = 0
  }

  /// The minutes to add to the clock of a device on each day to have that of each other device, as far as it
  /// can be told. Days may be alike: of differences that are as good, the one that is good for all days
  /// counts.
  private func offsets(_ matches: [Node: [Match]]) -> [Node: [Int64: Estimate]] {
    var candidates: [Node: Candidates] = [:]
    var wrong: [Int64: [Node]] = [:]
    for (node, list) in matches {
      guard let begin = list.compactMap(\.forth.first).min(), let end = list.compactMap(\.forth.last).max()
      else {
        continue
      }
      candidates[node] = self.candidates(list, begin...end)
      if candidates[node]?.offsets.isEmpty == false { wrong[node.device, default: []].append(node) }
    }
    var common: [Int64: Int64] = [:]
    for (device, nodes) in wrong {
      let bests = Set(nodes.compactMap { candidates[$0]?.best }).sorted { (abs($0), $0) < (abs($1), $1) }
      func share(_ offset: Int64) -> Double {
        nodes.reduce(0) { sum, node in
          guard let span = candidates[node]?.span, let list = matches[node] else { return sum }
          return sum + Self.share(list, span, offset)
        }
      }
      common[device] = bests.map { ($0, share($0)) }.max { $0.1 < $1.1 }?.0
    }
    var found: [Node: [Int64: Estimate]] = [:]
    for (node, list) in matches {
      guard let candidates = candidates[node] else { continue }
      found[node] = offsets(node, list, candidates, preferred: common[node.device])
    }
    return found
  }

  private func offsets(_ node: Node, _ matches: [Match], _ candidates: Candidates, preferred: Int64?)
    -> [Int64: Estimate]
  {
    let span = candidates.span
    let near = preferred.map { preferred in (-3...3).map { preferred + $0 } } ?? []
    var offsets: [Int64: Estimate] = [:]
    for match in matches {
      let none = Common(match.forth, match.back, span, 0)
      var best = (offset: Int64(0), common: none)
      for (index, offset) in ((candidates.offsets.isEmpty ? [] : near) + candidates.offsets).enumerated() {
        let common = Common(match.forth, match.back, span, offset)
        // One that is not good for all days has to be better.
        let least =
          index < near.count || best.offset == 0 ? best.common.share : best.common.share + Self.leastGain
        if common.share > least { best = (offset, common) }
      }
      if abs(best.offset) <= Self.tolerance || best.common.share < none.share + Self.leastGain {
        best = (0, none)
      }
      guard best.common.both >= Self.leastMinutes, best.common.share >= Self.leastShare else { continue }
      if best.offset != 0, isExplained(node, match, span, best.offset, best.common.share) { continue }
      offsets[match.peer] = Estimate(
        offset: best.offset,
        isSure: best.common.both >= Self.sureMinutes && best.common.share >= Self.sureShare)
    }
    return offsets
  }

  /// Whether the minutes of the other are those of another day of the device as well: days may be alike.
  private func isExplained(
    _ node: Node, _ match: Match, _ span: ClosedRange<Int64>, _ offset: Int64, _ share: Double
  )
    -> Bool
  {
    let days = minutes[Direction(observer: node.device, subject: match.peer)] ?? [:]
    let others = days.filter { $0.key != node.day }.values.joined()
    let moved = (span.lowerBound + offset)...(span.upperBound + offset)
    let same = Common(others.filter(moved.contains).sorted(), match.back, moved, 0)
    return same.share >= share - Self.leastGain
  }

  /// The differences between begins of presence in both directions, and between ends, that occur most often.
  private func candidates(_ matches: [Match], _ span: ClosedRange<Int64>) -> Candidates {
    let shares = Self.first.map { Self.share(matches, span, $0) }
    if shares[0] >= Self.leastShare, shares.allSatisfy({ $0 <= shares[0] }) { return Candidates(span: span) }
    var votes: [Int64: Int] = [:]
    for match in matches {
      for isEnd in [false, true] {
        let back = Self.ends(match.back, isEnd: isEnd, near: match.forth.middle ?? 0)
        for one in Self.ends(match.forth, isEnd: isEnd, near: 0).prefix(64) {
          for other in back { votes[other - one, default: 0] += 1 }
        }
      }
    }
    let sums = votes.keys.map { offset in
      (offset, (-1...1).reduce(0) { $0 + (votes[offset + Int64($1)] ?? 0) })
    }
    let top = sums.sorted { ($1.1, abs($0.0), $0.0) < ($0.1, abs($1.0), $1.0) }.prefix(Self.mostCandidates)
    var offsets = Set(Self.first)
    for (offset, _) in top { offsets.formUnion((-3...3).map { offset + $0 }) }
    // The best one, and those beside it.
    let best =
      offsets.sorted { (abs($0), $0) < (abs($1), $1) }
      .map { ($0, Self.share(matches, span, $0)) }.max { $0.1 < $1.1 }?.0 ?? 0
    offsets.formUnion((-4...4).map { best + $0 })
    return Candidates(span: span, offsets: offsets.sorted { (abs($0), $0) < (abs($1), $1) }, best: best)
  }

  /// The first minutes of presence, or the last ones; of many those next to `middle`.
  private static func ends(_ minutes: [Int64], isEnd: Bool, near middle: Int64) -> [Int64] {
    var ends: [Int64] = []
    for (index, minute) in minutes.enumerated() {
      let next = isEnd ? index + 1 : index - 1
      if !minutes.indices.contains(next) || abs(minutes[next] - minute) > silence { ends.append(minute) }
    }
    guard ends.count > mostEnds else { return ends }
    return Array(ends.sorted { (abs($0 - middle), $0) < (abs($1 - middle), $1) }.prefix(mostEnds))
  }

  private static func share(_ matches: [Match], _ span: ClosedRange<Int64>, _ offset: Int64) -> Double {
    var (both, either) = (0, 0)
    for match in matches {
      let common = Common(match.forth, match.back, span, offset)
      both += common.both
      either += common.either
    }
    return either > 0 ? Double(both) / Double(either) : 0
  }

  /// The minutes that two lists have in common.
  private struct Common {
    /// The minutes in both and in at least one.
    private(set) var both = 0
    private(set) var either = 0
    var share: Double { either > 0 ? Double(both) / Double(either) : 0 }

    /// `offset` is added to the first list and to `span`, outside of which the second one does not count.
    /// A minute beside one of the other list is in both.
    init(_ one: [Int64], _ other: [Int64], _ span: ClosedRange<Int64>, _ offset: Int64) {
      let (low, high) = (span.lowerBound + offset, span.upperBound + offset)
      var index = other.firstIndex(from: low)
      let start = index
      for minute in one {
        let moved = minute + offset
        while index < other.count, other[index] < moved { index += 1 }
        if index < other.count, other[index] == moved, moved <= high { both += 1 }
      }
      either = one.count + (other.firstIndex(from: high + 1) - start) - both
    }
  }
}

extension [Int64] {
  /// The lower of the two in the middle.
  fileprivate var middle: Int64? { isEmpty ? nil : self[(count - 1) / 2] }

  /// The index of the first number of an ascending list that is not less than `number`.
  fileprivate func firstIndex(from number: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
