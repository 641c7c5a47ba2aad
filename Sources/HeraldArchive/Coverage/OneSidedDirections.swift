/// Which badges heard others for much longer than these heard them, or the reverse, and which pairs.
///
/// Of two badges of which one heard the other alone, the wrong one is that of which most pairs are so. Its
/// pairs are then left out, so that nobody is named for having been near it.
struct OneSidedDirections {
  /// Two who received each other, by their numbers.
  struct Pair: Equatable {
    let one: Int
    let other: Int
    /// Seconds in which `one` received `other`, and the reverse.
    let heard: Int
    let heardBack: Int
  }

  /// A badge with one direction of less than half of the other.
  struct Badge: Equatable {
    let who: Int
    /// Seconds in which it received the others, and in which they received it.
    let heard: Int
    let heardBack: Int
  }

  /// The badges, the greatest difference first.
  private(set) var badges: [Badge] = []
  /// The pairs that none of the badges is of, the greatest difference first.
  private(set) var pairs: [Pair] = []

  /// The seconds that one direction must have before both are compared.
  static let leastSeconds = 1800
  /// The seconds that a pair must have in one direction to say something of its badges.
  private static let leastOfPair = 300

  /// Compares the directions of pairs of which both have a badge with a right clock.
  init(_ pairs: [Pair]) {
    var open = pairs
    while let badge = Self.worst(of: open) {
      badges.append(badge)
      open.removeAll { $0.one == badge.who || $0.other == badge.who }
    }
    self.pairs = open.filter { Self.isOneSided($0.heard, $0.heardBack, least: Self.leastSeconds) }.sorted {
      let (one, other) = (abs($0.heard - $0.heardBack), abs($1.heard - $1.heardBack))
      return (other, $0.one, $0.other) < (one, $1.one, $1.other)
    }
  }

  static func isOneSided(_ heard: Int, _ heardBack: Int, least: Int) -> Bool {
    max(heard, heardBack) >= least && min(heard, heardBack) * 2 < max(heard, heardBack)
  }

  /// The badge with the greatest difference of which at least two pairs, and most, are one-sided.
  private static func worst(of pairs: [Pair]) -> Badge? {
    struct Sums {
      var heard = 0
      var heardBack = 0
      var pairs = 0
      var deaf = 0
      var mute = 0
    }
    var sums: [Int: Sums] = [:]
    for pair in pairs {
      for (who, heard, back) in [
        (pair.one, pair.heard, pair.heardBack), (pair.other, pair.heardBack, pair.heard),
      ] {
        var sum = sums[who] ?? Sums()
        sum.heard = sum.heard.plus(heard)
        sum.heardBack = sum.heardBack.plus(back)
        if max(heard, back) >= leastOfPair {
          sum.pairs += 1
          if isOneSided(heard, back, least: leastOfPair) {
            if heard < back { sum.deaf += 1 } else { sum.mute += 1 }
          }
        }
        sums[who] = sum
      }
    }
    let found = sums.filter { _, sum in
      let count = sum.heard < sum.heardBack ? sum.deaf : sum.mute
      return isOneSided(sum.heard, sum.heardBack, least: leastSeconds) && count > 1
        && count * 2 > sum.pairs
    }
    return found.map { Badge(who: $0, heard: $1.heard, heardBack: $1.heardBack) }
      .min { (abs($1.heard - $1.heardBack), $0.who) < (abs($0.heard - $0.heardBack), $1.who) }
  }
}
