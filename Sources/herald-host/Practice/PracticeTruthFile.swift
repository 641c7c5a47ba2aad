import Foundation
import HeraldArchive
import HeraldHostLink
import HeraldSimulation

/// `truth.json`: the truth of a practice ward with names, serial numbers and dates.
struct PracticeTruthFile: Encodable {
  private struct Wearer: Encodable {
    let person: String
    let serial: String
    var from: String?
    var to: String?
    var seconds: UInt64?
    var hasMotionSensor: Bool?
  }

  private struct Exchange: Encodable {
    let person: String
    let serials: [String]
    let at: String
  }

  private struct Together: Encodable {
    let people: [String]
    let day: Int64
    let minutesNear: Int
    let minutesInOneRoom: Int
  }

  private let seed: UInt64
  private let zone: String
  private let flat: Wearer
  private let covered: Wearer
  private let fast: Wearer
  private let boxed: [Wearer]
  private let exchanged: Exchange
  private let together: [Together]

  init(_ ward: PracticeWard, _ zone: LocalDays) {
    let truth = ward.truth
    func wearer(_ who: PracticeTruth.Wearer) -> Wearer {
      Wearer(person: ward.people[who.person].name, serial: ward.badges[who.badge].serial)
    }
    func date(_ milliseconds: UInt64) -> String { zone.text(of: Int64(clamping: milliseconds)) }
    seed = ward.setting.seed
    self.zone = zone.zone
    var flat = wearer(truth.flat)
    (flat.from, flat.to) = (date(truth.flatTime.lowerBound), date(truth.flatTime.upperBound))
    self.flat = flat
    covered = wearer(truth.covered)
    var fast = wearer(truth.fast)
    fast.seconds = truth.fastBy / 1000
    self.fast = fast
    boxed = truth.boxed.map {
      var boxed = wearer($0)
      boxed.hasMotionSensor = ward.badges[$0.badge].hasMotionSensor
      return boxed
    }
    exchanged = Exchange(
      person: ward.people[truth.exchanged.person].name,
      serials: [truth.exchanged.badge, truth.second].map { ward.badges[$0].serial },
      at: date(truth.exchangedAt))
    let first = zone.day(of: Int64(clamping: ward.setting.begin))
    together = truth.together.map { pair in
      Together(
        people: pair.people.map { ward.people[$0].name },
        day: LocalDays.number(ofDay: first + Int64(pair.day)), minutesNear: pair.near,
        minutesInOneRoom: pair.inOneRoom)
    }
  }

  /// The file.
  func json() throws(HostLinkError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    guard let data = try? encoder.encode(self) else {
      throw HostLinkError(.storage, "the truth of the ward cannot be written as JSON")
    }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
