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
      It tells whom somebody met: keep it accordingly. Below the table it says what is recorded of both sides; exit status 12: nothing is, so \
      that an empty answer says nothing.
      Example: `herald-host contacts --archive ward.sqlite --day 2026-09-14 --person Anna --minutes 15 --within 63`
      """)

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup var which: MeetingOptions
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
  @Option(
    help: ArgumentHelp(
      "A calibration, from which distances are estimated; its error is shown beside them.", valueName: "file"
    ))
  var calibration: String?
  @Flag(help: "Print the rows as CSV.")
  var csv = false
  @OptionGroup var display: DisplayOptions

  mutating func validate() throws {
    guard !(each && directions) else {
      throw ValidationError("A contact joins both directions: --each and --directions exclude each other.")
    }
    guard !(csv && display.json) else { throw ValidationError("--csv and --json exclude each other.") }
  }

  func run() throws {
    let model = try calibration.map { path throws(HostLinkError) in try DistanceCalibration(reading: path) }
    try archive.answer(display, window: which.window) { try show($0, model) }
  }

  private func show(_ archive: Archive, _ model: DistanceCalibration?) throws {
    let bands = try ContactBands(limits: self.bands ?? archive.rules.bandLimits, weights: weights)
    var query = which.query(archive.rules)
    var rows: [ContactRow] = []
    if each {
      try archive.contacts(query) { (contact: PairContact) throws(HostLinkError) in
        guard contact.period.windows.seconds >= which.least.seconds else { return }
        rows.append(ContactRow(contact, archive.days, bands, model))
      }
    } else {
      query.leastSeconds = which.least.seconds
      try archive.meetings(query) { (meeting: DayMeeting) throws(HostLinkError) in
        rows.append(ContactRow(meeting, archive.days, bands, model))
      }
    }
    let answer = try Answer(archive, query, found: Set(rows.flatMap { [$0.who.label, $0.other.label] }))
    let print = ContactTable(
      archive: archive, bands: bands, calibration: model, isEach: each, hasDirections: directions,
      answer: answer)
    if csv {
      try print.printCSV(rows)
      if !display.quiet { answer.noteUnrecorded() }
    } else {
      try display.show(print.json(rows)) { print.printTable(rows) }
    }
    if rows.isEmpty { try answer.checkEmpty(isQuiet: csv || display.json || display.quiet) }
  }
}
