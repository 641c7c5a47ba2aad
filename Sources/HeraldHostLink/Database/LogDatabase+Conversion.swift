import Foundation
import GRDB

extension LogDatabase {
  /// The number of pages imported or interpreted in one transaction.
  private static let pagesAtOnce = 512

  /// Imports the pages of a folder and interprets them; see `PageStore`. Pages that are no longer in the
  /// folder stay in the database.
  public func add(_ folder: PageStore) throws(HostLinkError) -> Change {
    let change = try pageImport(folder, isWhole: false)
    try interpret(folder.device, tables: nil)
    return change
  }

  /// Updates this database, which belongs to the folder, and the tables in the folder. For an unchanged
  /// folder, only the names, sizes and times of its files are read. The time for pages appended to the log is
  /// proportional to the number of those pages.
  public func convert(_ folder: PageStore) throws(HostLinkError) -> Change {
    let fingerprint = try FolderFingerprint(folder)
    if let change = try asking({ try unchanged($0, folder, fingerprint) }) { return change }
    let change = try pageImport(folder, isWhole: true)
    try interpret(
      folder.device, tables: folder.path,
      of: change.sealedPages > 0
        ? nil : Converted(fingerprint: fingerprint, pages: change.newPages + change.knownPages))
    return change
  }

  /// A folder that is completely in the database.
  struct Converted {
    let fingerprint: FolderFingerprint
    /// The number of pages, without files that are not pages.
    let pages: Int
  }

  /// The result of a conversion of a folder if neither it nor its tables have changed since the last one;
  /// else `nil`.
  private func unchanged(_ database: Database, _ folder: PageStore, _ fingerprint: FolderFingerprint) throws
    -> Change?
  {
    guard
      let state = try Row.fetchOne(
        database,
        sql: "SELECT conversion.* FROM conversion JOIN device ON device.id = device_id WHERE serial = ?",
        arguments: [folder.device.serial]), state["folder"] == fingerprint.sha256,
      state["is_stale"] == false, state["is_writing"] == false
    else { return nil }
    let device: Int64 = state["device_id"]
    guard try LogTables(folder: folder.path, device: device).areAsLeft(database) else { return nil }
    var change = Change()
    change.knownPages = state["folder_pages"]
    let refused = try Row.fetchAll(
      database,
      // Without this, SQLite would scan all pages.
      sql: """
        SELECT epoch, sequence, is_open FROM conversion_page INDEXED BY conversion_page_refused
        WHERE device_id = ? AND NOT is_page
        """,
      arguments: [device]
    ).map { PageName(epoch: $0["epoch"], sequence: $0["sequence"], isOpen: $0["is_open"]) }
    change.refused = folder.inOrder(refused).prefix(LogConversion.mostListed).map(\.fileName)
    return change
  }

  private static func note(_ converted: Converted?, of device: Int64, _ database: Database) throws {
    guard let converted else { return }
    try database.execute(
      sql: "UPDATE conversion SET folder = ?, folder_pages = ? WHERE device_id = ?",
      arguments: [converted.fingerprint.sha256, converted.pages, device])
  }

  /// Imports the pages of a folder, without interpreting them.
  func pageImport(_ folder: PageStore, isWhole: Bool) throws(HostLinkError) -> Change {
    let names = try folder.pagesInOrder()
    var left = names[...]
    var pageImport: PageImport?
    // Several transactions, which bounds the size of the journal and the work lost by an interruption.
    repeat {
      let part = left.prefix(Self.pagesAtOnce)
      left = left.dropFirst(part.count)
      let isLast = left.isEmpty
      pageImport = try asking { database in
        var going = try pageImport ?? PageImport(database, device: folder.device)
        for name in part { try going.add(name, of: folder) }
        if isLast {
          if isWhole { try going.keepOnly(names) }
          try going.finish()
        }
        return going
      }
    } while !left.isEmpty
    return pageImport?.change ?? Change()
  }

  /// The records of a device that are to be interpreted.
  private struct Plan {
    let device: Int64
    /// The pages in the order of the log, without the last one if the device was still writing it; and that
    /// page.
    var settled: [Int64]
    let open: Int64?
    /// The number of settled pages that are interpreted.
    var done: Int
    /// The page that the device was writing at the previous conversion.
    let formerlyOpen: Int64
  }

  /// Interprets new records, or all if an earlier one has changed. Then assigns the database to a folder, if
  /// one is given.
  func interpret(_ record: DeviceRecord, tables folder: String?, of converted: Converted? = nil)
    throws(HostLinkError)
  {
    let device = try asking { database in
      try Int64.fetchOne(database, sql: "SELECT id FROM device WHERE serial = ?", arguments: [record.serial])
        ?? 0
    }
    let tables = folder.map { LogTables(folder: $0, device: device) }
    let begun = try asking { database in
      let plan = try begin(database, record, device, tables)
      if plan == nil { try Self.note(converted, of: device, database) }
      return plan
    }
    guard var plan = begun else { return }
    while plan.done < plan.settled.count {
      let part = plan.settled[plan.done..<min(plan.done + Self.pagesAtOnce, plan.settled.count)]
      plan.done = part.endIndex
      try asking { database in
        var interpreter = try LogInterpreter(database, device: device, tables: tables)
        for page in part { try interpreter.take(page: page) }
        try interpreter.flush()
        try tables?.settle(database)
        try database.execute(
          sql: "UPDATE conversion SET pages = ?, last_page_id = ?, open_page_id = ? WHERE device_id = ?",
          arguments: [
            plan.done, part.last ?? 0, part.contains(plan.formerlyOpen) ? 0 : plan.formerlyOpen, device,
          ])
      }
    }
    try asking { database in
      if let open = plan.open {
        try OpenPageUndo.begin(database)
        var interpreter = try LogInterpreter(database, device: device, tables: tables)
        try interpreter.take(page: open)
        try interpreter.flush()
        try OpenPageUndo.end(database, device: device)
      }
      try tables?.finish(database, device: record)
      try database.execute(
        sql: """
          UPDATE conversion SET open_page_id = :open, is_writing = 0, device = :words,
            open_sha256 = COALESCE((SELECT sha256 FROM page WHERE id = :open), X'') WHERE device_id = :device
          """,
        arguments: ["open": plan.open ?? 0, "words": Self.words(of: record, with: tables), "device": device])
      try Self.note(converted, of: device, database)
    }
  }

  /// The parts of `device.json` that the tables contain.
  private static func words(of record: DeviceRecord, with tables: LogTables?) -> String {
    tables == nil ? "" : "\(record.name)\n\(record.system)\n\(record.version)"
  }

  /// Prepares an interpretation; `nil` if no records are to be interpreted.
  private func begin(_ database: Database, _ record: DeviceRecord, _ device: Int64, _ tables: LogTables?)
    throws -> Plan?
  {
    guard
      let state = try Row.fetchOne(
        database, sql: "SELECT * FROM conversion WHERE device_id = ?", arguments: [device])
    else { return nil }
    var pages = try Row.fetchAll(
      database,
      sql: """
        SELECT page.id, is_open FROM page JOIN (SELECT epoch, MIN(id) AS came FROM page WHERE device_id = :device GROUP BY epoch)
          USING (epoch) WHERE device_id = :device ORDER BY came, sequence
        """, arguments: ["device": device]
    ).map { (id: $0["id"] as Int64, isOpen: $0["is_open"] as Bool) }
    let open = pages.last?.isOpen == true ? pages.removeLast().id : nil
    var plan = Plan(
      device: device, settled: pages.map(\.id), open: open, done: state["pages"],
      formerlyOpen: state["open_page_id"])
    let isStale: Bool = state["is_stale"]
    let wasCutOff: Bool = state["is_writing"]
    let lastPage: Int64? = state["last_page_id"]
    let isIntact =
      !isStale && plan.done <= plan.settled.count
      && (plan.done == 0 || plan.settled[plan.done - 1] == lastPage)
    let hasGrown = try Self.hasGrown(database, device, plan, state)
    if isIntact, !wasCutOff, !hasGrown {
      guard let tables else { return nil }
      if try tables.areAsLeft(database), state["device"] == Self.words(of: record, with: tables) {
        return nil
      }
    }
    try OpenPageUndo.undo(database, device: device)
    let goesOn = try isIntact && tables?.open(database, wasCutOff: wasCutOff) ?? true
    if !goesOn {
      // Before the files that it has written are forgotten.
      try tables?.begin(database)
      try forget(database, device)
      plan.done = 0
    }
    // Without tables, the lengths of the files no longer match the interpretation: the next conversion
    // rewrites them.
    if tables == nil {
      try database.execute(sql: "DELETE FROM conversion_file WHERE device_id = ?", arguments: [device])
    }
    try database.execute(
      sql:
        "UPDATE conversion SET is_stale = 0, is_writing = 1, pages = ?, last_page_id = ? WHERE device_id = ?",
      arguments: [plan.done, plan.done > 0 ? plan.settled[plan.done - 1] : 0, device])
    return plan
  }

  /// Whether there are pages whose present form is not interpreted.
  private static func hasGrown(_ database: Database, _ device: Int64, _ plan: Plan, _ state: Row) throws
    -> Bool
  {
    guard plan.done == plan.settled.count, state["open_page_id"] == plan.open ?? 0 else { return true }
    guard let open = plan.open else { return false }
    let sha256 = try Data.fetchOne(database, sql: "SELECT sha256 FROM page WHERE id = ?", arguments: [open])
    return sha256 != state["open_sha256"]
  }

  /// Discards the interpretation of the records of a device.
  private func forget(_ database: Database, _ device: Int64) throws {
    for sql in [
      "DELETE FROM contact_window WHERE contact_id IN (SELECT id FROM contact WHERE device_id = :device)",
      "DELETE FROM contact WHERE device_id = :device",
      "DELETE FROM person_address WHERE person_id IN (SELECT id FROM person WHERE device_id = :device)",
      "DELETE FROM person WHERE device_id = :device",
      "DELETE FROM conversion_peer WHERE peer_id IN (SELECT id FROM peer WHERE device_id = :device)",
      "DELETE FROM conversion_sign WHERE device_id = :device",
      "DELETE FROM conversion_short WHERE device_id = :device",
      "DELETE FROM conversion_total WHERE device_id = :device",
      "DELETE FROM conversion_undo WHERE device_id = :device",
      "DELETE FROM conversion_file WHERE device_id = :device",
    ] { try database.execute(sql: sql, arguments: ["device": device]) }
  }
}
