import ArgumentParser
import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldSimulation

/// `herald-host practice`
struct Practice: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes what the badges of a made-up ward would have recorded, for learning without hardware.",
    discussion: """
      DIR gets the folders of logs as `log pull` leaves them (logs), people.csv, access keys (keys), what herald-node needs to go on as these badges \
      (nodes), and truth.json: a badge that was flat for days, one that is covered, one whose clock is wrong, three that lie in a box while nobody wears \
      them, a person with two badges in turn, and how long each two persons really were together. \
      The pages are written by the code of a device; persons, rooms and radio are simulated. The same options give the same files.
        herald-host practice ward
        herald-host archive add ward/logs --archive ward/ward.sqlite --people ward/people.csv
        herald-host report --archive ward/ward.sqlite --output ward/report.html
      docs/ward.md goes on from there. No device is needed.
      """)

  @Argument(help: ArgumentHelp("A folder that is new, or empty.", valueName: "dir"))
  var dir: String
  @Option(
    help: ArgumentHelp(
      "How many badges, \(PracticeWard.Setting.badgeRange.lowerBound) to \(PracticeWard.Setting.badgeRange.upperBound).",
      valueName: "number"))
  var devices = 12
  @Option(
    help: ArgumentHelp(
      "How many days, \(PracticeWard.Setting.dayRange.lowerBound) to \(PracticeWard.Setting.dayRange.upperBound).",
      valueName: "number"))
  var days = 5
  @Option(help: ArgumentHelp("Another number, another history.", valueName: "number"))
  var seed: UInt64 = 1
  @Option(help: ArgumentHelp("The first day.", valueName: "day"))
  var from = "2026-09-14"
  @Option(
    help: ArgumentHelp(
      "The time zone of the ward, as in Europe/Berlin (default: this computer's).", valueName: "zone"))
  var zone: String?
  @OptionGroup var display: DisplayOptions

  mutating func validate() throws {
    guard PracticeWard.Setting.badgeRange.contains(devices) else {
      throw ValidationError(
        "--devices takes \(PracticeWard.Setting.badgeRange.lowerBound) to \(PracticeWard.Setting.badgeRange.upperBound): fewer have not one badge of each kind."
      )
    }
    guard PracticeWard.Setting.dayRange.contains(days) else {
      throw ValidationError(
        "--days takes \(PracticeWard.Setting.dayRange.lowerBound) to \(PracticeWard.Setting.dayRange.upperBound): devices keep records for 14 days."
      )
    }
  }

  private struct Row: Encodable {
    let folder: String
    let devices: Int
    let people: Int
    let days: Int
    let pages: Int
    let bytes: Int
  }

  func run() throws {
    guard let day = LocalDays.day(from), (10_957...40_000).contains(day) else {
      throw HostLinkError(
        .usage, "\"\(from)\" is no day from 2000 to 2079", advice: "write it as in 2026-09-14")
    }
    let zone = try LocalDays(zone: zone ?? LocalDays.systemZone())
    var setting = PracticeWard.Setting(begin: UInt64(clamping: zone.begin(ofDay: day)))
    (setting.badges, setting.days, setting.seed) = (devices, days, seed)
    let folder = try PracticeFolder(dir)
    let ward = try PracticeWard(setting)
    try folder.write(ward, zone: zone)
    let row = Row(
      folder: dir, devices: ward.badges.count, people: ward.people.count, days: days,
      pages: ward.badges.reduce(0) { $0 + $1.pages.count },
      bytes: ward.badges.reduce(0) { $0 + $1.pages.reduce(0) { $0 + $1.bytes.count } })
    try display.show(row) {
      Console.line(
        "\(dir) has the logs of \(row.devices) badges of \(row.people) persons, \(days) days from \(from) on in \(zone.zone): \(row.pages) pages, \(Console.size(row.bytes))."
      )
      Console.line("\(dir)/README.txt says what to try, \(dir)/truth.json what is to be found.")
    }
  }
}
