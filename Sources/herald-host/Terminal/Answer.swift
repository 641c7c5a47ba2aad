import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

/// What an answer about persons or devices says beside its rows: of which time something is recorded, what
/// counts as near, and what was left out.
struct Answer {
  /// Badges that nobody wears, and the minutes that were left out for them.
  struct Unworn: Encodable {
    let badges: Int
    let seconds: Int64
  }

  /// The maximum number of persons who are listed below a table.
  private static let mostListed = 20

  private let archive: Archive
  private let query: MeetingQuery
  /// Of those who are asked for.
  private let asked: [Coverage]
  /// Of those in the rows.
  private let others: [Coverage]
  private let shares: [String: DirectionShare]
  private let unworn: Unworn
  /// The devices of all of them that had a wrong date.
  private let clocks: [ClockFinding]

  /// - Parameters:
  ///   - labels: those who are asked for; none if it is about all.
  ///   - found: those in the rows.
  init(_ archive: Archive, _ query: MeetingQuery, about labels: [String], found: Set<String>)
    throws(HostLinkError)
  {
    (self.archive, self.query) = (archive, query)
    var asked: [Coverage] = []
    var others: [Coverage] = []
    if let time = try CoverageReader(archive).time(of: query.days) {
      for label in labels {
        if let coverage = try archive.coverage(of: label, from: time.from, to: time.to) {
          asked.append(coverage)
        }
      }
      let isAboutAll = labels.isEmpty && found.isEmpty && query.role == nil && query.place == nil
      others = try archive.coverages(from: time.from, to: time.to).filter { coverage in
        (isAboutAll || found.contains(coverage.label)) && !asked.contains { $0.label == coverage.label }
      }
    }
    (self.asked, self.others) = (asked, others)
    clocks = try archive.deviceClocks.findings(
      of: query.days ?? 0...99_991_231, about: Set((asked + others).map(\.label)).union(labels).union(found))
    let all = asked + others
    var shares: [String: DirectionShare] = [:]
    for share in try CoverageReader(archive).directionShares(days: query.days ?? 0...99_991_231)
    where all.contains(where: { $0.label == share.who.label && $0.kind == share.who.kind }) {
      shares[share.who.label] = share
    }
    self.shares = shares
    let left = query.withUnworn ? [] : try archive.unwornFigures(query)
    let badges = Set(left.flatMap { [$0.who, $0.other] }.filter { $0.kind == .unworn }.map(\.id))
    unworn = Unworn(
      badges: badges.count,
      seconds: left.reduce(0) {
        let (sum, overflow) = $0.addingReportingOverflow($1.seconds)
        return overflow ? .max : sum
      })
  }

  // MARK: For programs

  /// What counts as near, in words.
  var strength: String { Self.strength(query.within) }

  /// The same of a limit in dB, `nil` for none.
  static func strength(_ within: Int?) -> String {
    within.map { "minutes of at most \($0) dB" } ?? "received at any strength, up to a whole room"
  }

  /// The fields of JSON.
  struct Fields: Encodable {
    let from: String?
    let to: String?
    let withinDb: Int?
    let strength: String
    let unworn: Unworn
    let coverage: [CoverageRow]
    let clockFindings: [ClockFinding]
  }

  var fields: Fields {
    let days = query.days
    return Fields(
      from: days.flatMap { $0.lowerBound > 0 ? CivilDay.text($0.lowerBound) : nil },
      to: days.flatMap { $0.upperBound < 99_991_231 ? CivilDay.text($0.upperBound) : nil },
      withinDb: query.within, strength: strength, unworn: unworn,
      coverage: (asked + others).map { CoverageRow($0, shares[$0.label]) }, clockFindings: clocks)
  }

  /// The recorded minutes of persons and devices on each day.
  struct RecordedDays {
    fileprivate var minutes: [String: [String: Double]] = [:]

    /// The minutes of a day, written as 2026-09-14; `nil` for somebody without a log.
    func minutes(of who: Who, day: String) -> Double? {
      guard who.kind == .person || who.kind == .device else { return nil }
      return minutes[who.label]?[day]
    }
  }

  /// The recorded minutes of those in the answer.
  func recordedDays() throws(HostLinkError) -> RecordedDays {
    var days = RecordedDays()
    for coverage in asked + others {
      for (day, part) in CoverageReader(archive).days(of: coverage) {
        days.minutes[coverage.label, default: [:]][LocalDays.text(ofDay: day)] =
          Double(part.recorded) / 60_000
      }
    }
    return days
  }

  // MARK: For people

  /// Prints what is recorded and what was left out, below a table.
  func show() {
    Console.line("")
    Console.line("Contacts are \(strength)\(query.within == nil ? "; --within 63 restricts them" : "").")
    if unworn.seconds > 0 {
      Console.line(
        "Left out: \(unworn.seconds / 60) min with \(Console.count(unworn.badges, "badge")) that nobody wore (--unworn shows them)."
      )
    }
    for coverage in asked { Console.line(CoverageText.sentence(coverage) + ".") }
    // Those of whom the least is recorded come first.
    let sorted = others.sorted { ($0.recorded, $0.label) < ($1.recorded, $1.label) }
    for coverage in sorted.prefix(Self.mostListed) { Console.line(CoverageText.sentence(coverage) + ".") }
    if sorted.count > Self.mostListed {
      Console.line("… and \(sorted.count - Self.mostListed) more: `herald-host archive coverage` lists all.")
    }
    for coverage in asked + others { showShare(of: coverage) }
    for finding in clocks.prefix(Self.mostListed) {
      Console.line("Check: \(finding.text): \(finding.advice).")
    }
  }

  private func showShare(of coverage: Coverage) {
    guard let share = shares[coverage.label], let finding = share.finding else { return }
    Console.line(
      "Check \(PrintableText.name(coverage.label)): received others for \(share.heardSeconds / 60) min and was received for \(share.wasHeardSeconds / 60) min: \(finding)."
    )
  }

  /// What an answer without rows means, after the result was printed.
  /// - Throws: `.unrecorded` if it does not mean that there was nobody.
  func checkEmpty(isQuiet: Bool) throws(HostLinkError) {
    let advice = "`herald-host archive coverage` shows what is recorded of whom"
    guard let recorded = try CoverageReader(archive).recordedDays() else {
      throw HostLinkError(
        .unrecorded, "\(archive.location) has no record with a date",
        advice: "add pulled logs: `herald-host archive add DIR --archive FILE`")
    }
    let first = LocalDays.number(ofDay: recorded.lowerBound)
    let last = LocalDays.number(ofDay: recorded.upperBound)
    if let days = query.days, days.upperBound < first || days.lowerBound > last {
      throw HostLinkError(
        .unrecorded,
        "\(Self.text(days)) is outside the archive, whose records are from \(CivilDay.text(first)) to \(CivilDay.text(last))",
        advice: "ask for a day of these, or add the logs of that time")
    }
    if let missing = asked.first(where: \.isUnrecorded) {
      throw HostLinkError(
        .unrecorded, "nobody can say who was near: \(CoverageText.sentence(missing))", advice: advice)
    }
    if asked.isEmpty, !others.isEmpty, others.allSatisfy(\.isUnrecorded) {
      throw HostLinkError(
        .unrecorded,
        "nobody can say who was near: nothing is recorded of any of the \(others.count) persons and devices in that time",
        advice: advice)
    }
    guard !isQuiet else { return }
    let times = asked.map { CoverageText.hours($0.recorded) }
    Console.line(
      times.isEmpty
        ? "No contacts." : "No contacts in the \(times.joined(separator: " and ")) that are recorded.")
  }

  private static func text(_ days: ClosedRange<Int64>) -> String {
    days.lowerBound == days.upperBound
      ? CivilDay.text(days.lowerBound)
      : "the time from \(CivilDay.text(max(days.lowerBound, 19_700_101))) to \(CivilDay.text(days.upperBound))"
  }
}
