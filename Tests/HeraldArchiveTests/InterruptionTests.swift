import Foundation
import HeraldHostLink
import SyntheticFleet
import Testing

@testable import HeraldArchive

/// A connection to an SQLite archive that fails at one point, as if the program were ended there.
final class FailingConnection: ArchiveConnection {
  /// Where it fails.
  enum Point: Equatable {
    case beforeTransaction(Int)
    case beforeCommit(Int)
    case afterCommit(Int)
    case statement(Int)
  }

  private let connection: SQLiteConnection
  private let point: Point
  private var transactions = 0
  private var statements = 0
  private(set) var hasFailed = false
  /// Counts begin with the next call.
  var isArmed = false

  init(_ connection: SQLiteConnection, _ point: Point) { (self.connection, self.point) = (connection, point) }

  var location: String { connection.location }
  var types: (integer: String, text: String, blob: String) { connection.types }
  var keyedTable: String { connection.keyedTable }

  private func fail(at point: Point) throws(HostLinkError) {
    // What is ended does nothing afterwards either.
    guard isArmed, hasFailed || point == self.point else { return }
    hasFailed = true
    throw HostLinkError(.storage, "ended")
  }

  private func countStatement() throws(HostLinkError) {
    defer { if isArmed { statements += 1 } }
    try fail(at: .statement(statements))
  }

  func hasTable(_ name: String) throws(HostLinkError) -> Bool { try connection.hasTable(name) }

  func execute(_ sql: String, _ arguments: [SQLValue]) throws(HostLinkError) {
    try countStatement()
    try connection.execute(sql, arguments)
  }

  func query(_ sql: String, _ arguments: [SQLValue], _ row: (SQLRow) throws(HostLinkError) -> Void)
    throws(HostLinkError)
  {
    try countStatement()
    try connection.query(sql, arguments, row)
  }

  func append(_ table: String, _ columns: [String], _ values: [SQLValue]) throws(HostLinkError) {
    try countStatement()
    try connection.append(table, columns, values)
  }

  func transaction(_ body: () throws(HostLinkError) -> Void) throws(HostLinkError) {
    let number = transactions
    if isArmed { transactions += 1 }
    try fail(at: .beforeTransaction(number))
    try connection.transaction { () throws(HostLinkError) in
      try body()
      try fail(at: .beforeCommit(number))
    }
    try fail(at: .afterCommit(number))
  }
}

/// An archive that is filled by a program that ends somewhere, and then by one that does not.
@Suite struct InterruptionTests {
  private static func point(_ number: Int, _ kind: Int) -> FailingConnection.Point {
    switch kind {
    case 0: .beforeTransaction(number)
    case 1: .beforeCommit(number)
    case 2: .afterCommit(number)
    default: .statement(number)
    }
  }

  /// All that the next program finds: every row of every table.
  private static func contents(of path: String) throws -> [[SQLValue]] {
    let connection = try SQLiteConnection(path: path, create: false)
    let tables = try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return try tables.flatMap { table in
      try [[.text(table.text(0))]]
        + connection.rows("SELECT * FROM \(table.text(0)) ORDER BY 1, 2").map(\.values)
    }
  }

  /// Ends the program at every point while it adds the late logs to an archive that has the early ones. What
  /// it left decides how the next one goes on: where that is what another point has left, it is not done
  /// again.
  @Test func endedAnywhereItGoesOn() throws {
    let folder = try ScratchFolder()
    let (early, late) = try IncrementalTests.logs(in: folder.path, least: 400)
    let whole = try newArchive(folder.path + "/whole.sqlite")
    _ = try whole.add(folders: late)
    try whole.update()
    let expected = try whole.allRows()
    let before = folder.path + "/before.sqlite"
    do {
      let archive = try newArchive(before)
      #expect(try archive.add(folders: early).newPages > early.count)
      try archive.update()
    }
    let path = folder.path + "/a.sqlite"
    func end(at point: FailingConnection.Point) throws -> Bool {
      try? FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: before, toPath: path)
      let database = try SQLiteConnection(path: path, create: false)
      // Only a power cut would show the difference.
      try database.execute("PRAGMA synchronous = OFF", [])
      let connection = FailingConnection(database, point)
      do {
        let archive = try Archive(connection)
        connection.isArmed = true
        _ = try archive.add(folders: late)
        try archive.update()
        #expect(!connection.hasFailed, "\(point) was not noticed")
      } catch {
        #expect(error.what == "ended")
      }
      return connection.hasFailed
    }
    var left: Set<[[SQLValue]]> = []
    var counts = [0, 0, 0, 0]
    for kind in counts.indices {
      while try end(at: Self.point(counts[kind], kind)) {
        counts[kind] += 1
        guard left.insert(try Self.contents(of: path)).inserted else { continue }
        let archive = try Archive.open(path, create: false)
        _ = try archive.add(folders: late)
        try archive.update()
        #expect(try archive.allRows() == expected, "ended at \(counts[kind] - 1) of kind \(kind)")
      }
    }
    // Adding, reading payloads, deriving contacts, deriving meetings, finding wrong clocks: as it was, and
    // after each of them.
    #expect(counts.prefix(3) == [5, 5, 5] && counts[3] > 60)
    #expect(left.count == 6)
  }

  @Test func aFullDiskIsSaidAndNothingIsLost() throws {
    let folder = try ScratchFolder()
    // More than fits into the free part of a page of the file.
    let early = ["\(folder.path)/early/\(SyntheticFleet.serial(0))"]
    _ = try SyntheticFleet(devices: 1, days: 1).write(to: folder.path + "/early")
    _ = try SyntheticFleet(devices: 12, days: 1).write(to: folder.path + "/late")
    let late = (1..<12).map { "\(folder.path)/late/\(SyntheticFleet.serial($0))" }
    let whole = try newArchive(folder.path + "/whole.sqlite")
    _ = try whole.add(folders: early + late)
    try whole.update()
    let connection = try SQLiteConnection(path: folder.path + "/a.sqlite", create: true)
    let archive = try Archive(connection, newRules: ContactRules())
    _ = try archive.add(folders: early)
    try archive.update()
    // Without free pages in the file.
    try connection.execute("VACUUM")
    let pages = try connection.number("PRAGMA page_count") ?? 0
    var failures = 0
    for room in 0..<100 {
      _ = try connection.rows("PRAGMA max_page_count = \(pages + Int64(room))")
      let result = Result {
        _ = try archive.add(folders: late)
        try archive.update()
      }
      guard case .failure(let problem) = result else { break }
      let error = problem as? HostLinkError
      #expect(error?.cause == .storage && error?.advice?.hasPrefix(HostLinkError.spaceAdvice) == true)
      failures += 1
    }
    #expect(failures > 0)
    #expect(try archive.allRows() == whole.allRows())
  }
}
