import GRDB
import GRDBSQLite

/// An SQL statement that runs for every reading of a log. Its arguments and results are integers, which are
/// passed to and from SQLite directly, without a `DatabaseValue` for each.
final class NumberStatement {
  private let statement: Statement
  private let raw: SQLiteStatement

  /// Compiles `sql`.
  init(_ database: Database, sql: String) throws {
    statement = try database.makeStatement(sql: sql)
    raw = statement.sqliteStatement
  }

  /// Sets the argument at `index`, counted from 1; `nil` is `NULL`.
  func bind(_ number: Int64?, at index: Int32) {
    if let number {
      sqlite3_bind_int64(raw, index, number)
    } else {
      sqlite3_bind_null(raw, index)
    }
  }

  /// Advances to the next row; `false` if there is none. The statement can then be run again, with the same
  /// or other arguments.
  func step() throws -> Bool {
    switch sqlite3_step(raw) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(raw)
      return false
    case let code:
      sqlite3_reset(raw)
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }

  /// Ends a run whose remaining rows are not required.
  func reset() { sqlite3_reset(raw) }

  /// The value of a column of the row, counted from 0; `NULL` is 0.
  func number(_ column: Int32) -> Int64 { sqlite3_column_int64(raw, column) }

  /// Whether a column of the row is `NULL`.
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(raw, column) == SQLITE_NULL }
}
