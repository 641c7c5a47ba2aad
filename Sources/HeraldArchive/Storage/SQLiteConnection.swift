import Foundation
import GRDB
import HeraldHostLink
import HeraldText

/// An archive in one SQLite file.
package final class SQLiteConnection: ArchiveConnection {
  package let location: String
  package var types: (integer: String, text: String, blob: String) { ("INTEGER", "TEXT", "BLOB") }
  package var keyedTable: String { "STRICT, WITHOUT ROWID" }

  private let queue: DatabaseQueue
  /// `PRAGMA data_version` of a file that this connection has made, which any other connection changes when
  /// it writes; `nil` of a file that was there before.
  private var madeVersion: Int64?

  /// Opens the file `path`. If there is none, `create` says whether it is made, with mode 0600: it tells whom
  /// somebody met.
  /// - Throws: `.storage` if it does not exist or cannot be used.
  package init(path: String, create: Bool) throws(HostLinkError) {
    location = path
    let isThere = try LocalFile.prepareDatabase(path, create: create, followsLink: true)
    guard isThere || create else {
      throw HostLinkError(
        .storage, "there is no archive \(path)",
        advice: "`herald-host archive add DIR --archive \(path)` makes one")
    }
    do {
      queue = try DatabaseQueue(path: path, configuration: Self.configuration)
    } catch {
      if !isThere { Self.remove(path) }
      throw Self.failure(error, path)
    }
    if !isThere { madeVersion = try? number("PRAGMA data_version") }
  }

  /// Makes an archive in a file without a name in the system's temporary folder, which SQLite removes as soon
  /// as it is not open any more.
  /// - Throws: `.storage` if no file can be made there.
  init() throws(HostLinkError) {
    location = "a temporary archive"
    do {
      queue = try DatabaseQueue(path: "", configuration: Self.configuration)
    } catch {
      throw Self.failure(error, location)
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    // Another program may be in the longest of its transactions.
    configuration.busyMode = .timeout(60)
    configuration.allowsUnsafeTransactions = true
    // Every referenced row is looked up or created in the same transaction.
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      // Applies to a new file: large pages have less unused room beside the pages of logs.
      try database.execute(sql: "PRAGMA page_size = 32768")
      try database.execute(sql: "PRAGMA cache_size = -24576")
    }
    return configuration
  }

  package func hasTable(_ name: String) throws(HostLinkError) -> Bool {
    try number("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(name)]) == 1
  }

  /// Refuses a database of another program: it gets no tables of an archive; `create` says whether an empty
  /// one may get them.
  /// - Throws: `.storage` if it has tables, and none of an archive, or none.
  func checkTables(create: Bool) throws(HostLinkError) {
    let isArchive = try hasTable("setting")
    let tables = try number("SELECT COUNT(*) FROM sqlite_master") ?? 0
    guard isArchive || tables == 0 else {
      throw HostLinkError(
        .storage, "\(location) is no archive, but has tables of something else",
        advice: "name another one")
    }
    guard isArchive || create else {
      throw HostLinkError(
        .storage, "\(location) is empty: no archive",
        advice: "`herald-host archive add DIR --archive \(location)` makes one of it")
    }
  }

  /// Removes the file if this connection has made it, and no other one has written to it since, or if it has
  /// no tables: an archive that a failed command has begun, or, with `onlyIfEmpty`, one without a page.
  /// Nothing can be asked afterwards.
  func discard(onlyIfEmpty: Bool = false) {
    // Of an empty file the version changes with each statement.
    guard madeVersion != nil, isOnlyOurs || (try? number("SELECT COUNT(*) FROM sqlite_master")) == 0 else {
      return
    }
    guard !onlyIfEmpty || (try? hasNoPage()) == true else { return }
    Self.remove(location)
  }

  /// Whether this connection has made the file, and no other one has written to it.
  private var isOnlyOurs: Bool {
    madeVersion.map { (try? number("PRAGMA data_version")) == $0 } ?? false
  }

  private static func remove(_ path: String) {
    for ending in ["", "-journal", "-wal", "-shm"] { unlink(path + ending) }
  }

  private func hasNoPage() throws(HostLinkError) -> Bool {
    for table in ["page", "sealed_page"] where try hasTable(table) {
      if try number("SELECT COUNT(*) FROM \(table)") != 0 { return false }
    }
    return true
  }

  package func execute(_ sql: String, _ arguments: [SQLValue]) throws(HostLinkError) {
    try asking { database in
      let statement = try database.cachedStatement(sql: sql)
      try statement.execute(arguments: StatementArguments(arguments.map(\.stored)))
    }
  }

  package func query(
    _ sql: String, _ arguments: [SQLValue], _ row: (SQLRow) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    try asking { database in
      let statement = try database.cachedStatement(sql: sql)
      let rows = try Row.fetchCursor(
        statement, arguments: StatementArguments(arguments.map(\.stored)))
      while let next = try rows.next() {
        try row(SQLRow(values: next.databaseValues.map(SQLValue.init(stored:))))
      }
    }
  }

  package func append(_ table: String, _ columns: [String], _ values: [SQLValue]) throws(HostLinkError) {
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    try asking { database in
      let statement = try database.cachedStatement(
        sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))")
      for start in stride(from: 0, to: values.count, by: columns.count) {
        try statement.execute(
          arguments: StatementArguments(values[start..<start + columns.count].map(\.stored)))
      }
    }
  }

  package func transaction(_ body: () throws(HostLinkError) -> Void) throws(HostLinkError) {
    try asking { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let isOnlyOurs = isOnlyOurs
    do throws(HostLinkError) {
      try body()
      try asking { try $0.execute(sql: "COMMIT") }
    } catch {
      // SQLite has already undone the transaction after some errors, such as a full disk.
      try? asking { if $0.isInsideTransaction { try $0.execute(sql: "ROLLBACK") } }
      // A full disk changes the version, too.
      if isOnlyOurs { madeVersion = try? number("PRAGMA data_version") }
      throw error
    }
  }

  private func asking(_ body: (Database) throws -> Void) throws(HostLinkError) {
    do {
      try queue.inDatabase(body)
    } catch let error as HostLinkError {
      throw error
    } catch {
      throw Self.failure(error, location)
    }
  }

  /// Whether the header of a file has the version numbers of write-ahead logging (SQLite's file format, 1.3).
  private static func isInWAL(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path), let header = try? file.read(upToCount: 20) else {
      return false
    }
    return header.count == 20 && header[18] == 2 && header[19] == 2
  }

  private static func failure(_ error: any Error, _ path: String) -> HostLinkError {
    let database = error as? DatabaseError
    if let code = database?.resultCode, [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(code), isInWAL(path) {
      return HostLinkError(
        .storage, "\(path) is in SQLite's WAL mode, in which it cannot be read where nothing may be written",
        advice:
          "copy it, and its -wal file if there is one, to a folder you may write to; `PRAGMA journal_mode = DELETE` ends that mode"
      )
    }
    let what = database.map { $0.message ?? "\($0.resultCode)" } ?? "\(error)"
    let advice =
      switch database?.resultCode {
      case .SQLITE_FULL: "\(HostLinkError.spaceAdvice); what was there before is kept"
      case .SQLITE_BUSY, .SQLITE_LOCKED: "another program uses it: wait until that has finished"
      case .SQLITE_READONLY:
        "something has to be derived, and nothing may be written there: copy it to a folder you may write to, and run `herald-host archive update`"
      case .SQLITE_NOTADB: "name another file: this one is not an archive"
      default: "the folders of the pulled logs are intact: a new archive can be made of them"
      }
    return HostLinkError(.storage, "\(path) cannot be used (\(PrintableText.of(what)))", advice: advice)
  }
}

extension SQLValue {
  fileprivate var stored: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .text(let text): text.withoutZeros.databaseValue
    case .blob(let bytes): Data(bytes).databaseValue
    }
  }

  fileprivate init(stored: DatabaseValue) {
    switch stored.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .integer(Int64(exactly: number.rounded()) ?? 0)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .blob([UInt8](data))
    }
  }
}
