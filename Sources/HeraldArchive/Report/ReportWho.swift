import HeraldHostLink
import HeraldText

/// Somebody, or a device, that a report has a row for.
struct ReportWho: Equatable, Sendable {
  /// The row of `who`.
  let id: Int64
  /// `person`, `device`, `payload`, `place` or `address`.
  let kind: String
  /// What people read.
  let label: String
  /// The role of a person, or what stands for it.
  let role: String
  /// Where a person belongs; may be empty.
  let place: String
  /// The persons with whom it is side by side: the place, or the role if all persons have one place.
  var group: String

  /// Whether there may be a log of what it heard.
  var hasBadge: Bool { kind == "person" || kind == "device" }

  init(id: Int64, kind: String, label: String, role: String, place: String) {
    self.id = id
    self.kind = kind
    self.label = PrintableText.of(label, limit: 80)
    self.place = PrintableText.of(place, limit: 80)
    self.role =
      switch kind {
      case "person": role.isEmpty ? Self.noRole : PrintableText.of(role, limit: 60)
      case "device": Self.noLabel
      case "place": Self.places
      case "payload": Self.phones
      default: Self.unknown
      }
    group = self.place.isEmpty ? self.role : self.place
  }

  /// The role of persons without one in `people.csv`.
  static let noRole = "no role"
  /// The role of devices to which no person is assigned.
  static let noLabel = "badge without a person"
  static let places = "place"
  static let phones = "phone or other"
  static let unknown = "unknown address"

  /// The order of roles and places: those of persons by name, then those that stand for one.
  static func precedes(_ one: String, _ other: String) -> Bool {
    let last = [noRole, noLabel, places, phones, unknown]
    let ranks = [one, other].map { last.firstIndex(of: $0) ?? -1 }
    return ranks[0] == ranks[1] ? one < other : ranks[0] < ranks[1]
  }
}

/// Two of them, and the time for which they were near each other.
struct ReportPair: Equatable, Sendable {
  /// The index of both in `WardContent.whos`; `one` is the smaller.
  let one: Int
  let other: Int
  /// The time of all days, by the rule for both directions of a pair.
  var sums = ReportSums()
  /// The time on each day of `WardContent.days` that has any.
  var days: [(day: Int, sums: ReportSums)] = []
  /// Seconds in which `one` heard `other`, and the reverse.
  var heard = 0
  var heardBack = 0

  static func == (left: ReportPair, right: ReportPair) -> Bool {
    left.one == right.one && left.other == right.other && left.sums == right.sums
      && left.heard == right.heard && left.heardBack == right.heardBack
      && left.days.elementsEqual(right.days) { $0.day == $1.day && $0.sums == $1.sums }
  }
}

/// What one person was near on one day.
struct ReportDay: Equatable, Sendable {
  /// The number of minutes of a timeline.
  static let minutes = 1440

  /// Somebody near on that day.
  struct Lane: Equatable, Sendable {
    /// The index in `WardContent.whos`.
    let who: Int
    let runs: [ReportRun]
    let sums: ReportSums
  }

  /// The index in `WardContent.days`.
  let day: Int
  /// The band of the closest, minute by minute.
  var closest: [ReportRun] = []
  /// The minutes in which the person's devices recorded a sign of anybody; the band has no meaning.
  var recorded: [ReportRun] = []
  /// The time near anybody, each minute in the band of the closest.
  var sums = ReportSums()
  /// The closest on that day, in descending order.
  var lanes: [Lane] = []
}

/// A person with a section of its own.
struct ReportPerson: Sendable {
  /// The index in `WardContent.whos`.
  let who: Int
  var days: [ReportDay] = []
  /// The time near anybody, each minute in the band of the closest.
  var sums = ReportSums()
  /// Seconds at each attenuation in dB, over all pairs.
  var attenuations = [Int](repeating: 0, count: 127)
  /// Seconds in which the person's devices heard others that have a device, and the reverse.
  var heard = 0
  var heardBack = 0
}
