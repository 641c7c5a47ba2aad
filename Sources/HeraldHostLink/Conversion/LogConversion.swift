import Foundation

/// A conversion of the pages of a folder to tables, and its summary.
///
/// It goes on where the last one has ended: the time for pages appended to the log is proportional to the
/// number of those pages, apart from the tables that are written anew. It begins with the first page if
/// earlier pages, tables or dates have changed. Of an unchanged folder, only the names, sizes and times of
/// its files are read.
///
/// Unbounded lists are limited, so that the size of the summary does not grow with the log.
public struct LogConversion: Sendable {
  /// A person whose payload was read.
  public struct Contact: Equatable, Sendable {
    /// The payload.
    public let payload: [UInt8]
    /// The number of addresses from which it was read.
    public let addresses: Int
    /// The begin of the first contact, in milliseconds since 1970.
    public let firstSeen: UInt64
    /// The end of the last contact, in milliseconds since 1970.
    public let lastSeen: UInt64
    /// The total duration of all contacts; see `ContactDuration`.
    public let seconds: Int
    /// The number of readings.
    public let readings: Int
    /// The strongest RSSI in dBm; `nil` without readings.
    public let strongest: Int?
    /// The median RSSI in dBm, the weaker of the middle two; `nil` without readings.
    public let median: Int?
  }

  /// The maximum number of contacts listed (the longest), and of damaged pages.
  public static let mostListed = 10_000

  /// The number of pages in the folder.
  public let pageCount: Int
  /// The number of events of peers that have a date.
  public let events: Int
  /// The number of readings among them, without those of peers only known from another peer.
  public let readings: Int
  /// The number of events omitted because the date of their start-up is unknown.
  public let undatedEvents: Int
  /// The number of events that the device could not log, as counted by the device.
  public let droppedEvents: Int
  /// The number of events whose date was implausible when they were interpreted; see `PlausibleDate`.
  public let unbelievableDates: Int
  /// The number of events that are in no contact because there are more than 1,048,576 addresses, payloads or
  /// contacts.
  public let refusedEvents: Int
  /// The number of sealed pages that were not opened: without the owner's key, or with another one.
  public let sealedPages: Int
  /// Pages that could not be read, or only in part.
  public let damagedPages: [String]
  /// Persons whose payload was read and who had a contact, the longest total duration first.
  public let contacts: [Contact]
  /// The total number of contacts.
  public let contactCount: Int
  /// The number of addresses that have readings but whose payload was never read.
  public let unknownAddresses: Int
  /// The number of readings of these addresses.
  public let unknownReadings: Int

  /// Brings the tables of a folder up to date.
  ///
  /// - Parameters:
  ///   - folder: the folder of a pulled log.
  ///   - isForced: whether the tables take the place of files that no conversion has written, which otherwise
  ///     stay with `.before` behind their names.
  /// - Throws: `.storage` if a file cannot be read or written; `.usage` if a file that no conversion has
  ///   written would have to be replaced.
  public init(_ folder: PageStore, isForced: Bool = false) throws(HostLinkError) {
    let fingerprint = try FolderFingerprint(folder).sha256
    let last = try ConversionFile(of: folder)
    let tables = LogTables(folder: folder.path, marks: last?.result.marks ?? [:])
    if let last, last.result.folder == fingerprint, tables.areAsLeft {
      self = last.result.summary
      return
    }
    let names = try folder.pagesInOrder()
    var state = ConversionState()
    if let last, last.holds(names, of: folder), let kept = last.state() { state = kept }
    let ahead = try PagesAhead(names, of: folder, &state)
    var goesOn = false
    if state.pages > 0, state.dates.areAsDated { goesOn = try tables.canGoOn() }
    if !goesOn { state = ConversionState(dates: state.dates.afresh) }

    try tables.begin(goesOn: goesOn)
    for name in names[state.pages..<ahead.settled] {
      try state.settle(try folder.content(of: name), name, tables)
    }
    tables.settle()
    var settled = StateWriter()
    state.store(in: &settled)
    for name in names[ahead.settled...] { try state.take(try folder.content(of: name), name, tables) }
    try tables.finish(state.interpreter.state, folder.device, isForced: isForced)
    self.init(state, pageCount: names.count, sealedPages: ahead.sealed)
    // By this the next conversion knows the files, if this one is cut off before they have their names.
    try ConversionFile.write(
      ConversionFile.Result(
        folder: ahead.sealed > 0 ? [] : fingerprint, summary: self, marks: tables.marks,
        pages: ahead.settledDigest, pageCount: ahead.settled), settled, in: folder)
    try tables.publish()
  }

  /// The pages of a folder that are not interpreted yet.
  private struct PagesAhead {
    /// The number of pages of the folder that do not change any more: not the page that the device was still
    /// writing, and none from the first one on that a key may open.
    private(set) var settled: Int
    let settledDigest: [UInt8]
    /// The number of pages that are sealed, or opened in part.
    private(set) var sealed = 0

    /// Adds the dates of the pages to a state: they may be those of records in pages before them.
    init(_ names: [PageName], of folder: PageStore, _ state: inout ConversionState) throws(HostLinkError) {
      settled = names.last?.isOpen == true ? names.count - 1 : names.count
      state.dates.begin(folder.device.clocks)
      for (index, name) in names.enumerated().dropFirst(state.pages) {
        let content = try folder.content(of: name)
        if content.isSealed {
          sealed += 1
          settled = min(settled, index)
        }
        if case .page(let page, _) = content { state.dates.add(page, isSettled: index < settled) }
      }
      settled = max(settled, state.pages)
      settledDigest = ConversionFile.digest(names.prefix(settled), of: folder)
    }
  }

  /// The summary of an interpretation.
  init(_ state: ConversionState, pageCount: Int, sealedPages: Int) {
    self.pageCount = pageCount
    self.sealedPages = sealedPages
    let total = state.interpreter.total
    events = total.events
    readings = total.readings
    undatedEvents = total.undated
    droppedEvents = total.dropped
    unbelievableDates = total.unbelievable
    refusedEvents = total.refused
    damagedPages =
      state.refused.map { "\($0.fileName) is not a page of this log" }
      + state.malformed.map { "\($0.fileName) contradicts the format" }
    let people = state.interpreter.state
    let met = people.persons.filter { $0.payload != nil && !$0.contacts.contacts.isEmpty }
    contactCount = met.count
    let all = met.map { Contact($0, payload: people.payloads[Int($0.payload ?? 0)].bytes) }
    contacts = all.enumerated().sorted {
      ($1.element.seconds, $1.element.readings, $0.element.firstSeen, $0.offset)
        < ($0.element.seconds, $0.element.readings, $1.element.firstSeen, $1.offset)
    }.prefix(Self.mostListed).map(\.element)
    let unknown = people.persons.lazy.filter { $0.payload == nil }.map(\.levels.readings).filter { $0 > 0 }
    unknownAddresses = unknown.reduce(0) { count, _ in count + 1 }
    unknownReadings = unknown.reduce(0, &+)
  }
}

extension LogConversion.Contact {
  fileprivate init(_ person: InterpretationState.Person, payload: [UInt8]) {
    let contacts = person.contacts.contacts
    let levels = person.levels.summary
    self.init(
      payload: payload, addresses: person.addresses, firstSeen: contacts.first?.begin ?? 0,
      lastSeen: contacts.map(\.end).max() ?? 0, seconds: contacts.reduce(0) { $0 + $1.seconds },
      readings: person.levels.readings, strongest: levels?.strongest, median: levels?.median)
  }
}

extension LogConversion: Stored {
  func store(in bytes: inout StateWriter) {
    for number in [
      pageCount, events, readings, undatedEvents, droppedEvents, unbelievableDates, refusedEvents,
      sealedPages, contactCount, unknownAddresses, unknownReadings,
    ] { bytes.add(number) }
    bytes.add(damagedPages.count)
    for page in damagedPages { bytes.add(Array(page.utf8)) }
    bytes.add(contacts)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    pageCount = try bytes.integer()
    events = try bytes.integer()
    readings = try bytes.integer()
    undatedEvents = try bytes.integer()
    droppedEvents = try bytes.integer()
    unbelievableDates = try bytes.integer()
    refusedEvents = try bytes.integer()
    sealedPages = try bytes.integer()
    contactCount = try bytes.integer()
    unknownAddresses = try bytes.integer()
    unknownReadings = try bytes.integer()
    var pages: [String] = []
    for _ in 0..<(try bytes.integer()) { pages.append(String(decoding: try bytes.data(), as: UTF8.self)) }
    damagedPages = pages
    contacts = try bytes.list()
  }
}

extension LogConversion.Contact: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(payload)
    for number in [addresses, seconds, readings] { bytes.add(number) }
    bytes.add(firstSeen)
    bytes.add(lastSeen)
    for level in [strongest, median] { bytes.add(signed: Int64(level ?? .max)) }
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    func level() throws(StateReader.Damage) -> Int? { Int8(exactly: try bytes.signed()).map(Int.init) }
    payload = try bytes.data()
    addresses = try bytes.integer()
    seconds = try bytes.integer()
    readings = try bytes.integer()
    firstSeen = try bytes.number(through: UTCTimestamp.latest)
    lastSeen = try bytes.number(through: UTCTimestamp.latest)
    strongest = try level()
    median = try level()
  }
}
