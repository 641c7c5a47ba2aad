import HeraldEmbedded

/// Everything the pages of an archive tell, with dates, ready for the writers.
public struct LogConversion: Sendable {
  /// What happened to peers, in the order it was logged.
  public private(set) var events: [DatedEvent] = []
  /// Messages, models, and codes of other systems, in the order they were logged.
  public private(set) var bytes: [DatedBytes] = []
  /// Readings of the battery.
  public private(set) var batteries: [BatteryLevel] = []
  /// Starts that faults had brought about.
  public private(set) var restarts: [LoggedRestart] = []
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
  /// How long the payload is that the device offers at this point of the log; 0 if it offers none.
  private var ownLength = 0
  /// The payload last read under an address.
  private var payloads: [TargetIdentity: [UInt8]] = [:]

  /// Reads all pages of `archive`.
  public init(_ archive: PageArchive) throws(HostLinkError) {
    self.init()
    let names = try archive.pagesInOrder()
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
      payloads[peer] = record.payload
      add(date, peer, .read(record.payload))
    case .shared(let peer):
      for payload in Self.split(record.payload, length: ownLength) {
        foreignPayloads.insert(ShortPayload.text(payload))
        add(date, peer, .shared(payload))
      }
    case .ownPayload:
      ownLength = record.payload.count
      let short = ShortPayload.text(record.payload)
      ownPayloads.removeAll { $0 == short }
      ownPayloads.append(short)
    case .battery(let level, let isExternal):
      guard let date else { return }
      batteries.append(BatteryLevel(unixMilliseconds: date, level: Double(level), isExternal: isExternal))
    case .started: txPowers.removeAll()
    case .restarted:
      guard let report = RestartReport(record.payload.span) else { return }
      restarts.append(LoggedRestart(unixMilliseconds: date, boot: record.boot, report: report))
    case .dropped(let count): droppedEvents += Int(count)
    case .received(let peer): add(date, peer, .message, record.payload)
    case .model(let peer): add(date, peer, .model, record.payload)
    case .neighbour(let peer, let system): add(date, peer, .observed(system), record.payload)
    case .ownNeighbour(let system): add(date, nil, .own(system), record.payload)
    case .visited(let beacon, let first, let last):
      let payload = payloads[beacon] ?? []
      func before(_ date: UInt64, _ seconds: UInt32) -> UInt64 { date - min(date, UInt64(seconds) * 1000) }
      add(
        date, beacon,
        .visited(
          VenueVisit(
            first: before(date ?? 0, first), last: before(date ?? 0, last), beacon: beacon, payload: payload))
      )
    case .clockSet: break
    }
  }

  /// Takes what a peer shared apart: into pieces as long as the device's own payload if it comes out even, as phones of one
  /// application do; else it is one piece (HP-42).
  static func split(_ shared: [UInt8], length: Int) -> [[UInt8]] {
    guard length > 0, shared.count > length, shared.count % length == 0 else { return [shared] }
    return stride(from: 0, to: shared.count, by: length).map { Array(shared[$0..<$0 + length]) }
  }

  private mutating func add(
    _ date: UInt64?, _ peer: TargetIdentity?, _ kind: DatedBytes.Kind, _ content: [UInt8]
  ) {
    guard let date else {
      undatedEvents += 1
      return
    }
    bytes.append(DatedBytes(unixMilliseconds: date, peer: peer, kind: kind, bytes: content))
  }

  private mutating func add(_ date: UInt64?, _ peer: TargetIdentity, _ kind: DatedEvent.Kind) {
    guard let date else {
      undatedEvents += 1
      return
    }
    events.append(DatedEvent(unixMilliseconds: date, peer: peer, kind: kind))
  }
}
