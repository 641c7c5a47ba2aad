import HeraldHAL

/// Where the persons of a practice ward are in each minute of a day.
///
/// A ward has a corridor, a station, a staff room, a treatment room, a day room and three rooms of patients,
/// each of 4 m by 4 m. Persons stay in a room for some minutes, according to their role; a cleaner spends
/// the second half of the shift on the next ward.
struct WardRounds {
  /// A place to be.
  struct Spot: Equatable {
    var ward: Int
    var room: Int
    /// Metres from the corner of the room.
    var x: Double
    var y: Double

    /// The metres to another spot of the same room.
    func distance(to other: Spot) -> Double {
      let (dx, dy) = (x - other.x, y - other.y)
      return (dx * dx + dy * dy).squareRoot()
    }
  }

  static let corridor = 0
  static let station = 1
  static let staffRoom = 2
  private static let treatment = 3
  private static let dayRoom = 4
  private static let patientRooms = 5..<8

  /// The spot of each person in each minute in which the person is on duty.
  private var spots: [[Spot?]] = []

  /// Walls between two rooms; `nil` if there are more than radio passes.
  static func walls(_ one: Int, _ other: Int) -> Int? {
    if one == other { return 0 }
    if one == corridor || other == corridor { return 1 }
    return (one == station && other == staffRoom) || (one == staffRoom && other == station) ? 1 : nil
  }

  /// The rounds of a day.
  init(_ people: [WardPerson], random: inout SeededRandom) {
    for (number, person) in people.enumerated() {
      var minutes = [Spot?](repeating: nil, count: 1440)
      var minute = person.shift.lowerBound
      while minute < person.shift.upperBound {
        let middle = (person.shift.lowerBound + person.shift.upperBound) / 2
        let isAway = person.role == "cleaner" && minute >= middle
        let stay = Self.stay(of: person.role, number: number, random: &random)
        let end = min(minute + stay.minutes, person.shift.upperBound, isAway ? .max : max(middle, minute + 1))
        var spot = stay.spot
        spot.ward = person.ward + (isAway ? 1 : 0)
        for index in minute..<end { minutes[index] = spot }
        minute = end
      }
      spots.append(minutes)
    }
  }

  /// The spot of a person; `nil` if the person is not on duty.
  func spot(of person: Int, minute: Int) -> Spot? { spots[person][minute] }

  /// The bed of a patient.
  static func bed(of number: Int, ward: Int) -> Spot {
    Spot(ward: ward, room: patientRooms.lowerBound + number / 4 % patientRooms.count, x: 0.5, y: 2)
  }

  private static func stay(of role: String, number: Int, random: inout SeededRandom) -> (
    spot: Spot, minutes: Int
  ) {
    func minutes(_ range: ClosedRange<UInt32>) -> Int {
      Int(range.lowerBound + random.below(range.upperBound - range.lowerBound + 1))
    }
    var spot = Spot(ward: 0, room: corridor, x: random.unit() * 4, y: random.unit() * 4)
    let chance = random.below(100)
    let anyPatient = patientRooms.lowerBound + Int(random.below(UInt32(patientRooms.count)))
    switch role {
    case "patient":
      if chance < 65 {
        spot = bed(of: number, ward: 0)
        spot.x += random.unit()
        return (spot, minutes(20...80))
      }
      spot.room = chance < 90 ? dayRoom : treatment
      return (spot, chance < 90 ? minutes(20...60) : minutes(10...20))
    case "cleaner":
      spot.room = Int(random.below(UInt32(patientRooms.upperBound)))
      return (spot, minutes(5...15))
    case "doctor":
      spot.room = chance < 45 ? anyPatient : chance < 75 ? station : chance < 92 ? treatment : staffRoom
      return (spot, minutes(6...18))
    default:
      spot.room =
        chance < 38
        ? anyPatient : chance < 68 ? station : chance < 80 ? treatment : chance < 90 ? staffRoom : corridor
      if chance >= 90 { return (spot, minutes(2...5)) }
      return (spot, minutes(6...22))
    }
  }
}
