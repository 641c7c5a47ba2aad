import ArgumentParser
import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

/// `herald-host contacts`
struct Contacts: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says who was near whom, when, how long, and how strongly.",
    discussion: """
      Each row is two who met on a day: the minutes in which one of them heard the other, in bands of attenuation (transmit power minus RSSI, the \
      median of a minute), and weighted. With --each it is a contact, with begin, end and gaps. Who is not a person of --people is a device, a \
      place, a payload or an address, and the row says which. docs/contacts.md has the formulas and their sources. \
      It tells whom somebody met: keep it accordingly.
      """)

  @OptionGroup var archive: ArchiveOptions
  @Option(help: ArgumentHelp("Only this day, yyyy-mm-dd.", valueName: "date"), transform: Self.day)
  var day: Int64?
  @Option(
    help: ArgumentHelp(
      "Only contacts of this one: a name, a serial number, a payload or an address.", valueName: "name"))
  var person: String?
  @Option(help: ArgumentHelp("Only contacts of people with this role.", valueName: "role"))
  var role: String?
  @Option(help: ArgumentHelp("Only what lasted at least this long.", valueName: "minutes"))
  var minMinutes: Double = 0
  @Flag(help: "A row for each contact, with begin, end and gaps, instead of one for a day.")
  var each = false
  @Flag(help: "Also what each of the two heard of the other.")
  var directions = false
  @Option(
    help: ArgumentHelp(
      "The upper limits in dB of the bands but the last; the default is that of the archive.",
      valueName: "dB,…"),
    transform: ContactNumbers.integers)
  var bands: [Int]?
  @Option(
    help: ArgumentHelp(
      "The weight of a minute in each band; the default for four bands is 1.5,1,0.4,0.", valueName: "number,…"
    ),
    transform: ContactNumbers.decimals)
  var weights: [Double]?
  @Option(help: ArgumentHelp("The length of a window: 30, or 20 as SocioPatterns has.", valueName: "seconds"))
  var window: Int?
  @Option(
    help: ArgumentHelp(
      "A calibration, from which distances are estimated; its error is shown beside them.", valueName: "file"
    ))
  var calibration: String?
  @Flag(help: "Print the rows as CSV.")
  var csv = false
  @OptionGroup var display: DisplayOptions

  mutating func validate() throws {
    guard minMinutes >= 0, minMinutes <= 1_000_000 else {
      throw ValidationError("--min-minutes takes a number of minutes from 0.")
    }
    guard !(each && directions) else {
      throw ValidationError("A contact joins both directions: --each and --directions exclude each other.")
    }
    guard !(csv && display.json) else { throw ValidationError("--csv and --json exclude each other.") }
    if let window, !ContactRules.windows.contains(window) {
      throw ValidationError("--window takes 30 or 20.")
    }
  }

  func run() throws {
    let model = try calibration.map { path throws(HostLinkError) in try DistanceCalibration(reading: path) }
    let archive = try self.archive.open(display, window: window)
    let bands = try ContactBands(limits: self.bands ?? archive.rules.bandLimits, weights: weights)
    let print = ContactTable(
      archive: archive, bands: bands, calibration: model, isEach: each, hasDirections: directions)
    var query = MeetingQuery()
    query.day = day
    query.person = person
    query.role = role
    let least = Int((minMinutes * 60).rounded(.up))
    var rows: [ContactRow] = []
    if each {
      try archive.contacts(query) { (contact: PairContact) throws(HostLinkError) in
        guard contact.period.windows.seconds >= least else { return }
        rows.append(ContactRow(contact, archive.days, bands, model))
      }
    } else {
      query.leastSeconds = least
      try archive.meetings(query) { (meeting: DayMeeting) throws(HostLinkError) in
        rows.append(ContactRow(meeting, archive.days, bands, model))
      }
    }
    if csv {
      print.printCSV(rows)
    } else {
      try display.show(print.json(rows)) { print.printTable(rows) }
    }
  }

  private static func day(_ text: String) throws -> Int64 {
    guard let day = LocalDays.day(text) else {
      throw ValidationError("\(PrintableText.of(text)) is no date of the form yyyy-mm-dd.")
    }
    return day
  }
}
