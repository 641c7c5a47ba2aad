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

  /// The seconds that one direction must have before both are compared.
  static let leastSeconds = 1800
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
    for person in content.people { findings += asymmetries(person, content) }
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

  private static func asymmetries(_ person: ReportPerson, _ content: WardContent) -> [ReportFinding] {
    let (most, least) = (max(person.heard, person.heardBack), min(person.heard, person.heardBack))
    guard most >= leastSeconds, least * 2 < most else { return [] }
    let who = content.whos[person.who]
    let minutes = (ReportText.minutes(person.heard), ReportText.minutes(person.heardBack))
    let what = "heard the others for \(minutes.0) min and was heard by them for \(minutes.1) min"
    let advice =
      person.heard < person.heardBack
      ? "its receiver was covered, it was off for a part of the time, or it did not log"
      : "it was covered, or transmitted seldom: look at its battery"
    return [ReportFinding(about: who.label, who: person.who, what: what, advice: advice)]
  }

  private static func findings(_ device: ReportDevice, _ end: Int64, _ content: WardContent)
    -> [ReportFinding]
  {
    var findings: [ReportFinding] = []
    let name = content.name(of: device)
    func found(_ what: String, _ advice: String) {
      findings.append(ReportFinding(about: name, who: device.wearers.first, what: what, advice: advice))
    }
    if let last = device.last, end - last > earlyEnd {
      found(
        "its log ends on \(ReportText.moment(last, content.days)), \(DurationText.of(seconds: (end - last) / 1000)) before the last of all",
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
