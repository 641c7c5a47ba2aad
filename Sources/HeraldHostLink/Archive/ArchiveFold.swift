import Foundation
import GRDB
import HeraldEmbedded

/// Interprets the records of a device in the order of its log: contacts and persons, the lines of the tables,
/// and the numbers of the summary. Records are interpreted nowhere else.
struct ArchiveFold {
  /// The numbers that a conversion tells, and what has to be known of the records before.
  struct Total {
    var ownLength = 0
    /// How many times the device has started.
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
  private let tallies: ArchiveTallies
  private let readings: NumberStatement
  private let now = PlausibleDate.now

  /// Goes on where the archive says that the interpretation has come to.
  init(_ database: Database, device: Int64, tables: LogTables?) throws {
    self.database = database
    self.device = device
    self.tables = tables
    tallies = try ArchiveTallies(database, device: device)
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

  /// Brings all to the database.
  func flush() throws {
    try tallies.flush()
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

  /// Takes the records of a page.
  mutating func take(page: Int64) throws {
    let first = page * ArchiveSchema.recordsPerPage
    let end = first + ArchiveSchema.recordsPerPage
    readings.bind(first, at: 1)
    readings.bind(end, at: 2)
    // A page has few records that are no readings; at most as many as a page may hold.
    let others = try Row.fetchAll(database, sql: Self.others, arguments: ["first": first, "end": end])
    var next = others.makeIterator()
    var other = next.next()
    while try readings.step() {
      let id = readings.number(0)
      while let row = other, row["id"] < id {
        try take(row)
        other = next.next()
      }
      try measured(
        tallies.peer(readings.number(2)), Int8(clamping: readings.number(3)),
        at: readings.isNull(1) ? nil : UInt64(clamping: readings.number(1)))
    }
    while let row = other {
      try take(row)
      other = next.next()
    }
  }

  private static let others = """
    SELECT id, unix_ms AS date, peer_id AS peer, kind, payload_id AS payload, system, value, data, boot_id AS boot
      FROM event WHERE id >= :first AND id < :end
    UNION ALL
    SELECT id, unix_ms, NULL, 'battery', is_external, NULL, level, NULL, boot_id
      FROM battery WHERE id >= :first AND id < :end
    UNION ALL
    SELECT id, unix_ms, peer_id, 'visit', first_seconds_before, NULL, last_seconds_before, NULL, boot_id
      FROM visit WHERE id >= :first AND id < :end
    ORDER BY id
    """

  private mutating func measured(_ peer: ArchiveTallies.Peer, _ rssi: Int8, at date: UInt64?) throws {
    let power = tallies.power(of: peer, start: total.starts)
    guard let date = try note(.measured(rssi: Int(rssi), txPower: power), of: peer, at: date) else { return }
    if let short = peer.short { try tallies.sign(of: short, at: date) }
    guard peer.identity.kind != .shared else { return }
    total.readings += 1
    try tallies.person(of: peer).add(rssi)
    try sign(of: peer, at: date, isReading: true)
  }

  /// A sign that a peer is near, unless it is one that somebody only told of (HP-43).
  private func sign(of peer: ArchiveTallies.Peer, at date: UInt64, isReading: Bool) throws {
    guard peer.identity.kind != .shared else { return }
    let person = try tallies.person(of: peer)
    try tallies.ledger.sign(
      at: date, of: peer.id, isReading: isReading, person: person.id, payload: person.payload, &person.current
    )
  }

  /// Counts what happened to a peer, and writes its line. Its date, if it has one.
  private mutating func note(_ kind: DatedEvent.Kind, of peer: ArchiveTallies.Peer, at date: UInt64?) throws
    -> UInt64?
  {
    guard let date else {
      total.undated += 1
      return nil
    }
    total.events += 1
    if !PlausibleDate.believes(date, now: now) { total.unbelievable += 1 }
    try tables?.append(DatedEvent(unixMilliseconds: date, peer: peer.identity, kind: kind))
    return date
  }

  private mutating func note(_ kind: DatedBytes.Kind, of peer: ArchiveTallies.Peer?, _ row: Row) throws {
    guard let date = Self.date(row) else {
      total.undated += 1
      return
    }
    try tables?.append(
      DatedBytes(unixMilliseconds: date, peer: peer?.identity, kind: kind, bytes: Self.bytes(row)))
  }

  private static func date(_ row: Row) -> UInt64? { (row["date"] as Int64?).map { UInt64(clamping: $0) } }
  private static func bytes(_ row: Row) -> [UInt8] { [UInt8]((row["data"] as Data?) ?? Data()) }

  /// Takes a record that is no reading.
  private mutating func take(_ row: Row) throws {
    let date = Self.date(row)
    let kind: String = row["kind"]
    guard let number = row["peer"] as Int64? else { return try take(own: kind, row, at: date) }
    let peer = try tallies.peer(number)
    switch kind {
    case "detected":
      if let date = try note(.detected, of: peer, at: date) { try sign(of: peer, at: date, isReading: false) }
    case "herald_detected": _ = try note(.heraldDetected, of: peer, at: date)
    case "lost":
      tallies.setPower(nil, of: peer, start: total.starts)
      _ = try note(.lost, of: peer, at: date)
    case "tx_power": tallies.setPower(Int(row["value"] as Int64), of: peer, start: total.starts)
    case "read": try read(row["payload"], of: peer, at: date)
    case "shared": try shared(Self.bytes(row), by: peer, at: date)
    case "visit": try visited(peer, row, at: date)
    case "message": try note(.message, of: peer, row)
    case "model": try note(.model, of: peer, row)
    case "observed": if let system = Self.system(row) { try note(.observed(system), of: peer, row) }
    default: break
    }
  }

  /// Takes a record that is of no peer.
  private mutating func take(own kind: String, _ row: Row, at date: UInt64?) throws {
    switch kind {
    case "own_code": if let system = Self.system(row) { try note(.own(system), of: nil, row) }
    case "own_payload":
      let payload: Int64 = row["payload"]
      total.ownLength = try payloadBytes(payload).count
      try tallies.note(short: tallies.short(of: payload), isOwn: true)
    case "started": total.starts += 1
    case "restarted":
      guard let report = RestartReport(Self.bytes(row).span) else { return }
      let boot = try UInt32.fetchOne(
        database, sql: "SELECT number FROM boot WHERE id = ?", arguments: [row["boot"] as Int64])
      try tables?.append(LoggedRestart(unixMilliseconds: date, boot: boot ?? 0, report: report))
    case "dropped": total.dropped += Int(row["value"] as Int64)
    case "battery":
      guard let date else { return }
      try tables?.append(
        BatteryLevel(unixMilliseconds: date, level: Double(row["value"] as Int64), isExternal: row["payload"])
      )
    default: break
    }
  }

  private static func system(_ row: Row) -> NeighbourSystem? {
    (row["system"] as String?).flatMap(NeighbourSystem.init(archiveName:))
  }

  private func payloadBytes(_ payload: Int64) throws -> [UInt8] {
    [UInt8](
      try Data.fetchOne(database, sql: "SELECT bytes FROM payload WHERE id = ?", arguments: [payload])
        ?? Data())
  }

  private mutating func read(_ payload: Int64, of peer: ArchiveTallies.Peer, at date: UInt64?) throws {
    let short = try tallies.short(of: payload)
    try tallies.note(short: short, isOwn: false)
    try tallies.read(payload, of: peer)
    guard date != nil else {
      total.undated += 1
      return
    }
    guard let date = try note(.read(payloadBytes(payload)), of: peer, at: date) else { return }
    try tallies.sign(of: short, at: date)
    try sign(of: peer, at: date, isReading: false)
  }

  private mutating func shared(_ bytes: [UInt8], by peer: ArchiveTallies.Peer, at date: UInt64?) throws {
    for payload in Self.split(bytes, length: total.ownLength) {
      let short = ShortPayload.text(payload)
      try tallies.note(short: short, isOwn: false)
      if let date = try note(.shared(payload), of: peer, at: date) { try tallies.sign(of: short, at: date) }
    }
  }

  /// Takes what a peer shared apart: into pieces as long as the device's own payload if it comes out even, as
  /// phones of one application do; else it is one piece (HP-42).
  static func split(_ shared: [UInt8], length: Int) -> [[UInt8]] {
    guard length > 0, shared.count > length, shared.count % length == 0 else { return [shared] }
    return stride(from: 0, to: shared.count, by: length).map { Array(shared[$0..<$0 + length]) }
  }

  private mutating func visited(_ beacon: ArchiveTallies.Peer, _ row: Row, at date: UInt64?) throws {
    func before(_ seconds: Int64) -> UInt64 {
      let date = date ?? 0
      return date - min(date, UInt64(clamping: seconds) * 1000)
    }
    let visit = VenueVisit(
      first: before(row["payload"]), last: before(row["value"]), beacon: beacon.identity,
      payload: try beacon.payload.map(payloadBytes) ?? [])
    _ = try note(.visited(visit), of: beacon, at: date)
  }
}
