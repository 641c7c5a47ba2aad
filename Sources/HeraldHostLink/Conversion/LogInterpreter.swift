import HeraldEmbedded

/// Interprets the records of a device in the order of its log: contacts and persons, facts for the tables,
/// and the totals of the summary.
struct LogInterpreter {
  /// The numbers of events that the summary states, and the state carried over from earlier records.
  struct Total {
    var ownLength = 0
    /// The number of starts of the device.
    var starts = 0
    /// The number of events of peers that have a date.
    var events = 0
    /// The number of readings among them, without those of peers only known from another peer.
    var readings = 0
    /// The number of events without a date.
    var undated = 0
    /// The number of events that the device could not log.
    var dropped = 0
    /// The number of events whose date is implausible.
    var unbelievable = 0
    /// The number of events that exceed what `InterpretationState` holds.
    var refused = 0
  }

  private(set) var total = Total()
  private(set) var state: InterpretationState
  private let now = PlausibleDate.now

  /// Begins with the first record of a log.
  init(_ state: InterpretationState = InterpretationState()) { self.state = state }

  /// Interprets a record, which has a date if that is known. The lines of its facts go to `tables`.
  mutating func take(_ record: BootRecord, at date: UInt64?, _ tables: LogTables?) throws(HostLinkError) {
    if case .measured(_, let rssi) = record.event, !rssi.isAvailable { return }
    guard let identity = record.event.peer else { return try takeOwn(record, at: date, tables) }
    // Without room for it, the lines of an address are in the tables, and its signs in no contact.
    let peer = state.peer(identity)
    if peer == nil { total.refused += 1 }
    switch record.event {
    case .measured(_, let rssi): try measured(identity, peer, rssi.rawValue, at: date, tables)
    case .detected:
      if let date = try note(.detected, of: identity, at: date, tables), let peer { sign(of: peer, at: date) }
    case .heraldDetected: _ = try note(.heraldDetected, of: identity, at: date, tables)
    case .lost:
      if let peer { state.setPower(nil, of: peer, start: total.starts) }
      _ = try note(.lost, of: identity, at: date, tables)
    case .txPower(_, let dBm): if let peer { state.setPower(dBm, of: peer, start: total.starts) }
    case .read: try read(record.payload, of: identity, peer, at: date, tables)
    case .shared: try shared(record.payload, by: identity, at: date, tables)
    case .visited(_, let first, let last): try visited(identity, peer, first, last, at: date, tables)
    case .received: try note(.message, of: identity, record.payload, at: date, tables)
    case .model: try note(.model, of: identity, record.payload, at: date, tables)
    case .observed(_, let system):
      try note(.observed(system), of: identity, record.payload, at: date, tables)
    // These have no peer.
    case .ownCode, .ownPayload, .motion, .battery, .started, .restarted, .clockSet, .dropped: break
    }
  }

  /// Interprets a record without a peer.
  private mutating func takeOwn(_ record: BootRecord, at date: UInt64?, _ tables: LogTables?)
    throws(HostLinkError)
  {
    switch record.event {
    case .ownCode(let system): try note(.own(system), of: nil, record.payload, at: date, tables)
    case .ownPayload:
      total.ownLength = record.payload.count
      if let short = state.short(ShortPayload.text(record.payload)) { state.note(own: short) }
    case .started: total.starts += 1
    case .restarted:
      guard let report = RestartReport(record.payload.span) else { return }
      try tables?.append(
        .restart(LoggedRestart(unixMilliseconds: date, boot: record.boot, report: report)))
    case .dropped(let count): total.dropped += Int(count)
    case .battery(let level, let isExternal):
      guard let date else { return }
      try tables?.append(
        .battery(BatteryLevel(unixMilliseconds: date, level: Double(level), isExternal: isExternal)))
    case .motion(let state):
      guard let date else { return }
      try tables?.append(.motion(LoggedMotion(unixMilliseconds: date, state: state)))
    // It is already part of the dates of all records.
    case .clockSet: break
    case .detected, .measured, .read, .shared, .heraldDetected, .lost, .txPower, .received, .model,
      .observed, .visited:
      break
    }
  }

  private mutating func measured(
    _ identity: TargetIdentity, _ peer: Int?, _ rssi: Int8, at date: UInt64?, _ tables: LogTables?
  ) throws(HostLinkError) {
    let power = peer.flatMap { state.power(of: $0, start: total.starts) }
    let kind = DatedEvent.Kind.measured(rssi: Int(rssi), txPower: power)
    guard let date = try note(kind, of: identity, at: date, tables) else { return }
    if let payload = peer.flatMap({ state.peers[$0].payload }) {
      state.sign(ofShort: state.payloads[Int(payload)].short, at: date)
    }
    guard !identity.isHearsay else { return }
    total.readings += 1
    if let peer { sign(of: peer, at: date, rssi: rssi) }
  }

  /// Records a sign of a peer, unless the peer is only known from another peer (HP-43).
  private mutating func sign(of peer: Int, at date: UInt64, rssi: Int8? = nil) {
    guard !state.peers[peer].identity.isHearsay, !state.sign(at: date, of: peer, rssi: rssi) else { return }
    total.refused += 1
  }

  /// Counts an event of a peer and writes its row. Returns its date, if known.
  private mutating func note(
    _ kind: DatedEvent.Kind, of peer: TargetIdentity, at date: UInt64?, _ tables: LogTables?
  ) throws(HostLinkError) -> UInt64? {
    guard let date else {
      total.undated += 1
      return nil
    }
    total.events += 1
    if !PlausibleDate.believes(date, now: now) { total.unbelievable += 1 }
    try tables?.append(.event(DatedEvent(unixMilliseconds: date, peer: peer, kind: kind)))
    return date
  }

  private mutating func note(
    _ kind: DatedBytes.Kind, of peer: TargetIdentity?, _ bytes: [UInt8], at date: UInt64?,
    _ tables: LogTables?
  ) throws(HostLinkError) {
    guard let date else {
      total.undated += 1
      return
    }
    try tables?.append(
      .bytes(DatedBytes(unixMilliseconds: date, peer: peer, kind: kind, bytes: bytes)))
  }

  private mutating func read(
    _ bytes: [UInt8], of identity: TargetIdentity, _ peer: Int?, at date: UInt64?, _ tables: LogTables?
  ) throws(HostLinkError) {
    let payload = peer == nil ? nil : state.payload(bytes)
    if peer != nil, payload == nil { total.refused += 1 }
    if let peer, let payload {
      state.note(other: state.payloads[payload].short)
      state.read(payload, of: peer)
    }
    guard let date = try note(.read(bytes), of: identity, at: date, tables), let peer, let payload else {
      return
    }
    state.sign(ofShort: state.payloads[payload].short, at: date)
    sign(of: peer, at: date)
  }

  private mutating func shared(
    _ bytes: [UInt8], by peer: TargetIdentity, at date: UInt64?, _ tables: LogTables?
  ) throws(HostLinkError) {
    for payload in Self.split(bytes, length: total.ownLength) {
      let short = state.short(ShortPayload.text(payload))
      if let short { state.note(other: short) } else { total.refused += 1 }
      guard let date = try note(.shared(payload), of: peer, at: date, tables), let short else { continue }
      state.sign(ofShort: short, at: date)
    }
  }

  /// Splits the payloads shared by a peer into pieces of the length of the device's own payload, if the total
  /// is a multiple of it, as with phones of one application; otherwise it is one piece (HP-42).
  static func split(_ shared: [UInt8], length: Int) -> [[UInt8]] {
    guard length > 0, shared.count > length, shared.count % length == 0 else { return [shared] }
    return stride(from: 0, to: shared.count, by: length).map { Array(shared[$0..<$0 + length]) }
  }

  private mutating func visited(
    _ beacon: TargetIdentity, _ peer: Int?, _ first: UInt32, _ last: UInt32, at date: UInt64?,
    _ tables: LogTables?
  ) throws(HostLinkError) {
    func before(_ seconds: UInt32) -> UInt64 {
      let date = date ?? 0
      return date - min(date, UInt64(seconds) * 1000)
    }
    let payload = peer.flatMap { state.peers[$0].payload }
    let visit = VenueVisit(
      first: before(first), last: before(last), beacon: beacon,
      payload: payload.map { state.payloads[Int($0)].bytes } ?? [])
    _ = try note(.visited(visit), of: beacon, at: date, tables)
  }
}

extension LogEvent {
  /// The peer of the event, if it has one.
  var peer: TargetIdentity? {
    switch self {
    case .detected(let peer), .measured(let peer, _), .read(let peer), .shared(let peer),
      .heraldDetected(let peer), .lost(let peer), .txPower(let peer, _), .received(let peer),
      .model(let peer), .observed(let peer, _), .visited(let peer, _, _):
      peer
    case .ownCode, .ownPayload, .motion, .battery, .started, .restarted, .clockSet, .dropped: nil
    }
  }
}

extension LogInterpreter: Stored {
  func store(in bytes: inout StateWriter) {
    for number in [
      total.ownLength, total.starts, total.events, total.readings, total.undated, total.dropped,
      total.unbelievable, total.refused,
    ] { bytes.add(number) }
    state.store(in: &bytes)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    total = Total(
      ownLength: try bytes.integer(), starts: try bytes.integer(), events: try bytes.integer(),
      readings: try bytes.integer(), undated: try bytes.integer(), dropped: try bytes.integer(),
      unbelievable: try bytes.integer(), refused: try bytes.integer())
    state = try InterpretationState(from: &bytes)
  }
}
