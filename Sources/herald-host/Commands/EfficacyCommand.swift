import ArgumentParser
import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

/// `herald-host efficacy`
struct EfficacyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "efficacy",
    abstract: "Counts who detected whom, and how continuously, as Herald's formal test summaries do.",
    discussion: """
      Reads contacts.csv and detection.csv of devices that were together: folders of Herald phones, and of `herald-host log pull`. \
      Detection: the ordered pairs of devices of which the first has an event of the second. Continuity: the windows of 30 s of the \
      period with an event, for each ordered pair, counted from the observer's first event in the period. Events are measurements and \
      shares. docs/archive.md has the formulas.

      TIME is 2026-09-14T08:30:00, also with a blank, without seconds, or with an offset (Z, +0100); without one it is of --zone.

      Example: `herald-host efficacy logs/* --from 2026-11-03T09:00 --to 2026-11-03T17:00`
      """)

  @Argument(help: "Folders of devices, or folders with such folders.")
  var dir: [String]
  @Option(
    help: ArgumentHelp(
      "The start of the period (default: when the last device has begun to record).", valueName: "time"))
  var from: String?
  @Option(
    help: ArgumentHelp(
      "The end of the period (default: when the first device has ended to record).", valueName: "time"))
  var to: String?
  @Option(
    help: ArgumentHelp("Count rows for detection from here (default: all rows).", valueName: "time"))
  var detectionFrom: String?
  @Option(help: ArgumentHelp("Count rows for detection to there (default: all rows).", valueName: "time"))
  var detectionTo: String?
  @Option(
    help: ArgumentHelp(
      "The time zone of dates without an offset, as iPhones write them: a name such as Europe/London.",
      valueName: "zone"))
  var zone = "UTC"
  @Option(
    help: ArgumentHelp(
      "Add seconds to the dates of a device, by the name of its folder or of its system: Android=3600; may be repeated.",
      valueName: "name=seconds"))
  var shift: [String] = []
  @Option(
    help: """
      How the device of a share is found: by the address of the row, or by the payload in it, as Herald's script of 2023 does.
      """)
  var shares = Efficacy.ShareRule.address
  @Flag(help: "Print a row for each ordered pair as CSV.")
  var csv = false
  @OptionGroup var display: DisplayOptions

  mutating func validate() throws {
    guard !csv || !display.json else { throw ValidationError("Name either --json or --csv.") }
  }

  func run() throws {
    let rules = try rules()
    let bar = ProgressLine(isQuiet: display.quiet)
    let efficacy = try Efficacy(try RecordingFolder.search(dir), rules) {
      bar.update(done: $0, of: $1, text: "reading")
    }
    bar.finish()
    for device in efficacy.devices { remark(device, of: efficacy) }
    let answer = EfficacyAnswer(efficacy, days: rules.days, shares: shares)
    if csv {
      Console.data(Array(answer.csv.utf8))
    } else {
      try display.show(answer) { answer.print() }
    }
  }

  private func rules() throws(HostLinkError) -> Efficacy.Rules {
    var rules = Efficacy.Rules()
    rules.days = try LocalDays(zone: LocalDays.zone(named: zone))
    rules.shares = shares
    rules.from = try time(from, "--from", rules.days)
    rules.to = try time(to, "--to", rules.days)
    rules.detectionFrom = try time(detectionFrom, "--detection-from", rules.days)
    rules.detectionTo = try time(detectionTo, "--detection-to", rules.days)
    for text in shift {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // More than the difference of any two clocks of use, and far from overflow.
      guard parts.count == 2, let seconds = Int64(parts[1]), abs(seconds) <= 4_000_000_000 else {
        throw HostLinkError(
          .usage, "--shift \(PrintableText.of(text)) is not a name and seconds", advice: "write Android=3600")
      }
      rules.shifts[String(parts[0])] = seconds
    }
    return rules
  }

  private func time(_ text: String?, _ option: String, _ days: LocalDays) throws(HostLinkError) -> Int64? {
    guard let text else { return nil }
    if let offsets = days.repeatedTime(text) {
      throw HostLinkError(
        .usage, "\(option) \(PrintableText.of(text)) is twice in \(days.zone), as clocks are put back",
        advice: "add its offset from UTC: \(offsets)")
    }
    guard let date = days.moment(text) else {
      throw HostLinkError(
        .usage, "\(option) \(PrintableText.of(text)) is not a date", advice: "write 2026-09-14T08:30:00")
    }
    return date
  }

  private func remark(_ device: Efficacy.Device, of efficacy: Efficacy) {
    let name = PrintableText.of(device.recording.path, limit: 400)
    let pairs =
      "\(efficacy.devices.count - 1) of \(Console.count(efficacy.pairs.count, "pair")) count as not detected"
    if device.rows == 0 {
      Console.note("herald-host: \(name)/contacts.csv has no rows: as observer, \(pairs)")
    }
    if device.recording.payload.isEmpty {
      Console.note(
        "herald-host: \(name)/detection.csv does not say what the device sent: as observed device, \(pairs)"
      )
    }
    if device.damagedRows > 0 {
      Console.note(
        "herald-host: \(share(device.damagedRows, device)) of \(name)/contacts.csv left out: not complete"
      )
    }
    if device.undatedRows > 0 {
      Console.note(
        "herald-host: \(share(device.undatedRows, device)) of \(name)/contacts.csv left out: no date that can be read\(device.unreadDate.map { ", such as \"\($0)\"" } ?? "")"
      )
    }
    if device.unknownRows > 0 {
      Console.note(
        "herald-host: \(share(device.unknownRows, device)) of \(name)/contacts.csv left out: no kind that is known\(device.unknownField.map { ", such as \"\($0)\"" } ?? "")"
      )
    }
    if device.ambiguousRows > 0 {
      Console.note(
        "herald-host: \(share(device.ambiguousRows, device)) of \(name)/contacts.csv have a local time that there is twice, as clocks are put back: the first is taken"
      )
    }
  }

  /// Some of the rows of a device: `3 of 61 rows (4.9 %)`.
  private func share(_ rows: Int, _ device: Efficacy.Device) -> String {
    let percent = String(format: "%.1f", Efficacy.percent(rows, of: device.rows))
    return "\(rows.groupedDigits) of \(Console.count(device.rows, "row")) (\(percent) %)"
  }
}

extension Efficacy.ShareRule: ExpressibleByArgument {}
