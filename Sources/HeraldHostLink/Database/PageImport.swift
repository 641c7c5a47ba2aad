import Foundation
import GRDB
import HeraldCrypto
import HeraldEmbedded

/// Imports the pages of one device into a database, one at a time, so that memory does not grow with the log.
struct PageImport {
  /// The maximum number of dates used from a page. A page has one in its header and one for each setting of
  /// the clock.
  private static let mostDates = 32

  private(set) var change = LogDatabase.Change()
  private let database: Database
  private let device: Int64
  private var readings: ReadingRows
  private let others: StoredRecords
  private var peers: [TargetIdentity: Int64] = [:]
  private var payloads: [[UInt8]: Int64] = [:]
  private var boots: [Boot: Int64] = [:]
  /// The maximum number of entries of each cache.
  private static let mostKnown = 8192
  /// The start-up of the previous record, its row number, and its known dates.
  private var current: (boot: Boot, id: Int64, dates: LogCalendar.BootDates)?
  private var dates: StoredBootDates
  /// The page files that are already imported.
  private var files: [PageKey: KnownFile] = [:]

  private struct Boot: Hashable {
    let epoch: UInt32
    let number: UInt32
  }

  private struct PageKey: Hashable {
    let epoch: UInt32
    let sequence: UInt32
  }

  private struct KnownFile {
    let isOpen: Bool
    let stamp: FileStamp
    let isPage: Bool
  }

  /// Starts from the device record of the folder.
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
    try database.execute(
      sql: "INSERT INTO conversion (device_id) VALUES (?) ON CONFLICT DO NOTHING", arguments: [self.device])
    // Until the whole folder is imported and interpreted, the database belongs to no folder.
    try database.execute(
      sql: "UPDATE conversion SET folder = X'' WHERE device_id = ? AND folder <> X''",
      arguments: [self.device])
    readings = try ReadingRows(database)
    others = try StoredRecords(database)
    dates = try StoredBootDates(database, device: self.device)
    let rows = try Row.fetchCursor(
      database, sql: "SELECT * FROM conversion_page WHERE device_id = ?", arguments: [self.device])
    while let row = try rows.next() {
      files[PageKey(epoch: row["epoch"], sequence: row["sequence"])] = KnownFile(
        isOpen: row["is_open"], stamp: FileStamp(bytes: row["bytes"], changed: row["changed_ns"]),
        isPage: row["is_page"])
    }
    for fix in try dates.replaceClocks(device.clocks) { try note(fix, of: nil) }
  }

  /// The row number of the device.
  var deviceID: Int64 { device }

  /// Imports a page of a folder. An unchanged file that is already imported is not read.
  mutating func add(_ name: PageName, of folder: PageStore) throws {
    let key = PageKey(epoch: name.epoch, sequence: name.sequence)
    let stamp = folder.stamp(of: name)
    if let known = files[key], known.isOpen == name.isOpen, known.stamp == stamp {
      if known.isPage { change.knownPages += 1 } else { refuse(name) }
      return
    }
    let sealed = change.sealedPages
    let isPage = try add(name, of: folder, bytes: try folder.read(name))
    // A sealed page is looked at again when there is a key.
    guard let stamp, change.sealedPages == sealed else { return }
    try database.execute(
      sql: """
        INSERT INTO conversion_page (device_id, epoch, sequence, is_open, bytes, changed_ns, is_page) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET is_open = excluded.is_open, bytes = excluded.bytes, changed_ns = excluded.changed_ns,
          is_page = excluded.is_page
        """,
      arguments: [device, name.epoch, name.sequence, name.isOpen, stamp.bytes, stamp.changed, isPage])
  }

  private mutating func refuse(_ name: PageName) {
    if change.refused.count < LogConversion.mostListed { change.refused.append(name.fileName) }
  }

  /// Imports the bytes of a page, unless it is already in the database unchanged. Returns whether they are a
  /// page of this log.
  private mutating func add(_ name: PageName, of folder: PageStore, bytes: [UInt8]) throws -> Bool {
    let sha256 = Self.digest(bytes)
    let known = try Row.fetchOne(
      database,
      sql: "SELECT id, sha256, is_open FROM page WHERE device_id = ? AND epoch = ? AND sequence = ?",
      arguments: [device, name.epoch, name.sequence])
    if let known, known["sha256"] == sha256, known["is_open"] == name.isOpen {
      change.knownPages += 1
      return true
    }
    guard let page = folder.decoded(bytes, of: name), page.epoch == name.epoch, page.sequence == name.sequence
    else {
      refuse(name)
      return false
    }
    if page.isSealed {
      change.sealedPages += 1
      if !name.isOpen { change.sealedNames.append(name) }
      return true
    }
    // A page that was opened in part has no digest of a file: it is looked at again.
    if page.isPartlyOpened { change.sealedPages += 1 }
    let digest = page.isPartlyOpened ? Data(repeating: 0, count: sha256.count) : sha256
    try put(page, isOpen: name.isOpen, sha256: digest, replacing: known?["id"])
    return true
  }

  /// Inserts a page, replacing an earlier form of it.
  mutating func put(_ page: LogPage, isOpen: Bool, sha256: Data, replacing former: Int64? = nil) throws {
    if let former { try remove(page: former) }
    try database.execute(
      sql: """
        INSERT INTO page (id, device_id, epoch, sequence, is_open, sha256, records, ending) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        former, device, page.epoch, page.sequence, isOpen, sha256, page.records.count,
        Self.text(page.ending, isOpen: isOpen),
      ])
    let id = former ?? database.lastInsertedRowID
    for fix in page.fixes.filter(LogCalendar.believes).prefix(Self.mostDates) { try note(fix, of: id) }
    current = nil
    change.newPages += 1
    change.records += page.records.count
    let first = id * DatabaseSchema.recordsPerPage
    for (index, record) in page.records.enumerated() { try put(record, as: first + Int64(index)) }
    try readings.flush()
    var seen: Int64?
    for record in page.records {
      let boot = try boot(record.epoch, record.boot)
      if boot != seen { try dates.note(page: id, ofBoot: boot) }
      seen = boot
    }
  }

  private mutating func note(_ fix: DeviceRecord.ClockFix, of page: Int64?) throws {
    try dates.add(fix, boot: try boot(fix.epoch, fix.boot), page: page)
  }

  /// Deletes pages whose files are no longer in the folder.
  mutating func keepOnly(_ names: [PageName]) throws {
    let there = Set(names.map { PageKey(epoch: $0.epoch, sequence: $0.sequence) })
    for key in files.keys where !there.contains(key) {
      let id = try Int64.fetchOne(
        database, sql: "SELECT id FROM page WHERE device_id = ? AND epoch = ? AND sequence = ?",
        arguments: [device, key.epoch, key.sequence])
      if let id { try remove(page: id) }
      try database.execute(
        sql: "DELETE FROM conversion_page WHERE device_id = ? AND epoch = ? AND sequence = ?",
        arguments: [device, key.epoch, key.sequence])
    }
  }

  /// Dates again the records whose dates differ from those that result from all known dates.
  mutating func finish() throws {
    try readings.flush()
    try dates.dateAnew()
  }

  private mutating func remove(page: Int64) throws {
    // The interpretation of all later pages depends on a settled page.
    try database.execute(
      sql: "UPDATE conversion SET is_stale = 1 WHERE device_id = ? AND pages > 0 AND open_page_id <> ?",
      arguments: [device, page])
    let first = page * DatabaseSchema.recordsPerPage
    for table in DatabaseSchema.records {
      try database.execute(
        sql: "DELETE FROM \(table) WHERE id >= ? AND id < ?",
        arguments: [first, first + DatabaseSchema.recordsPerPage])
    }
    try dates.forget(page: page)
    try database.execute(sql: "DELETE FROM page WHERE id = ?", arguments: [page])
  }

  private mutating func put(_ record: BootRecord, as id: Int64) throws {
    let (boot, dates) = try start(of: record)
    let uptime = Int64(clamping: record.uptimeMilliseconds)
    let date = dates.unixMilliseconds(at: record.uptimeMilliseconds)
    if let columns = EventColumns(record.event) {
      var payload: Int64?
      if case .payload = columns.bytes { payload = try self.payload(record.payload) }
      return try others.add(
        StoredRecord(
          id: id, date: date, boot: boot, peer: try record.event.peer.map { try peer($0) },
          payload: payload, bytes: record.payload, columns: columns), uptime: uptime)
    }
    guard case .measured(let target, let rssi) = record.event, rssi.isAvailable else { return }
    try readings.add(
      id: id, boot: boot, peer: try peer(target), uptime: uptime, date: date.map { Int64(clamping: $0) },
      rssi: Int64(rssi.rawValue))
    change.readings += 1
  }

  // MARK: Referenced rows

  /// The start-up of a record, usually that of the previous record.
  private mutating func start(of record: BootRecord) throws -> (id: Int64, dates: LogCalendar.BootDates) {
    let key = Boot(epoch: record.epoch, number: record.boot)
    if let current, current.boot == key { return (current.id, current.dates) }
    let dates = dates.dates(epoch: record.epoch, boot: record.boot)
    let id = try boot(record.epoch, record.boot)
    current = (key, id, dates)
    return (id, dates)
  }

  private mutating func boot(_ epoch: UInt32, _ number: UInt32) throws -> Int64 {
    let key = Boot(epoch: epoch, number: number)
    if let known = boots[key] { return known }
    let id = try id(
      of: "boot", columns: ["device_id", "epoch", "number"], [device, epoch, number])
    if boots.count >= Self.mostKnown { boots = [:] }
    boots[key] = id
    return id
  }

  private mutating func peer(_ target: TargetIdentity) throws -> Int64 {
    if let known = peers[target] { return known }
    let id = try id(
      of: "peer", columns: ["device_id", "kind", "address"],
      [device, target.kind.databaseName, target.addressText])
    if peers.count >= Self.mostKnown { peers = [:] }
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
    if payloads.count >= Self.mostKnown { payloads = [:] }
    payloads[bytes] = id
    return id
  }

  /// The number of the row with these values, which is inserted if it does not exist.
  private func id(of table: String, columns: [String], _ values: StatementArguments) throws -> Int64 {
    let names = columns.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    try database.execute(
      sql: "INSERT INTO \(table) (\(names)) VALUES (\(marks)) ON CONFLICT DO NOTHING", arguments: values)
    let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
    return try Int64.fetchOne(database, sql: "SELECT id FROM \(table) WHERE \(condition)", arguments: values)
      ?? 0
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
