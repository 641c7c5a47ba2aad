import HeraldConsole
import HeraldHostLink
import HeraldText

/// The result of a pull or a conversion, for display and for JSON output.
struct PullResult: Encodable, Sendable {
  struct Contact: Encodable, Sendable {
    let payload: String
    let payloadHex: String
    let kind: PayloadDescription?
    let addresses: Int
    let firstSeen: String
    let lastSeen: String
    let presentSeconds: Int
    let readings: Int
    let strongestRssi: Int?
    let medianRssi: Int?

    init(_ contact: LogConversion.Contact) {
      payload = ShortPayload.text(contact.payload)
      payloadHex = contact.payload.hexadecimal
      kind = PayloadDescription(contact.payload)
      addresses = contact.addresses
      firstSeen = UTCTimestamp.json(contact.firstSeen)
      lastSeen = UTCTimestamp.json(contact.lastSeen)
      presentSeconds = contact.seconds
      readings = contact.readings
      strongestRssi = contact.strongest
      medianRssi = contact.median
    }
  }

  struct Pull: Encodable, Sendable {
    let epoch: UInt32
    let newPages: Int
    let knownPages: Int
    let lostPages: Int
    let bytes: Int
    let seconds: Double
    let isComplete: Bool
    /// Whether the device has proved that it has the access key.
    let isProved: Bool
    /// The files of pages that were not the device's, and are kept aside.
    let replacedPages: [String]
    /// The pages of which no session has shown that they are the device's.
    let unprovedPages: Int
    let problems: [String]
    let remarks: [String]
    let stoppedBy: String?
    /// The last acknowledged page.
    let trimmedThrough: UInt32?
    let trimmedPages: Int
    /// The page whose file differs from the device's data: it and the later pages were not erased.
    let differingPage: UInt32?
    /// The file of that page.
    let differingFile: String?
  }

  let folder: String
  let contactsFile: String
  let pages: Int
  let events: Int
  let readings: Int
  let undatedEvents: Int
  let droppedEvents: Int
  let unknownAddresses: Int
  let unknownReadings: Int
  let damagedPages: [String]
  /// The number of sealed pages that were not opened.
  let sealedPages: Int
  /// The contacts with the longest duration, at most 10,000.
  let contacts: [Contact]
  /// The number of all contacts.
  let contactCount: Int
  /// The number of events with an implausible date.
  let unbelievableDates: Int
  /// The number of events that are in no contact, as there are too many.
  let refusedEvents: Int
  let clockProblem: String?
  let pull: Pull?
  private let clock: HostLinkError?
  /// What to do about a pull that is not complete.
  private let advice: String?

  private enum CodingKeys: CodingKey {
    case folder, contactsFile, pages, events, readings, undatedEvents, droppedEvents, unknownAddresses,
      unknownReadings,
      damagedPages, sealedPages, contacts, contactCount, unbelievableDates, refusedEvents,
      clockProblem, pull
  }

  init(folder: String, conversion: LogConversion, report: PullReport?, clock: HostLinkError?) {
    self.folder = folder
    contactsFile = folder.hasSuffix("/") ? "\(folder)contacts.csv" : "\(folder)/contacts.csv"
    pages = conversion.pageCount
    events = conversion.events
    readings = conversion.readings
    undatedEvents = conversion.undatedEvents
    droppedEvents = conversion.droppedEvents
    unknownAddresses = conversion.unknownAddresses
    unknownReadings = conversion.unknownReadings
    damagedPages = conversion.damagedPages
    sealedPages = conversion.sealedPages
    contacts = conversion.contacts.map(Contact.init)
    contactCount = conversion.contactCount
    unbelievableDates = conversion.unbelievableDates
    refusedEvents = conversion.refusedEvents
    clockProblem = clock?.what
    self.clock = clock
    advice = report?.advice
    pull = report.map { report in
      Pull(
        epoch: report.epoch, newPages: report.newPages, knownPages: report.knownPages,
        lostPages: report.lostPages, bytes: report.bytes, seconds: report.seconds,
        isComplete: report.isComplete, isProved: report.isProved,
        replacedPages: report.replacedPages, unprovedPages: report.unprovedPages,
        problems: report.problems, remarks: report.remarks, stoppedBy: report.stoppedBy?.description,
        trimmedThrough: report.trimmedThrough, trimmedPages: report.trimmedPages,
        differingPage: report.differingPage,
        differingFile: report.differingPage.map { sequence in
          let name = PageName(epoch: report.epoch, sequence: sequence, isOpen: false).fileName
          return "\(folder.hasSuffix("/") ? folder : folder + "/")pages/\(name)"
        })
    }
  }

  /// The error of the entire pull; `nil` if it is complete and valid.
  var shortcoming: HostLinkError? {
    if let page = pull?.differingPage, let file = pull?.differingFile {
      return HostLinkError(
        .partial,
        "page \(page) of the device is not the one in \(file): the device has erased neither it nor later ones",
        advice:
          "that file came from elsewhere or was changed: move it away and run the same command again, which fetches the device's own page"
      )
    }
    if pull?.isComplete == false {
      return HostLinkError(.partial, "not all of the log is here; what is here is kept", advice: advice)
    }
    if let clock { return clock }
    if pull == nil, let sealed = SealedPagesText(sealedPages) {
      return HostLinkError(.partial, sealed.what, advice: sealed.advice)
    }
    guard pull != nil || damagedPages.isEmpty else {
      let count = Console.count(damagedPages.count, "page")
      let isAll = damagedPages.count < LogConversion.mostListed
      return HostLinkError(.partial, "\(isAll ? "" : "at least ")\(count) could not be read to the end")
    }
    return nil
  }

  /// The maximum number of contacts shown; the files contain all of them.
  private static let shown = 40

  /// Prints the result for display.
  func show() {
    if let pull {
      let speed = pull.seconds > 0.001 ? ", \(Int(Double(pull.bytes) / pull.seconds / 1000)) kB/s" : ""
      Console.line(
        "Fetched \(Console.count(pull.newPages, "page")) (\(Console.size(pull.bytes)) in "
          + "\(Double(Int(pull.seconds * 100)) / 100) s\(speed)); \(pull.knownPages) were here already.")
      if let last = pull.trimmedThrough {
        Console.line(
          "The device erases \(Console.count(pull.trimmedPages, "page")), up to number \(last): they are safe here."
        )
      }
      if let first = pull.replacedPages.first {
        let count = pull.replacedPages.count
        Console.line(
          "Note: \(Console.count(count, "page")) here \(count == 1 ? "was" : "were") not as the device has \(count == 1 ? "it" : "them"), "
            + "and \(count == 1 ? "is" : "are") replaced; kept aside as \(PrintableText.of(first, limit: 256))\(count == 1 ? "" : " and others beside it")."
        )
      }
      for remark in pull.remarks.prefix(10) { Console.line("Note: \(remark).") }
      if pull.lostPages > 0 {
        Console.line("Note: \(Console.count(pull.lostPages, "page")) were never fetched.")
      }
    }
    if contacts.isEmpty {
      Console.line("No payload has been read yet.")
    } else {
      var rows = [
        ["MET", "KIND", "FIRST SEEN (UTC)", "LAST SEEN (UTC)", "FOR", "READINGS", "STRONGEST", "MEDIAN"]
      ]
      for contact in contacts.prefix(Self.shown) {
        rows.append([
          contact.payload, contact.kind?.text ?? "-", Console.date(contact.firstSeen),
          Console.date(contact.lastSeen),
          DurationText.of(seconds: contact.presentSeconds), String(contact.readings),
          contact.strongestRssi.map { "\($0) dBm" } ?? "-", contact.medianRssi.map { "\($0) dBm" } ?? "-",
        ])
      }
      Console.printTable(rows, right: [4, 5, 6, 7])
      if contactCount > Self.shown { Console.line("… and \(contactCount - Self.shown) more.") }
    }
    if unknownAddresses > 0 {
      Console.line(
        "\(unknownReadings.groupedDigits) of \(Console.count(readings, "reading")) are of "
          + "\(unknownAddresses.groupedDigits) devices whose payload was not read.")
    }
    if undatedEvents > 0 {
      Console.line(
        "\(Console.count(undatedEvents, "event")) have no date and are not in the tables: nothing tells when the device "
          + "started then. They stay in \(folder)/pages.")
    }
    if unbelievableDates > 0 {
      Console.line(
        "\(Console.count(unbelievableDates, "event")) have a date that cannot be: before 2020, or in the future by this computer's "
          + "clock. The device's clock was wrong then.")
    }
    if refusedEvents > 0 {
      Console.line(
        "\(Console.count(refusedEvents, "event")) are of more addresses, payloads or contacts than a conversion holds, and are "
          + "in no contact. They are in the other tables.")
    }
    if pull != nil, let sealed = SealedPagesText(sealedPages) { Console.line("Note: \(sealed.what).") }
    if let dropped = DroppedEventsText(droppedEvents) {
      Console.line(dropped.what)
      Console.line("  → \(dropped.advice)")
    }
    Console.line("Contacts: \(contactsFile)")
  }
}
