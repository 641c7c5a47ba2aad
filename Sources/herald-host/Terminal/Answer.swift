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
    /// A badge, by the person to whom it is assigned, or its serial number.
    struct Badge: Encodable {
      let who: String
      let seconds: Int64
    }

    let badges: Int
    let seconds: Int64
    /// The badges, the one with the most time first.
    let who: [Badge]

    init(_ figures: [MeetingFigures]) {
      func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
      }
      var found: [Int64: Badge] = [:]
      for meeting in figures {
        for who in [meeting.who, meeting.other] where who.kind == .unworn {
          let known = found[who.id]?.seconds ?? 0
          found[who.id] = Badge(who: who.label, seconds: sum(known, meeting.seconds))
        }
      }
      badges = found.count
      seconds = figures.reduce(0) { sum($0, $1.seconds) }
      who = found.sorted {
        ($1.value.seconds, $0.value.who, $0.key) < ($0.value.seconds, $1.value.who, $1.key)
      }
      .map(\.value)
    }
  }

  /// The maximum number of persons who are listed below a table.
  private static let mostListed = 20

  private let archive: Archive
  private let query: MeetingQuery
  private let coverage: QueryCoverage
  private let shares: [String: DirectionShare]
  private let unworn: Unworn
  /// The devices of all of them that had a wrong date.
  private let clocks: [ClockFinding]

  /// - Parameter found: the names of those in the rows.
  init(_ archive: Archive, _ query: MeetingQuery, found: Set<String>) throws(HostLinkError) {
    (self.archive, self.query) = (archive, query)
    coverage = try QueryCoverage(archive, query, found: found)
    let labels = [query.person, query.other].compactMap(\.self)
    clocks = try archive.deviceClocks.findings(
      of: query.days ?? 0...99_991_231,
      about: Set(coverage.all.map(\.label)).union(labels).union(found))
    let kinds = Dictionary(coverage.all.map { ($0.label, $0.kind) }) { first, _ in first }
    var shares: [String: DirectionShare] = [:]
    for share in try CoverageReader(archive).directionShares(days: query.days ?? 0...99_991_231)
    where kinds[share.who.label] == share.who.kind {
      shares[share.who.label] = share
    }
    self.shares = shares
    unworn = Unworn(query.withUnworn ? [] : try archive.unwornFigures(query))
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
      coverage: coverage.all.map { CoverageRow($0, shares[$0.label]) }, clockFindings: clocks)
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
    for coverage in coverage.all {
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
        "Left out: \(unworn.seconds / 60) min with \(Console.count(unworn.badges, "badge")) that nobody wore: \(Self.names(unworn.who.map(\.who))) (--unworn shows them)."
      )
    }
    for coverage in coverage.asked { Console.line(CoverageText.sentence(coverage) + ".") }
    // Those of whom the least is recorded come first.
    let sorted = coverage.others.sorted { ($0.recorded, $0.label) < ($1.recorded, $1.label) }
    for coverage in sorted.prefix(Self.mostListed) { Console.line(CoverageText.sentence(coverage) + ".") }
    if sorted.count > Self.mostListed {
      Console.line("… and \(sorted.count - Self.mostListed) more: `herald-host archive coverage` lists all.")
    }
    for coverage in coverage.all { showShare(of: coverage) }
    for finding in clocks.prefix(Self.mostListed) {
      Console.line("Check: \(finding.text): \(finding.advice).")
    }
  }

  /// The first of some names, and how many more there are.
  private static func names(_ names: [String]) -> String {
    let shown = names.prefix(mostListed).map { PrintableText.name($0) }.joined(separator: ", ")
    return names.count > mostListed ? "\(shown) and \(names.count - mostListed) more" : shown
  }

  /// Says on standard error of whom a table without room for it has no rows because nothing is recorded.
  func noteUnrecorded() {
    let names = coverage.all.filter(\.isUnrecorded).map(\.label)
    guard !names.isEmpty else { return }
    Console.note("Nothing is recorded of \(Self.names(names)) in that time: no row does not mean nobody.")
  }

  private func showShare(of coverage: Coverage) {
    guard let share = shares[coverage.label], let finding = share.finding else { return }
    Console.line(
      "Check \(PrintableText.name(coverage.label)): received others for \(share.heardSeconds / 60) min and was received for \(share.wasHeardSeconds / 60) min: \(finding)."
    )
  }

  /// Checks that the time of the query is one of the archive's.
  /// - Throws: `.unrecorded` if the archive has no record with a date, or none in that time.
  static func checkDays(_ archive: Archive, _ days: ClosedRange<Int64>?) throws(HostLinkError) {
    guard let recorded = try CoverageReader(archive).recordedDays() else {
      throw HostLinkError(
        .unrecorded, "\(archive.location) has no record with a date",
        advice: "add pulled logs: `herald-host archive add DIR --archive FILE`")
    }
    let first = LocalDays.number(ofDay: recorded.lowerBound)
    let last = LocalDays.number(ofDay: recorded.upperBound)
    if let days, days.upperBound < first || days.lowerBound > last {
      throw HostLinkError(
        .unrecorded,
        "\(Self.text(days)) is outside the archive, whose records are from \(CivilDay.text(first)) to \(CivilDay.text(last))",
        advice: "ask for a day of these, or add the logs of that time")
    }
  }

  /// What an answer without rows means, after the result was printed.
  /// - Throws: `.unrecorded` if it does not mean that there was nobody.
  func checkEmpty(isQuiet: Bool) throws(HostLinkError) {
    let advice = "`herald-host archive coverage` shows what is recorded of whom"
    try Self.checkDays(archive, query.days)
    if let missing = coverage.asked.first(where: \.isUnrecorded) {
      throw HostLinkError(
        .unrecorded, "nobody can say who was near: \(CoverageText.sentence(missing))", advice: advice)
    }
    if coverage.isNobodyRecorded {
      throw HostLinkError(
        .unrecorded,
        "nobody can say who was near: nothing is recorded of any of those who could have been", advice: advice
      )
    }
    guard !isQuiet else { return }
    let times = coverage.asked.map { CoverageText.hours($0.recorded) }
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
