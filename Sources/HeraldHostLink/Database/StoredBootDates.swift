import GRDB

/// Stores the dates of a device's start-ups in the database, and dates its records.
struct StoredBootDates {
  private let database: Database
  private let device: Int64
  /// The known dates.
  private var calendar: LogCalendar
  /// Start-ups with new date statements, by number.
  private var told: [Int64: StartStatement] = [:]

  private struct StartStatement {
    let epoch: UInt32
    let boot: UInt32
    /// The dates known initially, and whether records were dated by them.
    let known: [LogCalendar.Start]
    let hasRecords: Bool
    /// The dates used for the first records added since.
    var dated: [LogCalendar.Start]?
    /// Whether later records were dated by other dates.
    var isMixed = false
  }

  init(_ database: Database, device: Int64) throws {
    self.database = database
    self.device = device
    calendar = try Self.known(database, device: device)
  }

  /// The known dates of a start.
  func dates(epoch: UInt32, boot: UInt32) -> LogCalendar.BootDates {
    calendar.dates(epoch: epoch, boot: boot)
  }

  /// Compares the former dates of the folder with the present ones. Removed dates are dropped; new ones are
  /// returned. Dates in pages stay with the pages.
  mutating func replaceClocks(_ clocks: [DeviceRecord.ClockFix]) throws -> [DeviceRecord.ClockFix] {
    let clocks = clocks.map(\.unmarked).filter(LogCalendar.believes)
    let wanted = Set(clocks)
    var known: Set<DeviceRecord.ClockFix> = []
    for row in try rows("page_id IS NULL") {
      let fix = Self.fix(row)
      if wanted.contains(fix) { known.insert(fix) } else { try forget(row) }
    }
    return clocks.filter { !known.contains($0) }
  }

  /// Removes the dates of a page.
  mutating func forget(page: Int64) throws {
    for row in try rows("page_id = \(page)") { try forget(row) }
  }

  private mutating func forget(_ row: Row) throws {
    try begin(boot: row["boot_id"], Self.fix(row))
    try database.execute(sql: "DELETE FROM clock WHERE id = ?", arguments: [row["id"] as Int64])
  }

  private func rows(_ condition: String) throws -> [Row] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT clock.id, boot_id, epoch, number, uptime_ms, start_ms, source FROM clock JOIN boot ON boot.id = boot_id
        WHERE \(condition) AND device_id = ?
        """, arguments: [device])
  }

  /// Saves the known dates of a start-up before they change.
  private mutating func begin(boot: Int64, _ fix: DeviceRecord.ClockFix) throws {
    guard told[boot] == nil else { return }
    let hasRecords = try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM conversion_boot WHERE boot_id = ?)", arguments: [boot])
    told[boot] = StartStatement(
      epoch: fix.epoch, boot: fix.boot, known: starts(epoch: fix.epoch, boot: fix.boot),
      hasRecords: hasRecords ?? false)
  }

  /// Stores an uptime whose date is given by a page or the folder.
  mutating func add(_ fix: DeviceRecord.ClockFix, boot: Int64, page: Int64?) throws {
    try begin(boot: boot, fix)
    // If uptimes do not ascend, this may be incomplete. `dateAnew` then corrects the dates from the database.
    calendar.add(fix, isLast: true)
    try database.execute(
      sql: "INSERT INTO clock (boot_id, page_id, uptime_ms, start_ms, source) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        boot, page, Int64(fix.uptimeMilliseconds), Int64(fix.unixMilliseconds - fix.uptimeMilliseconds),
        fix.source.rawValue,
      ])
  }

  /// The dates of a start-up with the uptime from which each applies; the first applies from the start.
  private func starts(epoch: UInt32, boot: UInt32) -> [LogCalendar.Start] {
    var starts = calendar.starts(epoch: epoch, boot: boot)
    if let first = starts.first {
      starts[0] = LogCalendar.Start(uptime: 0, start: first.start, source: first.source)
    }
    return starts
  }

  /// Registers that a page has records of a start-up, dated by the dates known at this point.
  mutating func note(page: Int64, ofBoot boot: Int64) throws {
    if let told = told[boot] {
      let starts = starts(epoch: told.epoch, boot: told.boot)
      if told.dated == nil {
        self.told[boot]?.dated = starts
      } else if told.dated != starts {
        self.told[boot]?.isMixed = true
      }
    }
    try database.cachedStatement(
      sql: """
        INSERT INTO conversion_boot (boot_id, first_page_id, last_page_id) VALUES (:boot, :page, :page)
        ON CONFLICT DO UPDATE SET first_page_id = MIN(first_page_id, :page), last_page_id = MAX(last_page_id, :page)
        """
    ).execute(arguments: ["boot": boot, "page": page])
  }

  /// Corrects the dates of records after all pages have been entered. If records of settled pages change, the
  /// interpretation is marked as stale.
  mutating func dateAnew() throws {
    guard !told.isEmpty else { return }
    calendar = try Self.known(database, device: device)
    for (boot, told) in told {
      let starts = starts(epoch: told.epoch, boot: told.boot)
      let isDatedAnew = told.hasRecords && starts != told.known
      guard isDatedAnew || told.isMixed || told.dated.map({ $0 != starts }) ?? false else { continue }
      try date(boot, starts, changedFrom: isDatedAnew ? Self.change(from: told.known, to: starts) : .max)
    }
    told = [:]
  }

  /// The uptime before which dates are the same.
  private static func change(from known: [LogCalendar.Start], to starts: [LogCalendar.Start]) -> Int64 {
    let same = zip(known, starts).prefix { $0 == $1 }.count
    guard same > 0 else { return 0 }
    return min(known.dropFirst(same).first?.uptime ?? .max, starts.dropFirst(same).first?.uptime ?? .max)
  }

  /// Dates the records of a start-up; those of settled pages only from `uptime` on.
  private func date(_ boot: Int64, _ starts: [LogCalendar.Start], changedFrom uptime: Int64) throws {
    guard
      let pages = try Row.fetchOne(
        database,
        sql: """
          SELECT first_page_id, last_page_id, CASE WHEN pages > 0 THEN last_page_id_settled ELSE 0 END AS settled
          FROM conversion_boot, (SELECT pages, last_page_id AS last_page_id_settled FROM conversion WHERE device_id = ?)
          WHERE boot_id = ?
          """, arguments: [device, boot])
    else { return }
    let first = pages["first_page_id"] * DatabaseSchema.recordsPerPage
    let end = (pages["last_page_id"] + 1) * DatabaseSchema.recordsPerPage
    let settled = min(max(first, (pages["settled"] + 1) * DatabaseSchema.recordsPerPage), end)
    let last = try Int64.fetchOne(
      database,
      sql: "SELECT uptime_ms FROM reading WHERE id >= ? AND id < ? AND boot_id = ? ORDER BY id DESC LIMIT 1",
      arguments: [first, settled, boot])
    let lastEvent = try Int64.fetchOne(
      database,
      sql: "SELECT uptime_ms FROM event WHERE id >= ? AND id < ? AND boot_id = ? ORDER BY id DESC LIMIT 1",
      arguments: [first, settled, boot])
    if max(last ?? 0, lastEvent ?? 0) >= uptime, try date(boot, starts, first..<settled) {
      try database.execute(sql: "UPDATE conversion SET is_stale = 1 WHERE device_id = ?", arguments: [device])
    }
    _ = try date(boot, starts, settled..<end)
  }

  /// Dates the records of a start-up within a range of numbers. Returns whether any date changed.
  private func date(_ boot: Int64, _ starts: [LogCalendar.Start], _ records: Range<Int64>) throws -> Bool {
    guard !records.isEmpty else { return false }
    let before = database.totalChangesCount
    for table in DatabaseSchema.records {
      if starts.isEmpty {
        try database.execute(
          sql:
            "UPDATE \(table) SET unix_ms = NULL WHERE id >= ? AND id < ? AND boot_id = ? AND unix_ms IS NOT NULL",
          arguments: [records.lowerBound, records.upperBound, boot])
      }
      for (index, start) in starts.enumerated() {
        let from = index == 0 ? 0 : start.uptime
        let until = index + 1 < starts.count ? starts[index + 1].uptime : Int64.max
        try database.execute(
          sql: """
            UPDATE \(table) SET unix_ms = uptime_ms + :start WHERE id >= :first AND id < :end AND boot_id = :boot
              AND uptime_ms >= :from AND uptime_ms < :until AND unix_ms IS NOT uptime_ms + :start
              AND uptime_ms + :start BETWEEN 0 AND :latest
            """,
          arguments: [
            "start": start.start, "first": records.lowerBound, "end": records.upperBound, "boot": boot,
            "from": from,
            "until": until, "latest": Int64(clamping: UTCTimestamp.latest),
          ])
      }
    }
    return database.totalChangesCount > before
  }

  /// The known dates, in chronological order.
  private static func known(_ database: Database, device: Int64) throws -> LogCalendar {
    var calendar = LogCalendar()
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT clock.id, boot.epoch, boot.number, uptime_ms, start_ms, source FROM clock JOIN boot ON boot.id = boot_id
          LEFT JOIN page ON page.id = page_id
        WHERE boot.device_id = ? ORDER BY boot_id, uptime_ms, page_id IS NOT NULL, sequence, clock.id
        """, arguments: [device])
    while let row = try rows.next() { calendar.add(fix(row), isLast: true) }
    return calendar
  }

  private static func fix(_ row: Row) -> DeviceRecord.ClockFix {
    let uptime: Int64 = row["uptime_ms"]
    let start: Int64 = row["start_ms"]
    let source: String = row["source"]
    return DeviceRecord.ClockFix(
      epoch: row["epoch"], boot: row["number"], uptimeMilliseconds: UInt64(clamping: uptime),
      unixMilliseconds: UInt64(clamping: start + uptime),
      source: DeviceRecord.ClockFix.Source(rawValue: source) ?? .host)
  }
}
