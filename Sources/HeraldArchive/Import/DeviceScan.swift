import HeraldEmbedded
import HeraldHostLink

/// What one device's pages say beside readings: dates, the payloads read from addresses, transmit powers, the
/// payloads that it sent itself, and its own state. It is the first of two passes over the pages.
///
/// Pages may be malicious: everything that is kept in memory has a limit, and what exceeds it is counted.
struct DeviceScan {
  /// A position in the log: it increases in the order in which the device wrote.
  typealias Position = UInt64

  /// The maximum number of addresses of a device.
  static let mostPeers = 1 << 20
  /// The maximum number of reads, transmit powers, and records of the device's state, each.
  static let mostEvents = 1 << 20
  /// The maximum number of different payloads.
  static let mostPayloads = 1 << 18

  struct Start: Hashable {
    let epoch: UInt32
    let boot: UInt32
  }

  /// A moment on the device's clock.
  struct Moment {
    let start: Start
    let uptime: UInt64
  }

  /// A read of the payload of an address.
  struct Read {
    let position: Position
    let payload: Int32
    let at: Moment
  }

  /// A record about the device itself.
  struct StateRecord {
    enum Kind: String {
      case started, restarted, battery, motion, dropped, clock
    }
    let kind: Kind
    let at: Moment
    let value: Int64
    var isExternal = false
  }

  /// The dates of all start-ups.
  private var calendar = LogCalendar()
  /// The addresses by their index.
  private(set) var identities: [TargetIdentity] = []
  private var indices: [TargetIdentity: Int32] = [:]
  /// The payloads read from each address, as indices of `payloads`.
  private var reads: [[Read]] = []
  /// The transmit powers of each address; `nil` from where it is no longer known.
  private var powers: [[(position: Position, power: Int8?)]] = []
  private(set) var payloads: [[UInt8]] = []
  private var payloadIndices: [[UInt8]: Int32] = [:]
  /// The payloads that the device offered, and from when.
  private(set) var own: [(payload: Int32, from: Moment)] = []
  private(set) var states: [StateRecord] = []
  /// The starts of the device.
  private(set) var runs = DeviceRuns()
  /// The number of measurements.
  private(set) var readings = 0
  /// The number of records that exceeded a limit.
  private(set) var refused = 0
  private var events = 0

  private let corrections: [ClockCorrection]

  /// Starts with the dates that the host noted.
  init(_ clock: DeviceClock) {
    corrections = clock.corrections
    for fix in clock.fixes { calendar.add(fix) }
  }

  /// Adds a page. `index` counts the pages in the order of the log.
  mutating func add(_ page: [UInt8], index: Int, _ visit: inout PageVisit) {
    var position = Position(index) << 20
    var fixes: [DeviceRecord.ClockFix] = []
    if let header = LogPageHeader(page.span) { runs.begin(header) }
    visit.visit(page, clock: { if fixes.count < 64 { fixes.append($0) } }) { record, visit in
      position += 1
      take(record, position, visit)
    }
    for fix in fixes { calendar.add(fix) }
  }

  private mutating func take(_ record: VisitedRecord, _ position: Position, _ visit: borrowing PageVisit) {
    runs.note(record)
    switch record.event {
    case .measured(let target, let rssi):
      guard rssi.isAvailable, peer(target) != nil else { return }
      readings += 1
    case .detected(let target), .heraldDetected(let target): _ = peer(target)
    case .read(let target):
      guard let peer = peer(target), let payload = payload(visit.bytes(record)), isRoom() else { return }
      reads[peer].append(Read(position: position, payload: payload, at: moment(record)))
    case .txPower(let target, let power):
      guard let peer = peer(target), isRoom() else { return }
      powers[peer].append((position, power))
    case .lost(let target):
      guard let peer = peer(target), powers[peer].last?.power != nil, isRoom() else { return }
      powers[peer].append((position, nil))
    case .ownPayload:
      runs.note(state: record)
      guard let payload = payload(visit.bytes(record)), isRoom() else { return }
      own.append((payload, moment(record)))
    case .battery(let level, let isExternal):
      note(.battery, record, Int64(level), isExternal: isExternal)
    case .motion(let state): note(.motion, record, Int64(state.rawValue))
    case .started(let reason): note(.started, record, Int64(reason))
    case .restarted: note(.restarted, record, 0)
    case .dropped(let count): note(.dropped, record, Int64(count))
    case .clockSet(let unixMilliseconds, _): note(.clock, record, Int64(clamping: unixMilliseconds))
    case .shared, .received, .model, .observed, .visited, .ownCode: break
    }
  }

  private mutating func note(
    _ kind: StateRecord.Kind, _ record: VisitedRecord, _ value: Int64, isExternal: Bool = false
  ) {
    runs.note(state: record)
    guard isRoom() else { return }
    states.append(StateRecord(kind: kind, at: moment(record), value: value, isExternal: isExternal))
  }

  private func moment(_ record: VisitedRecord) -> Moment {
    Moment(start: Start(epoch: record.epoch, boot: record.boot), uptime: record.uptime)
  }

  private mutating func isRoom() -> Bool {
    guard events < Self.mostEvents else {
      refused += 1
      return false
    }
    events += 1
    return true
  }

  /// The index of an address; `nil` for one that is known only from another peer, which is no sign (HP-43),
  /// and if there are too many.
  private mutating func peer(_ target: TargetIdentity) -> Int? {
    guard target.kind != .shared else { return nil }
    if let known = indices[target] { return Int(known) }
    guard identities.count < Self.mostPeers else {
      refused += 1
      return nil
    }
    indices[target] = Int32(identities.count)
    identities.append(target)
    reads.append([])
    powers.append([])
    return identities.count - 1
  }

  private mutating func payload(_ bytes: [UInt8]) -> Int32? {
    if let known = payloadIndices[bytes] { return known }
    guard !bytes.isEmpty, payloads.count < Self.mostPayloads else {
      refused += 1
      return nil
    }
    let index = Int32(payloads.count)
    payloadIndices[bytes] = index
    payloads.append(bytes)
    return index
  }

  // MARK: Answers for the second pass

  /// The UTC days, counted from 1970-01-01, on which payloads that the simple family derives were read.
  var simpleDays: Set<Int64> {
    let isSimple = payloads.map { SimpleIdentifier(payload: $0) != nil }
    var days: Set<Int64> = []
    for list in reads {
      for read in list where isSimple[Int(read.payload)] {
        if let date = date(read.at) { days.insert(date / 86_400_000) }
      }
    }
    return days
  }

  /// The index of an address of these pages.
  @inline(__always)
  func index(of target: TargetIdentity) -> Int? { indices[target].map(Int.init) }

  /// The payloads read from an address, in order.
  func reads(ofPeer peer: Int) -> [Read] { reads[peer] }

  /// The read to which a sign of an address belongs: the last one until then, or else the first after it;
  /// `nil` if there was none. It is the same for all signs at `positions`.
  func read(ofPeer peer: Int, at position: Position) -> (read: Read?, positions: ClosedRange<Position>) {
    let list = reads[peer]
    guard list.count > 1 else { return (list.first, 0 ... .max) }
    let index = max(0, Self.count(list, before: position + 1, \.position) - 1)
    let next = index + 1 < list.count ? list[index + 1].position - 1 : .max
    return (list[index], (index == 0 ? 0 : list[index].position)...next)
  }

  /// The transmit power of an address in dBm, if its advertisements contained it.
  func power(ofPeer peer: Int, at position: Position) -> Int8? {
    let list = powers[peer]
    if list.isEmpty { return nil }
    let count = Self.count(list, before: position, \.position)
    return count > 0 ? list[count - 1].power : list[0].power
  }

  private static func count<Entry>(_ list: [Entry], before position: Position, _ key: (Entry) -> Position)
    -> Int
  {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if key(list[middle]) < position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The dates of a start-up, corrected.
  struct Dates {
    fileprivate let dates: LogCalendar.BootDates
    fileprivate let corrections: [ClockCorrection]

    /// The date at an uptime, in milliseconds since 1970; `nil` if unknown.
    func date(at uptime: UInt64) -> Int64? {
      guard let date = dates.unixMilliseconds(at: uptime).map({ Int64(clamping: $0) }) else { return nil }
      return corrections.isEmpty ? date : ClockCorrection.apply(corrections, to: date)
    }
  }

  /// The dates of a start-up.
  func dates(of start: Start) -> Dates {
    Dates(dates: calendar.dates(epoch: start.epoch, boot: start.boot), corrections: corrections)
  }

  /// The date of a moment in milliseconds since 1970; `nil` if unknown.
  func date(_ moment: Moment) -> Int64? {
    dates(of: moment.start).date(at: moment.uptime)
  }
}
