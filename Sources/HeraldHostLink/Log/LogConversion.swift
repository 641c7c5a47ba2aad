import HeraldEmbedded

/// Everything the pages of an archive tell, with dates, ready for the writers.
public struct LogConversion: Sendable {
  /// What happened to peers, in the order it was logged.
  public private(set) var events: [DatedEvent] = []
  /// Readings of the battery.
  public private(set) var batteries: [BatteryLevel] = []
  /// Short forms of the payloads the device offered, the latest last.
  public private(set) var ownPayloads: [String] = []
  /// Short forms of every payload read or shared, dated or not.
  public private(set) var foreignPayloads: Set<String> = []
  /// Events left out because nothing tells the date of the start-up they belong to.
  public private(set) var undatedEvents = 0
  /// Events the device could not keep, by its own count.
  public private(set) var droppedEvents = 0
  /// Pages that could not be read at all, or not to their end.
  public private(set) var damagedPages: [String] = []
  /// How many pages were read.
  public private(set) var pageCount = 0

  private var txPowers: [TargetIdentity: Int] = [:]

  /// Reads all pages of `archive`.
  public init(_ archive: PageArchive) throws(HostLinkError) {
    self.init()
    let order = archive.device.epochs
    func rank(_ name: PageName) -> Int { order.firstIndex(of: name.epoch) ?? order.count }
    let names = try archive.pages().sorted { (rank($0), $0) < (rank($1), $1) }
    var records: [BootRecord] = []
    var calendar = LogCalendar()
    for fix in archive.device.clocks { calendar.add(fix) }
    for name in names {
      pageCount += 1
      guard let page = LogPage(try archive.read(name)), page.epoch == name.epoch,
        page.sequence == name.sequence
      else {
        damagedPages.append("\(name.fileName) is not a page of this log")
        continue
      }
      if page.ending == .malformed { damagedPages.append("\(name.fileName) contradicts the format") }
      for fix in page.clocks { calendar.add(fix) }
      for record in page.records { calendar.add(record) }
      records += page.records
    }
    for record in records { add(record, calendar) }
  }

  /// Dates `records`, which are in the order they were logged.
  public init(records: [BootRecord], calendar: LogCalendar) {
    self.init()
    for record in records { add(record, calendar) }
  }

  private init() {}

  private mutating func add(_ record: BootRecord, _ calendar: LogCalendar) {
    let date = calendar.unixMilliseconds(of: record)
    switch record.event {
    case .detected(let peer): add(date, peer, .detected)
    case .heraldDetected(let peer): add(date, peer, .heraldDetected)
    case .lost(let peer):
      txPowers[peer] = nil
      add(date, peer, .lost)
    case .txPower(let peer, let power): txPowers[peer] = Int(power)
    case .measured(let peer, let rssi):
      guard rssi.isAvailable else { return }
      add(date, peer, .measured(rssi: Int(rssi.rawValue), txPower: txPowers[peer]))
    case .read(let peer):
      foreignPayloads.insert(ShortPayload.text(record.payload))
      add(date, peer, .read(record.payload))
    case .shared(let peer):
      foreignPayloads.insert(ShortPayload.text(record.payload))
      add(date, peer, .shared(record.payload))
    case .ownPayload:
      let short = ShortPayload.text(record.payload)
      ownPayloads.removeAll { $0 == short }
      ownPayloads.append(short)
    case .battery(let level, let isExternal):
      guard let date else { return }
      batteries.append(BatteryLevel(unixMilliseconds: date, level: Double(level), isExternal: isExternal))
    case .started: txPowers.removeAll()
    case .dropped(let count): droppedEvents += Int(count)
    case .clockSet, .received, .model, .neighbour, .ownNeighbour, .visited: break
    }
  }

  private mutating func add(_ date: UInt64?, _ peer: TargetIdentity, _ kind: DatedEvent.Kind) {
    guard let date else {
      undatedEvents += 1
      return
    }
    events.append(DatedEvent(unixMilliseconds: date, peer: peer, kind: kind))
  }

  /// Writes `contacts.csv`, `statistics.csv`, `detection.csv` and, if the device logged its battery, `battery.csv`.
  public func write(to archive: PageArchive) throws(HostLinkError) {
    try archive.write(ContactsCSV.text(of: events), named: "contacts.csv")
    var statistics = StatisticsCSV()
    for event in events { statistics.add(event) }
    try archive.write(statistics.text(own: Set(ownPayloads)), named: "statistics.csv")
    let device = archive.device
    func known(_ text: String) -> String { text.isEmpty ? "NULL" : text }
    try archive.write(
      DetectionCSV.text(
        name: known(device.name), system: known(device.system), version: known(device.version),
        own: ownPayloads.last ?? "", others: foreignPayloads), named: "detection.csv")
    if !batteries.isEmpty { try archive.write(BatteryCSV.text(of: batteries), named: "battery.csv") }
  }
}
