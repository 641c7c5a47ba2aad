import HeraldHAL

/// The days of a practice ward, minute by minute.
struct WardHistory {
  /// The badges, with their logs.
  let badges: [WardBadge]
  /// The minutes of pairs of persons.
  private(set) var together: [PracticeTruth.Together] = []
  private let plan: WardPlan
  private var random: SeededRandom
  private var minutesTogether: [[Int]: Int] = [:]

  /// The weakest RSSI that is received, in dBm; below −85 dBm not all is.
  private static let sensitivity = -95.0

  init(_ plan: WardPlan) throws {
    self.plan = plan
    random = SeededRandom(seed: plan.setting.seed)
    var made: [WardBadge] = []
    for number in 0..<plan.badgeCount { made.append(WardBadge(number, plan, random: &random)) }
    badges = made
    for day in 0..<plan.setting.days {
      let rounds = WardRounds(plan.people, random: &random)
      for minute in 0..<1440 {
        try pass(minute: day * 1440 + minute, rounds)
        count(day: day, minute: minute, rounds)
      }
    }
  }

  /// Where a badge that is on is in range of others, and `nil` if it is at home.
  private func spot(_ badge: Int, minute: Int, _ rounds: WardRounds) -> WardRounds.Spot? {
    guard badges[badge].isOn else { return nil }
    if let spot = rounds.spot(of: plan.wearer(of: badge), minute: minute % 1440) { return spot }
    // In the box they lie 15 cm apart.
    guard plan.isBoxed(badge) else { return nil }
    return WardRounds.Spot(ward: 0, room: WardRounds.staffRoom, x: 3.5 + Double(badge % 3) * 0.15, y: 3.5)
  }

  /// A minute of all badges.
  private mutating func pass(minute: Int, _ rounds: WardRounds) throws {
    for badge in badges { try badge.beginMinute(minute, plan) }
    let present = badges.indices.compactMap { number in
      spot(number, minute: minute, rounds).map { (badge: number, spot: $0) }
    }
    for (index, one) in present.enumerated() {
      for other in present[(index + 1)...] where other.spot.ward == one.spot.ward {
        guard let loss = pathLoss(one, other, minute: minute) else { continue }
        receive(one.badge, other.badge, loss: loss, minute: minute)
        receive(other.badge, one.badge, loss: loss, minute: minute)
      }
    }
    for badge in badges { try badge.endMinute(badges) }
  }

  /// The loss between two badges in decibels, the same in both directions: 55 dB at 1 m, 12 dB for a wall,
  /// and bodies that stand in between for some minutes.
  private func pathLoss(
    _ one: (badge: Int, spot: WardRounds.Spot), _ other: (badge: Int, spot: WardRounds.Spot), minute: Int
  ) -> Double? {
    guard let walls = WardRounds.walls(one.spot.room, other.spot.room) else { return nil }
    let distance = walls == 0 ? max(one.spot.distance(to: other.spot), 0.15) : 6
    var body = SeededRandom(
      seed: plan.setting.seed &+ UInt64(one.badge * 1000 + other.badge) << 32 | UInt64(minute / 5))
    return 55 + 25 * Self.decimalLogarithm(distance) + Double(walls) * 12 + body.normal() * 3
  }

  /// What a badge receives of another in a minute: three scan windows.
  private mutating func receive(_ receiver: Int, _ sender: Int, loss: Double, minute: Int) {
    let total = loss + plan.loss(receiver).receiving + plan.loss(sender).sending
    for window in 0..<3 {
      let rssi = -total + random.normal() * 3
      let chance = random.unit()
      guard rssi > Self.sensitivity, chance < min(0.93, (rssi - Self.sensitivity) / 10) else { continue }
      let second = window * 20_000 + receiver * 977 % 18_000 + Int(random.below(120)) * 10
      badges[receiver].hear(sender, rssi: Int(rssi.rounded()), at: UInt64(minute) * 60_000 + UInt64(second))
    }
  }

  /// Counts the minute for each two persons in one room.
  private mutating func count(day: Int, minute: Int, _ rounds: WardRounds) {
    let present = plan.people.indices.compactMap { person in
      rounds.spot(of: person, minute: minute).map { (person: person, spot: $0) }
    }
    for (index, one) in present.enumerated() {
      for other in present[(index + 1)...]
      where other.spot.ward == one.spot.ward && other.spot.room == one.spot.room {
        let key = [one.person, other.person, day]
        let row =
          minutesTogether[key]
          ?? {
            together.append(.init(people: [one.person, other.person], day: day))
            return together.count - 1
          }()
        minutesTogether[key] = row
        together[row].inOneRoom += 1
        if one.spot.distance(to: other.spot) <= 2 { together[row].near += 1 }
      }
    }
  }

  /// The logarithm to base 10 of a positive number, in double precision without a library of mathematics,
  /// so that every machine has the same.
  static func decimalLogarithm(_ number: Double) -> Double {
    let exponent = Int(number.exponent)
    // ln(m) = 2·artanh((m − 1)/(m + 1)) for 1 ≤ m < 2.
    let ratio = (number.significand - 1) / (number.significand + 1)
    var power = ratio
    var sum = 0.0
    for odd in stride(from: 1, to: 31, by: 2) {
      sum += power / Double(odd)
      power *= ratio * ratio
    }
    return (2 * sum + Double(exponent) * 0.693_147_180_559_945_3) / 2.302_585_092_994_045_7
  }
}
