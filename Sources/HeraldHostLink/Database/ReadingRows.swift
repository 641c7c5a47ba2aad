import GRDB

/// Inserts readings into a database, many with one statement: in SQLite, beginning and ending a statement
/// takes longer than inserting a row.
struct ReadingRows {
  /// The number of rows inserted by one statement.
  private static let most = 128
  private static let columns = 6

  private let insertMany: NumberStatement
  private let insertOne: NumberStatement
  private var waiting: [Int64?] = []

  init(_ database: Database) throws {
    let sql = "INSERT INTO reading (id, boot_id, peer_id, uptime_ms, unix_ms, rssi) VALUES "
    let row = "(?, ?, ?, ?, ?, ?)"
    insertMany = try NumberStatement(
      database, sql: sql + Array(repeating: row, count: Self.most).joined(separator: ", "))
    insertOne = try NumberStatement(database, sql: sql + row)
    waiting.reserveCapacity(Self.most * Self.columns)
  }

  /// Adds a reading, which is inserted at the latest by `flush`.
  mutating func add(id: Int64, boot: Int64, peer: Int64, uptime: Int64, date: Int64?, rssi: Int64) throws {
    waiting.append(id)
    waiting.append(boot)
    waiting.append(peer)
    waiting.append(uptime)
    waiting.append(date)
    waiting.append(rssi)
    guard waiting.count == Self.most * Self.columns else { return }
    for (index, number) in waiting.enumerated() { insertMany.bind(number, at: Int32(index) + 1) }
    _ = try insertMany.step()
    waiting.removeAll(keepingCapacity: true)
  }

  /// Inserts the pending readings.
  mutating func flush() throws {
    for (index, number) in waiting.enumerated() {
      let column = index % Self.columns + 1
      insertOne.bind(number, at: Int32(column))
      if column == Self.columns { _ = try insertOne.step() }
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
