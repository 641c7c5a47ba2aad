import HeraldHostLink
import HeraldText

/// Something that a person who reads a report has to know before its numbers, such as a badge that was
/// covered.
struct ReportFinding: Equatable, Sendable {
  /// What it is about: a person or a device.
  let about: String
  /// The place of the person in `WardContent.whos`, if it is about one.
  let who: Int?
  /// What was found.
  let what: String
  /// What it may mean, or what to do.
  let advice: String

  /// The time in milliseconds without power or pages that is named: one hour.
  private static let leastUnrecorded: Int64 = 3_600_000
  /// The maximum number of pairs that are named.
  private static let mostPairs = 20
  /// The battery level in percent below which a device is named.
  static let lowBattery: Int64 = 20
  /// The time in milliseconds by which a log may end before the last of all.
  static let earlyEnd: Int64 = 86_400_000

  /// The time in hours that a battery should last at least, from its last level on: to the next day.
  static let leastBatteryHours = 24.0

  /// Whether a battery does not last until the next day, without another supply.
  static func isShort(_ device: ReportDevice) -> Bool {
    guard let life = device.outlook?.life, life.percent != nil, !life.isExternal else { return false }
    return life.hours < leastBatteryHours
  }

  /// Everything found in a report's content.
  static func all(_ content: WardContent) -> [ReportFinding] {
    var findings: [ReportFinding] = []
    for (name, serials) in content.unrecorded {
      findings.append(
        ReportFinding(
          about: name, who: nil, what: "no record in these days (badge \(serials.joined(separator: ", ")))",
          advice: "pull its log, or see whether the badge was worn"))
    }
    findings += content.clockFindings.map { finding in
      let who = content.whos.firstIndex { finding.persons.contains($0.label) || $0.label == finding.device }
      return ReportFinding(about: finding.name, who: who, what: finding.predicate, advice: finding.advice)
    }
    findings += content.coverages.flatMap { unrecorded($0, content) }
    findings += content.lyingTogether.map { badge in
      ReportFinding(
        about: badge.name, who: content.whos.firstIndex { $0.label == badge.name },
        what:
          "the badge lay with \(badge.badges == 1 ? "another badge" : "\(badge.badges) other badges") for \(ReportText.minutes(badge.seconds)) min while nobody wore it",
        advice: "these minutes are not contacts of persons; see whether it should have been worn")
    }
    let directions = OneSidedDirections(content.comparablePairs)
    findings += directions.badges.map { oneSided($0, content) }
    findings += directions.pairs.prefix(mostPairs).map { oneSided($0, content) }
    let end = content.devices.compactMap(\.last).max() ?? 0
    let isAnySealed = content.devices.contains { $0.isSealed == true }
    for device in content.devices {
      findings += self.findings(device, end, content)
      guard isAnySealed, device.isSealed == false else { continue }
      findings.append(
        ReportFinding(
          about: content.name(of: device), who: device.wearers.first,
          what: "its log is not sealed, and those of others are",
          advice: "`herald-host config set log/owner-key FILE.pub` seals what it logs from then on"))
    }
    return findings
  }

  /// The time without power, and without pages, of a person or badge.
  private static func unrecorded(_ coverage: Coverage, _ content: WardContent) -> [ReportFinding] {
    let label = PrintableText.of(coverage.label, limit: 80)
    let states: [(CoverageState, String, String)] = [
      (.withoutPower, "had no power", "charge it, or replace the battery"),
      (
        .dropped, "has no pages in its log",
        "they were overwritten, erased, or are sealed: pull more often, or open them"
      ),
    ]
    return states.compactMap { state, words, advice in
      let spans = coverage.intervals.filter { $0.state == state }
      guard let longest = spans.max(by: { $0.length < $1.length }),
        coverage.milliseconds(state) >= leastUnrecorded
      else {
        return nil
      }
      let time = DurationText.of(seconds: coverage.milliseconds(state) / 1000)
      return ReportFinding(
        about: label, who: content.whos.firstIndex { $0.label == label },
        what:
          "the badge \(words) for \(time), longest from \(ReportText.moment(longest.from, content.days)) to \(ReportText.moment(longest.to, content.days))",
        advice: "nothing is known of that time; \(advice)")
    }
  }

  private static func oneSided(_ badge: OneSidedDirections.Badge, _ content: WardContent) -> ReportFinding {
    let (heard, back) = (ReportText.minutes(badge.heard), ReportText.minutes(badge.heardBack))
    let what =
      badge.heard == 0
      ? "heard nobody, and others heard it for \(back) min"
      : badge.heardBack == 0
        ? "heard the others for \(heard) min, and none of them heard it"
        : "heard the others for \(heard) min and was heard by them for \(back) min"
    let advice =
      badge.heard < badge.heardBack
      ? "it was covered, its receiver failed, or it did not log for a part of the time"
      : "it was covered, or transmitted seldom: look at its battery"
    return ReportFinding(about: content.whos[badge.who].label, who: badge.who, what: what, advice: advice)
  }

  private static func oneSided(_ pair: OneSidedDirections.Pair, _ content: WardContent) -> ReportFinding {
    let (one, other) = (content.whos[pair.one].label, content.whos[pair.other].label)
    return ReportFinding(
      about: "\(one) and \(other)", who: nil,
      what:
        "\(one) heard \(other) for \(ReportText.minutes(pair.heard)) min, and \(other) heard \(one) for \(ReportText.minutes(pair.heardBack)) min",
      advice: "one of both badges was covered or off for a part of the time: ask those who wore them")
  }

  private static func findings(_ device: ReportDevice, _ end: Int64, _ content: WardContent)
    -> [ReportFinding]
  {
    var findings: [ReportFinding] = []
    let name = content.name(of: device)
    func found(_ what: String, _ advice: String) {
      findings.append(ReportFinding(about: name, who: device.wearers.first, what: what, advice: advice))
    }
    // A badge that was handed back or exchanged has nothing to record afterwards.
    let end = min(end, device.wornUntil ?? end)
    if let last = device.last, case let missing = end.subtractingClamped(last), missing > earlyEnd {
      found(
        "its log ends on \(ReportText.moment(last, content.days)), \(DurationText.of(seconds: missing / 1000)) before \(end == device.wornUntil ? "it was handed back" : "the last of all")",
        "it was collected, or its battery was empty: pull its log again")
    }
    if let lowest = device.lowest, lowest < lowBattery {
      found("its battery was down to \(lowest) %", "charge it, or replace the battery")
    }
    if isShort(device), let life = device.outlook?.life, let level = device.latest {
      found(
        "its battery does not last until the next day: from \(ReportText.moment(level.date, content.days)) on, \(life.words)",
        "charge it, or replace the battery, before it is worn again")
    }
    if !device.faults.isEmpty {
      found(
        "it started \(device.faults.count) \(device.faults.count == 1 ? "time" : "times") after a fault",
        "`herald-host log convert` writes restarts.csv with the causes")
    }
    if let dropped = DroppedEventsText(device.dropped) { found(dropped.what, dropped.advice) }
    if device.undated > 0 {
      found(
        "\(device.undated.groupedDigits) readings have no date and are not in this report",
        "set the date of the device with `herald-host time sync` and pull again")
    }
    if device.refusedPages > 0 {
      found(
        "\(device.refusedPages) pages differ from pages of the same number in the archive",
        "find out which folder has the device's pages")
    }
    return findings
  }
}

extension WardContent {
  /// A device as people read it: those who wore it, or its serial number.
  func name(of device: ReportDevice) -> String {
    let serial = PrintableText.of(device.serial, limit: 40)
    let names = device.wearers.filter { whos[$0].kind == "person" }.map { whos[$0].label }
    return names.isEmpty ? "Badge \(serial)" : "\(names.joined(separator: ", ")) (badge \(serial))"
  }
}
