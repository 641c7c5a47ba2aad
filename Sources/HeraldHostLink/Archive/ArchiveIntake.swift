import Foundation
import GRDB
import HeraldEmbedded

/// Takes pages of one device into an archive, within one transaction.
struct ArchiveIntake {
  private(set) var change = Archive.Change()
  private let database: Database
  private let device: Int64
  private var readings: ReadingRows
  private let insertEvent: Statement
  private var peers: [TargetIdentity: Int64] = [:]
  private var payloads: [[UInt8]: Int64] = [:]
  private var boots: [Boot: Int64] = [:]
  /// The start-up that the record before belonged to, its number here, and what is known of its date.
  private var current: (boot: Boot, id: Int64, dates: LogCalendar.BootDates)?
  private let clocks: [DeviceRecord.ClockFix]
  private var calendar = LogCalendar()
  private var arrivals: [Arrival] = []

  private struct Boot: Hashable {
    let epoch: UInt32
    let number: UInt32
  }

  /// A page that is to go in, and the one whose place it takes.
  private struct Arrival {
    let page: LogPage
    let isOpen: Bool
    let sha256: Data
    let replaces: Int64?
  }

  /// Begins with what the folder knows about the device.
  init(_ database: Database, device: DeviceRecord) throws {
    self.database = database
    try database.execute(
      sql: """
        INSERT INTO device (serial, name, system, version) VALUES (?, ?, ?, ?)
        ON CONFLICT (serial) DO UPDATE SET name = excluded.name, system = excluded.system, version = excluded.version
        """, arguments: [device.serial, device.name, device.system, device.version])
    self.device =
      try Int64.fetchOne(database, sql: "SELECT id FROM device WHERE serial = ?", arguments: [device.serial])
      ?? 0
    readings = try ReadingRows(database)
    insertEvent = try database.cachedStatement(
      sql: """
        INSERT INTO event (id, boot_id, peer_id, uptime_ms, unix_ms, kind, payload_id, system, value, data)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    clocks = device.clocks
  }

  /// Reads a page, unless it is here as it is. `finish` puts it in.
  mutating func add(_ bytes: [UInt8], as name: PageName) throws {
    let sha256 = Self.digest(bytes)
    let known = try Row.fetchOne(
      database,
      sql: "SELECT id, sha256, is_open FROM page WHERE device_id = ? AND epoch = ? AND sequence = ?",
      arguments: [device, name.epoch, name.sequence])
    // Before it is decoded: of a log that is pulled again and again most pages are here.
    if let known, known["sha256"] == sha256, known["is_open"] == name.isOpen {
      change.knownPages += 1
      return
    }
    guard let page = LogPage(bytes), page.epoch == name.epoch, page.sequence == name.sequence else {
      change.refused.append(name.fileName)
      return
    }
    arrivals.append(Arrival(page: page, isOpen: name.isOpen, sha256: sha256, replaces: known?["id"]))
  }

  /// Puts in what is new, dates again what is dated otherwise than before, and finds the contacts.
  mutating func finish() throws {
    let before = try knownDates()
    try replaceClocks()
    let new = try arrivals.map { (try enter($0), $0.page) }
    arrivals = []
    calendar = try knownDates()
    let isDatedAnew = try dateAnew(from: before)
    for (id, page) in new {
      let first = id * ArchiveSchema.recordsPerPage
      for (place, record) in page.records.enumerated() { try put(record, as: first + Int64(place)) }
    }
    try readings.flush()
    if !new.isEmpty || isDatedAnew { try ArchiveContacts.find(in: database, device: device) }
  }

  /// Enters a page and what it says of dates, without its records. Its number.
  private mutating func enter(_ arrival: Arrival) throws -> Int64 {
    let page = arrival.page
    if let known = arrival.replaces { try remove(page: known) }
    try database.execute(
      sql: """
        INSERT INTO page (id, device_id, epoch, sequence, is_open, sha256, records, ending) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        arrival.replaces, device, page.epoch, page.sequence, arrival.isOpen, arrival.sha256,
        page.records.count,
        Self.text(page.ending, isOpen: arrival.isOpen),
      ])
    let id = arrival.replaces ?? database.lastInsertedRowID
    for fix in page.clocks { try enter(fix, of: id) }
    for record in page.records {
      guard case .clockSet(let unixMilliseconds, _) = record.event else { continue }
      let fix = DeviceRecord.ClockFix(
        epoch: record.epoch, boot: record.boot, uptimeMilliseconds: record.uptimeMilliseconds,
        unixMilliseconds: unixMilliseconds, source: .device)
      try enter(fix, of: id)
    }
    change.newPages += 1
    change.records += page.records.count
    return id
  }

  private func remove(page: Int64) throws {
    let first = page * ArchiveSchema.recordsPerPage
    for table in ArchiveSchema.records {
      try database.execute(
        sql: "DELETE FROM \(table) WHERE id >= ? AND id < ?",
        arguments: [first, first + ArchiveSchema.recordsPerPage])
    }
    try database.execute(sql: "DELETE FROM clock WHERE page_id = ?", arguments: [page])
    try database.execute(sql: "DELETE FROM page WHERE id = ?", arguments: [page])
  }

  private mutating func put(_ record: BootRecord, as id: Int64) throws {
    let (boot, dates) = try start(of: record)
    let uptime = Int64(clamping: record.uptimeMilliseconds)
    let date = dates.unixMilliseconds(at: record.uptimeMilliseconds).map { Int64(clamping: $0) }
    guard case .measured(let target, let rssi) = record.event else {
      return try put(record, as: id, boot: boot, uptime: uptime, date: date)
    }
    guard rssi.isAvailable else { return }
    try readings.add(
      id: id, boot: boot, peer: try peer(target), uptime: uptime, date: date, rssi: Int64(rssi.rawValue))
    change.readings += 1
  }

  /// Puts in what is no reading.
  private mutating func put(
    _ record: BootRecord, as id: Int64, boot: Int64, uptime: Int64, date: Int64?
  ) throws {
    func event(
      _ kind: String, _ peer: Int64? = nil, payload: Int64? = nil, system: NeighbourSystem? = nil,
      value: Int64? = nil,
      data: Data? = nil
    ) throws {
      try insertEvent.execute(
        arguments: [id, boot, peer, uptime, date, kind, payload, system?.archiveName, value, data])
    }
    switch record.event {
    case .measured: break
    case .detected(let target): try event("detected", try peer(target))
    case .heraldDetected(let target): try event("herald_detected", try peer(target))
    case .lost(let target): try event("lost", try peer(target))
    case .txPower(let target, let dBm): try event("tx_power", try peer(target), value: Int64(dBm))
    case .read(let target): try event("read", try peer(target), payload: try payload(record.payload))
    case .shared(let target): try event("shared", try peer(target), data: Data(record.payload))
    case .received(let target): try event("message", try peer(target), data: Data(record.payload))
    case .model(let target): try event("model", try peer(target), data: Data(record.payload))
    case .neighbour(let target, let system):
      try event("observed", try peer(target), system: system, data: Data(record.payload))
    case .ownNeighbour(let system): try event("own_code", system: system, data: Data(record.payload))
    case .ownPayload: try event("own_payload", payload: try payload(record.payload))
    case .started(let reason): try event("started", value: Int64(reason))
    case .restarted: try event("restarted", data: Data(record.payload))
    case .dropped(let count): try event("dropped", value: Int64(count))
    case .clockSet(let unixMilliseconds, _):
      try event("clock_set", value: Int64(clamping: unixMilliseconds))
    case .battery(let level, let isExternal):
      try database.execute(
        sql:
          "INSERT INTO battery (id, boot_id, uptime_ms, unix_ms, level, is_external) VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [id, boot, uptime, date, level, isExternal])
    case .visited(let target, let first, let last):
      try database.execute(
        sql: """
          INSERT INTO visit (id, boot_id, peer_id, uptime_ms, unix_ms, first_seconds_before, last_seconds_before)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """, arguments: [id, boot, try peer(target), uptime, date, first, last])
    }
  }

  // MARK: What records refer to

  /// The start-up of a record: mostly that of the one before.
  private mutating func start(of record: BootRecord) throws -> (id: Int64, dates: LogCalendar.BootDates) {
    let key = Boot(epoch: record.epoch, number: record.boot)
    if let current, current.boot == key { return (current.id, current.dates) }
    let dates = calendar.dates(epoch: record.epoch, boot: record.boot)
    let id = try boot(record.epoch, record.boot)
    current = (key, id, dates)
    return (id, dates)
  }

  private mutating func boot(_ epoch: UInt32, _ number: UInt32) throws -> Int64 {
    let key = Boot(epoch: epoch, number: number)
    if let known = boots[key] { return known }
    let id = try id(
      of: "boot", columns: ["device_id", "epoch", "number"], [device, epoch, number])
    boots[key] = id
    return id
  }

  private mutating func peer(_ target: TargetIdentity) throws -> Int64 {
    if let known = peers[target] { return known }
    let id = try id(
      of: "peer", columns: ["device_id", "kind", "address"],
      [device, target.kind.archiveName, target.addressText])
    peers[target] = id
    return id
  }

  private mutating func payload(_ bytes: [UInt8]) throws -> Int64 {
    if let known = payloads[bytes] { return known }
    try database.execute(
      sql: "INSERT INTO payload (bytes, short, family) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      arguments: [Data(bytes), ShortPayload.text(bytes), PayloadDescription(bytes)?.family ?? ""])
    let id =
      try Int64.fetchOne(database, sql: "SELECT id FROM payload WHERE bytes = ?", arguments: [Data(bytes)])
      ?? 0
    payloads[bytes] = id
    return id
  }

  /// The number of the row with these values, which is made if there is none.
  private func id(of table: String, columns: [String], _ values: StatementArguments) throws -> Int64 {
    let names = columns.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    try database.execute(
      sql: "INSERT INTO \(table) (\(names)) VALUES (\(marks)) ON CONFLICT DO NOTHING", arguments: values)
    let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
    return try Int64.fetchOne(database, sql: "SELECT id FROM \(table) WHERE \(condition)", arguments: values)
      ?? 0
  }

  // MARK: Dates

  /// What the folder knew of dates gives way to what it knows now. What pages say stays with the pages.
  private mutating func replaceClocks() throws {
    try database.execute(
      sql: "DELETE FROM clock WHERE page_id IS NULL AND boot_id IN (SELECT id FROM boot WHERE device_id = ?)",
      arguments: [device])
    for fix in clocks { try enter(fix, of: nil) }
  }

  /// Keeps a moment whose date a page or the folder knows, if the calendar believes in it.
  private mutating func enter(_ fix: DeviceRecord.ClockFix, of page: Int64?) throws {
    guard LogCalendar.believes(fix) else { return }
    try database.execute(
      sql: "INSERT INTO clock (boot_id, page_id, uptime_ms, start_ms, source) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        try boot(fix.epoch, fix.boot), page, Int64(fix.uptimeMilliseconds),
        Int64(fix.unixMilliseconds - fix.uptimeMilliseconds), fix.source.rawValue,
      ])
  }

  /// What is known about dates: in the order in which a conversion of the pages takes it in.
  private func knownDates() throws -> LogCalendar {
    var calendar = LogCalendar()
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT boot.epoch, boot.number, uptime_ms, start_ms, source FROM clock JOIN boot ON boot.id = boot_id
          LEFT JOIN page ON page.id = page_id
        WHERE boot.device_id = ? ORDER BY page_id IS NOT NULL, sequence, clock.id
        """, arguments: [device])
    while let row = try rows.next() {
      let uptime: Int64 = row[2]
      let start: Int64 = row[3]
      let source: String = row[4]
      calendar.add(
        DeviceRecord.ClockFix(
          epoch: row[0], boot: row[1], uptimeMilliseconds: UInt64(clamping: uptime),
          unixMilliseconds: UInt64(clamping: start + uptime),
          source: DeviceRecord.ClockFix.Source(rawValue: source) ?? .host))
    }
    return calendar
  }

  /// Dates what is here otherwise than by the calendar that was; whether there was any.
  private func dateAnew(from before: LogCalendar) throws -> Bool {
    var isDatedAnew = false
    for row in try Row.fetchAll(
      database, sql: "SELECT id, epoch, number FROM boot WHERE device_id = ?", arguments: [device])
    {
      let starts = calendar.starts(epoch: row["epoch"], boot: row["number"])
      guard starts != before.starts(epoch: row["epoch"], boot: row["number"]) else { continue }
      isDatedAnew = true
      let boot: Int64 = row["id"]
      for (index, start) in starts.enumerated() {
        let from = index == 0 ? 0 : start.uptime
        let until = index + 1 < starts.count ? starts[index + 1].uptime : Int64.max
        for table in ArchiveSchema.records {
          try database.execute(
            sql:
              "UPDATE \(table) SET unix_ms = uptime_ms + ? WHERE boot_id = ? AND uptime_ms >= ? AND uptime_ms < ?",
            arguments: [start.start, boot, from, until])
        }
      }
    }
    return isDatedAnew
  }

  // MARK: Words

  private static func digest(_ bytes: [UInt8]) -> Data {
    let digest = SHA256.digest(of: bytes.span)
    var data = Data(capacity: 32)
    for index in digest.indices { data.append(digest[index]) }
    return data
  }

  private static func text(_ ending: LogPageDecoder.Ending, isOpen: Bool) -> String {
    switch ending {
    case .reading, .complete: isOpen ? "open" : "complete"
    case .torn: "torn"
    case .malformed: "malformed"
    }
  }
}
