import HeraldHostLink

/// The events of one observer, by device and window.
struct ObserverWindows {
  private let observer: Int
  /// The devices by the short forms of their payloads.
  private let owners: [String: Int]
  private let rules: Efficacy.Rules
  /// The devices whose payload was read from an address: one, unless an address was used by several in turn.
  private var addresses: [String: [Int]] = [:]
  private var read: Set<Int> = []
  private var events: [Int]
  /// The windows with an event of each device, a bit for each.
  private var marks: [[UInt64]]

  init(observer: Int, owners: [String: Int], count: Int, rules: Efficacy.Rules) {
    self.observer = observer
    self.owners = owners
    self.rules = rules
    events = Array(repeating: 0, count: count)
    marks = Array(repeating: [], count: count)
  }

  /// What was found, for each other device.
  var pairs: [Efficacy.Pair] {
    events.indices.filter { $0 != observer }.map { other in
      Efficacy.Pair(
        observer: observer, observed: other, events: events[other],
        windows: marks[other].reduce(0) { $0 + $1.nonzeroBitCount })
    }
  }

  /// Reads the file: for the payloads of addresses, for the first event of the period, and for the windows,
  /// which begin with that.
  mutating func read(_ rows: ContactRows, _ period: ClosedRange<Int64>) throws(HostLinkError) {
    try readPayloads(rows)
    guard !addresses.isEmpty || rules.shares == .payload else { return }
    let from = rules.detectionFrom ?? .min
    let detection = from...max(rules.detectionTo ?? .max, from)
    var events = events
    var first: Int64?
    try readEvents(rows) { date, devices in
      if detection.contains(date) { for device in devices { events[device] += 1 } }
      if period.contains(date) { first = min(first ?? date, date) }
    }
    self.events = events
    guard let first else { return }
    let words = Int((period.upperBound - first) / Efficacy.windowSeconds) / 64 + 1
    var marks = marks
    try readEvents(rows) { date, devices in
      guard period.contains(date) else { return }
      let window = Int((date - first) / Efficacy.windowSeconds)
      for device in devices {
        if marks[device].isEmpty { marks[device] = Array(repeating: 0, count: words) }
        marks[device][window / 64] |= 1 << UInt64(window % 64)
      }
    }
    self.marks = marks
  }

  private mutating func readPayloads(_ rows: ContactRows) throws(HostLinkError) {
    var addresses: [String: [Int]] = [:]
    var read: Set<Int> = []
    _ = try rows.read { (_, address, kind) throws(HostLinkError) in
      // Versions of Herald that wrote more of the payload have the short form at its start.
      guard case .read(let payload) = kind, let device = owners[payload] ?? owners[String(payload.prefix(6))]
      else { return }
      read.insert(device)
      guard device != observer, addresses[address]?.contains(device) != true else { return }
      guard addresses.count < Efficacy.mostAddresses || addresses[address] != nil else {
        throw HostLinkError(
          .storage, "\(rows.folder.contacts) has payloads of more than \(Efficacy.mostAddresses) addresses",
          advice: "leave this folder out, or divide the file")
      }
      addresses[address, default: []].append(device)
    }
    (self.addresses, self.read) = (addresses, read)
  }

  /// Calls `body` with the date and the devices of each measurement and share.
  private func readEvents(_ rows: ContactRows, _ body: (Int64, [Int]) -> Void) throws(HostLinkError) {
    _ = try rows.read { (date, address, kind) throws(HostLinkError) in
      switch kind {
      case .measurement:
        if let devices = addresses[address] { body(date, devices) }
      case .share(let payload):
        switch rules.shares {
        case .address: if let devices = addresses[address] { body(date, devices) }
        case .payload:
          if let device = owners[payload], device != observer, read.contains(device) { body(date, [device]) }
        }
      case .read, .other: break
      }
    }
  }
}
