import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// The logs of the badges of a made-up ward, whose truth is known: for learning and for tests.
///
/// Persons of several roles walk about two wards in shifts. Each badge receives those in range three times
/// a minute, with an RSSI by distance, walls, bodies and fading, and writes its log with the device's own
/// encoder. One badge each is flat for days, covered, and has a wrong clock; three lie in a box while nobody
/// wears them, one of them without a motion sensor; one person gets a second badge. The same setting gives
/// the same bytes.
public struct PracticeWard: Sendable {
  /// What to make.
  public struct Setting: Equatable, Sendable {
    /// The number of badges, `badgeRange`.
    public var badges = 12
    /// The number of days, `dayRange`.
    public var days = 5
    /// Another number, another history.
    public var seed: UInt64 = 1
    /// Midnight of the first day where the ward is, in milliseconds since 1970-01-01T00:00:00Z.
    public var begin: UInt64

    /// A setting with the defaults.
    public init(begin: UInt64) { self.begin = begin }

    /// The numbers of badges that are possible: there is one badge of each kind in all of them.
    public static let badgeRange = 9...200
    /// The numbers of days that are possible: devices keep records for 14 days.
    public static let dayRange = 3...14
  }

  /// A badge after the days.
  public struct Badge: Sendable {
    /// The serial number: sixteen hexadecimal digits.
    public let serial: String
    /// The epoch of the log.
    public let epoch: UInt32
    /// The payload that it sends, of the fixed family.
    public let payload: [UInt8]
    /// Whether it has a motion sensor.
    public let hasMotionSensor: Bool
    /// The access key.
    public let accessKey: [UInt8]
    /// The pages of the log, the oldest first, as a host pulls them.
    public let pages: [MemoryLogPage]
    /// The flash with the log.
    public let logFlash: [UInt8]
    /// The flash with the access key.
    public let settingsFlash: [UInt8]
  }

  /// Who has a badge from when to when, in milliseconds since 1970-01-01T00:00:00Z; `nil`: without a limit.
  public struct Assignment: Equatable, Sendable {
    /// The badge.
    public let badge: Int
    /// The person.
    public let person: Int
    /// The first moment.
    public var from: UInt64?
    /// The moment before which it ends.
    public var to: UInt64?
  }

  /// The setting.
  public let setting: Setting
  /// The persons.
  public let people: [WardPerson]
  /// The badges: first that of each person, last the second one of a person.
  public let badges: [Badge]
  /// Who has which badge. Of persons whose badge has no motion sensor there is one for each shift, of others
  /// one without limits.
  public let assignments: [Assignment]
  /// What is to be found.
  public let truth: PracticeTruth

  /// Makes a ward.
  /// - Throws: an error of the log's encoder, which has room for every ward that is possible.
  public init(_ setting: Setting) throws {
    let plan = WardPlan(setting)
    let history = try WardHistory(plan)
    self.setting = setting
    people = plan.people
    badges = try history.badges.map { try $0.finished() }
    assignments = plan.assignments
    var truth = plan.truth
    truth.together = history.together
    self.truth = truth
  }
}

extension PracticeWard {
  /// The text of `people.csv`: who wore which badge. `moment` writes a date as that file has it.
  public func peopleTable(_ moment: (UInt64) -> String) -> String {
    assignments.reduce(into: "serial,name,role,place,from,to\n") { text, assignment in
      let person = people[assignment.person]
      let times = [assignment.from, assignment.to].map { $0.map(moment) ?? "" }
      text += "\(badges[assignment.badge].serial),\(person.name),\(person.role),\(person.place),"
      text += "\(times[0]),\(times[1])\n"
    }
  }
}
