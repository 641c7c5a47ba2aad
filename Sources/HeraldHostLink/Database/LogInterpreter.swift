import Foundation
import GRDB
import HeraldEmbedded

/// Interprets the records of a device in the order of its log: contacts and persons, facts for the tables,
/// and the totals of the summary. Events are interpreted only here; the report and the export use the results
/// in the database.
struct LogInterpreter {
  /// The totals of a conversion, and the state carried over from earlier records.
  struct Total {
    var ownLength = 0
    /// The number of starts of the device.
    var starts: Int64 = 0
    var events = 0
    var readings = 0
    var undated = 0
    var dropped = 0
    var unbelievable = 0
  }

  private(set) var total: Total
  private let database: Database
  private let device: Int64
  private let tables: LogTables?
  private let state: InterpretationState
  private let readings: NumberStatement
  private let now = PlausibleDate.now

  /// Continues from the interpretation state stored in the database.
  init(_ database: Database, device: Int64, tables: LogTables?) throws {
    self.database = database
    self.device = device
    self.tables = tables
    state = try InterpretationState(database, device: device)
    readings = try NumberStatement(
      database, sql: "SELECT id, unix_ms, peer_id, rssi FROM reading WHERE id >= ? AND id < ? ORDER BY id")
    total = try Self.total(database, device: device)
  }

  static func total(_ database: Database, device: Int64) throws -> Total {
    guard
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM conversion_total WHERE device_id = ?", arguments: [device])
    else { return Total() }
    return Total(
      ownLength: row["own_length"], starts: row["starts"], events: row["events"], readings: row["readings"],
      undated: row["undated"], dropped: row["dropped"], unbelievable: row["unbelievable"])
  }

  /// Writes the state to the database.
  func flush() throws {
    try state.flush()
    try database.execute(
      sql: """
        INSERT INTO conversion_total (device_id, own_length, starts, events, readings, undated, dropped, unbelievable)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET own_length = excluded.own_length, starts = excluded.starts, events = excluded.events,
          readings = excluded.readings, undated = excluded.undated, dropped = excluded.dropped,
          unbelievable = excluded.unbelievable
        """,
      arguments: [
        device, total.ownLength, total.starts, total.events, total.readings, total.undated, total.dropped,
        total.unbelievable,
      ])
  }

  /// Interprets the records of a page.
  mutating func take(page: Int64) throws {
    let first = page * DatabaseSchema.recordsPerPage
    readings.bind(first, at: 1)
    readings.bind(first + DatabaseSchema.recordsPerPage, at: 2)
    var next = try StoredRecords.all(of: page, database).makeIterator()
    var other = next.next()
    while try readings.step() {
      let id = readings.number(0)
      while let record = other, record.id < id {
        try take(record)
        other = next.next()
      }
      try measured(
        state.peer(readings.number(2)), Int8(clamping: readings.number(3)),
        at: readings.isNull(1) ? nil : UInt64(clamping: readings.number(1)))
    }
    while let record = other {
      try take(record)
      other = next.next()
    }
  }

  /// Interprets a record other than a reading.
  private mutating func take(_ record: StoredRecord) throws {
    let date = record.date
    let subject = try record.peer.map(state.peer)
    guard let event = record.columns.event(of: subject?.identity) else { return }
    guard let peer = subject else { return try take(event, record) }
    switch event {
    case .detected:
      if let date = try note(.detected, of: peer, at: date) { try sign(of: peer, at: date, isReading: false) }
    case .heraldDetected: _ = try note(.heraldDetected, of: peer, at: date)
    case .lost:
      state.setPower(nil, of: peer, start: total.starts)
      _ = try note(.lost, of: peer, at: date)
    case .txPower(_, let dBm): state.setPower(Int(dBm), of: peer, start: total.starts)
    case .read: if let payload = record.payload { try read(payload, of: peer, at: date) }
    case .shared: try shared(record.bytes, by: peer, at: date)
    case .visited(_, let first, let last): try visited(peer, first, last, at: date)
    case .received: try note(.message, of: peer, record)
    case .model: try note(.model, of: peer, record)
    case .neighbour(_, let system): try note(.observed(system), of: peer, record)
    // Readings are processed separately, as numbers; the other kinds have no peer.
    case .measured, .ownNeighbour, .ownPayload, .motion, .battery, .started, .restarted, .clockSet, .dropped:
      break
    }
  }

  /// Interprets a record without a peer.
  private mutating func take(_ event: LogEvent, _ record: StoredRecord) throws {
    switch event {
    case .ownNeighbour(let system): try note(.own(system), of: nil, record)
    case .ownPayload:
      guard let payload = record.payload else { return }
      total.ownLength = try payloadBytes(payload).count
      try state.note(short: state.short(of: payload), isOwn: true)
    case .started: total.starts += 1
    case .restarted:
      guard let report = RestartReport(record.bytes.span) else { return }
      let boot = try UInt32.fetchOne(
        database, sql: "SELECT number FROM boot WHERE id = ?", arguments: [record.boot])
      try tables?.append(
        .restart(LoggedRestart(unixMilliseconds: record.date, boot: boot ?? 0, report: report)))
    case .dropped(let count): total.dropped += Int(count)
    case .battery(let level, let isExternal):
      guard let date = record.date else { return }
      try tables?.append(
        .battery(BatteryLevel(unixMilliseconds: date, level: Double(level), isExternal: isExternal)))
    case .motion(let state):
      guard let date = record.date else { return }
      try tables?.append(.motion(LoggedMotion(unixMilliseconds: date, state: state)))
    // It is already part of the dates of all records.
    case .clockSet: break
    case .detected, .measured, .read, .shared, .heraldDetected, .lost, .txPower, .received, .model,
      .neighbour, .visited:
      break
    }
  }

  private mutating func measured(_ peer: InterpretationState.Peer, _ rssi: Int8, at date: UInt64?) throws {
    let power = state.power(of: peer, start: total.starts)
    guard let date = try note(.measured(rssi: Int(rssi), txPower: power), of: peer, at: date) else { return }
    if let short = peer.short { try state.sign(of: short, at: date) }
    guard !peer.identity.isHearsay else { return }
    total.readings += 1
    try state.person(of: peer).add(rssi)
    try sign(of: peer, at: date, isReading: true)
  }

  /// Records a sign of a peer, unless the peer is only known from another peer (HP-43).
  private func sign(of peer: InterpretationState.Peer, at date: UInt64, isReading: Bool) throws {
    guard !peer.identity.isHearsay else { return }
    let person = try state.person(of: peer)
    try state.ledger.sign(
      at: date, of: peer.id, isReading: isReading, person: person.id, payload: person.payload, &person.current
    )
  }

  /// Counts an event of a peer and writes its row. Returns its date, if known.
  private mutating func note(_ kind: DatedEvent.Kind, of peer: InterpretationState.Peer, at date: UInt64?)
    throws
    -> UInt64?
  {
    guard let date else {
      total.undated += 1
      return nil
    }
    total.events += 1
    if !PlausibleDate.believes(date, now: now) { total.unbelievable += 1 }
    try tables?.append(.event(DatedEvent(unixMilliseconds: date, peer: peer.identity, kind: kind)))
    return date
  }

  private mutating func note(
    _ kind: DatedBytes.Kind, of peer: InterpretationState.Peer?, _ record: StoredRecord
  ) throws {
    guard let date = record.date else {
      total.undated += 1
      return
    }
    try tables?.append(
      .bytes(DatedBytes(unixMilliseconds: date, peer: peer?.identity, kind: kind, bytes: record.bytes)))
  }

  private func payloadBytes(_ payload: Int64) throws -> [UInt8] {
    [UInt8](
      try Data.fetchOne(database, sql: "SELECT bytes FROM payload WHERE id = ?", arguments: [payload])
        ?? Data())
  }

  private mutating func read(_ payload: Int64, of peer: InterpretationState.Peer, at date: UInt64?) throws {
    let short = try state.short(of: payload)
    try state.note(short: short, isOwn: false)
    try state.read(payload, of: peer)
    guard date != nil else {
      total.undated += 1
      return
    }
    guard let date = try note(.read(payloadBytes(payload)), of: peer, at: date) else { return }
    try state.sign(of: short, at: date)
    try sign(of: peer, at: date, isReading: false)
  }

  private mutating func shared(_ bytes: [UInt8], by peer: InterpretationState.Peer, at date: UInt64?) throws {
    for payload in Self.split(bytes, length: total.ownLength) {
      let short = ShortPayload.text(payload)
      try state.note(short: short, isOwn: false)
      if let date = try note(.shared(payload), of: peer, at: date) { try state.sign(of: short, at: date) }
    }
  }

  /// Splits the payloads shared by a peer into pieces of the length of the device's own payload, if the total
  /// is a multiple of it, as with phones of one application; otherwise it is one piece (HP-42).
  static func split(_ shared: [UInt8], length: Int) -> [[UInt8]] {
    guard length > 0, shared.count > length, shared.count % length == 0 else { return [shared] }
    return stride(from: 0, to: shared.count, by: length).map { Array(shared[$0..<$0 + length]) }
  }

  private mutating func visited(
    _ beacon: InterpretationState.Peer, _ first: UInt32, _ last: UInt32, at date: UInt64?
  ) throws {
    func before(_ seconds: UInt32) -> UInt64 {
      let date = date ?? 0
      return date - min(date, UInt64(seconds) * 1000)
    }
    let visit = VenueVisit(
      first: before(first), last: before(last), beacon: beacon.identity,
      payload: try beacon.payload.map(payloadBytes) ?? [])
    _ = try note(.visited(visit), of: beacon, at: date)
  }
}
