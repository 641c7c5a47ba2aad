import HeraldEmbedded
import HeraldHostLink

/// Everything that is derived from the pages of one device: the second pass over them.
///
/// It uses no database, so that several devices can be derived at the same time.
struct DeviceDerivation: Sendable {
  /// What is needed beside the pages.
  struct Context: Sendable {
    let serial: String
    let rules: ContactRules
    let days: LocalDays
    let assignments: Assignments
    /// The devices that sent the payloads which this device has read.
    let claims: [[UInt8]: [PayloadClaim]]
    /// When this device and those were worn.
    let wear: WearTimes
  }

  /// The level of the battery at a date.
  struct Battery: Sendable {
    let date: Int64
    let level: Int64
    let isExternal: Bool
  }

  /// A restart, a change of the motion sensor's state, or events that were dropped.
  struct StateEvent: Sendable {
    let date: Int64?
    let kind: String
    let value: Int64
  }

  /// The number of readings of which signs are in memory at a time, about 16 bytes each.
  static let mostSigns = 1 << 20
  /// The maximum number of signs of one day.
  static let mostSignsOfDay = 1 << 22

  /// Rows of `who`, in the order of the indices in `contacts` and `heard`.
  private(set) var whos: [WhoKey] = []
  private(set) var contacts: [ScannedContact] = []
  private(set) var heard: [ScannedDay] = []
  private(set) var batteries: [Battery] = []
  private(set) var events: [StateEvent] = []
  /// The number of measurements.
  private(set) var readings = 0
  /// The number of measurements without a date.
  private(set) var undated = 0
  /// The number of records that exceeded a limit of this program.
  private(set) var refused = 0
  /// The dates of the first and last sign.
  private(set) var first: Int64?
  private(set) var last: Int64?

  private var numbers: [WhoKey: Int64] = [:]

  /// Derives everything from the pages of a device, in the order of its log.
  init(_ pages: any DevicePages, _ scan: DeviceScan, _ context: Context) throws(HostLinkError) {
    readings = scan.readings
    refused = scan.refused
    for state in scan.states {
      let date = scan.date(state.at)
      switch state.kind {
      case .battery:
        if let date {
          batteries.append(Battery(date: date, level: state.value, isExternal: state.isExternal))
        }
      case .clock: break
      case .started, .restarted, .motion, .dropped:
        events.append(StateEvent(date: date, kind: state.kind.rawValue, value: state.value))
      }
    }
    var contactScan = ContactScan(context.rules, context.days)
    let division = try Division(pages, scan, context.days)
    undated = division.undated
    for chunk in division.chunks {
      var collector = SignCollector(scan, context, chunk.days)
      var visit = PageVisit()
      try pages.forEach(chunk.pages) { collector.add($1, index: $0, &visit) }
      if division.isWhole { undated = collector.undated }
      for (direction, signs) in collector.sorted() {
        let own = Direction(
          observer: number(of: collector.whos[Int(direction.observer)]),
          subject: number(of: collector.whos[Int(direction.subject)]))
        if let date = signs.first?.date { first = min(first ?? date, date) }
        if let date = signs.last?.date { last = max(last ?? date, date) }
        contactScan.add(signs, of: own)
      }
      refused += collector.refused
    }
    contactScan.finish()
    contacts = contactScan.contacts
    heard = contactScan.takeDays()
  }

  private mutating func number(of who: WhoKey) -> Int64 {
    if let known = numbers[who] { return known }
    let number = Int64(whos.count)
    numbers[who] = number
    whos.append(who)
    return number
  }
}
