import HeraldHAL

/// Who wears what on a practice ward, and what is wrong with which badge.
struct WardPlan {
  static let minute: UInt64 = 60_000
  static let dayLength: UInt64 = 1440 * minute
  // The persons with a badge of each kind.
  private static let flat = 0
  private static let boxed = [1, 2, 7]
  private static let fast = 3
  private static let covered = 5
  private static let exchanged = 6

  let setting: PracticeWard.Setting
  let people: [WardPerson]

  /// The last badge is the second one of a person.
  var badgeCount: Int { people.count + 1 }
  /// The number of the day on which the second badge replaces the first.
  private var exchangeDay: Int { setting.days / 2 }

  init(_ setting: PracticeWard.Setting) {
    self.setting = setting
    people = (0..<setting.badges - 1).map(WardPerson.init)
  }

  /// A moment of the ward.
  func date(day: Int, minute: Int) -> UInt64 {
    setting.begin + UInt64(day) * Self.dayLength + UInt64(minute) * Self.minute
  }

  /// The person who wears a badge.
  func wearer(of badge: Int) -> Int { badge < people.count ? badge : Self.exchanged }

  /// Two of seven badges have no motion sensor.
  func hasMotionSensor(_ badge: Int) -> Bool { badge % 7 > 1 || badge < 7 || badge == people.count }

  /// Whether a badge lies in the box out of shifts; others are taken home.
  func isBoxed(_ badge: Int) -> Bool { Self.boxed.contains(badge) }

  /// By how many milliseconds the clock of a badge is fast.
  func fastBy(_ badge: Int) -> UInt64 { badge == Self.fast ? 200 * Self.minute : 0 }

  /// The decibels that a badge loses in what it receives and in what it sends.
  func loss(_ badge: Int) -> (receiving: Double, sending: Double) {
    badge == Self.covered ? (36, 6) : (0, 0)
  }

  /// The times for which a badge is on, in minutes since the begin of the ward.
  func timesOn(_ badge: Int) -> [Range<Int>] {
    let shift = people[wearer(of: badge)].shift
    let begin = shift.lowerBound - 10
    let end = (setting.days - 1) * 1440 + 1350
    let exchange = exchangeDay * 1440
    if badge == people.count { return [exchange + begin..<end] }
    switch badge {
    case Self.flat: return [begin..<1440 + 660, (setting.days - 1) * 1440 + 340..<end]
    case Self.exchanged: return [begin..<exchange - 1440 + shift.upperBound + 10]
    default: return [begin..<end]
    }
  }

  /// The charge of a battery in percent at a minute since the begin of the ward.
  func charge(_ badge: Int, at minute: Int) -> Int {
    let hours = Double(minute - timesOn(badge)[0].lowerBound) / 60
    guard badge == Self.flat else { return max(20, 97 - Int(hours * 0.35)) }
    return minute < 1440 + 660 ? max(1, 30 - Int(hours)) : 100
  }

  var assignments: [PracticeWard.Assignment] {
    (0..<badgeCount).flatMap { badge -> [PracticeWard.Assignment] in
      let person = wearer(of: badge)
      var assignment = PracticeWard.Assignment(badge: badge, person: person)
      if person == Self.exchanged {
        let moment = date(day: exchangeDay, minute: 0)
        if badge == person { assignment.to = moment } else { assignment.from = moment }
      }
      guard !hasMotionSensor(badge) else { return [assignment] }
      let shift = people[person].shift
      return (0..<setting.days).map { day in
        PracticeWard.Assignment(
          badge: badge, person: person, from: date(day: day, minute: shift.lowerBound),
          to: date(day: day, minute: shift.upperBound))
      }
    }
  }

  var truth: PracticeTruth {
    func worn(_ badge: Int) -> PracticeTruth.Wearer { .init(person: wearer(of: badge), badge: badge) }
    let on = timesOn(Self.flat)
    return PracticeTruth(
      flat: worn(Self.flat),
      flatTime: date(day: 0, minute: on[0].upperBound)..<date(day: 0, minute: on[1].lowerBound),
      covered: worn(Self.covered), fast: worn(Self.fast), fastBy: fastBy(Self.fast),
      boxed: Self.boxed.map(worn), exchanged: worn(Self.exchanged), second: people.count,
      exchangedAt: date(day: exchangeDay, minute: 0))
  }
}
