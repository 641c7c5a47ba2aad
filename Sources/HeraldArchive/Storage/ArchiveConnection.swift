import HeraldHostLink

/// A value of a column.
package enum SQLValue: Hashable, Sendable {
  /// No value.
  case null
  /// A whole number of at most 64 bits.
  case integer(Int64)
  /// Text in UTF-8.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// A number that may be missing.
  static func optional(_ number: Int64?) -> SQLValue { number.map(SQLValue.integer) ?? .null }
}

/// A row of an answer.
package struct SQLRow: Sendable {
  /// The values of the columns.
  package let values: [SQLValue]

  /// The number in a column; 0 if there is none.
  package func integer(_ column: Int) -> Int64 {
    if values.indices.contains(column), case .integer(let number) = values[column] { number } else { 0 }
  }

  /// The number in a column, if there is one.
  package func optionalInteger(_ column: Int) -> Int64? {
    if values.indices.contains(column), case .integer(let number) = values[column] { number } else { nil }
  }

  /// The text in a column; empty if there is none.
  package func text(_ column: Int) -> String {
    if values.indices.contains(column), case .text(let text) = values[column] { text } else { "" }
  }

  /// The bytes in a column; empty if there are none.
  package func blob(_ column: Int) -> [UInt8] {
    if values.indices.contains(column), case .blob(let bytes) = values[column] { bytes } else { [] }
  }
}

/// A connection to the database in which an archive is stored.
///
/// The statements are the same for all databases: SQL that SQLite and PostgreSQL have in common, with `?` for
/// arguments, and the types of `ArchiveSchema`.
package protocol ArchiveConnection: AnyObject {
  /// What the archive is called in messages: the path of a file, or a server's address without a password.
  var location: String { get }
  /// The names of the types `INTEGER` (64 bits), `TEXT` and `BLOB` in this database.
  var types: (integer: String, text: String, blob: String) { get }
  /// The end of a `CREATE TABLE` statement whose rows are stored in the order of the primary key.
  var keyedTable: String { get }

  /// Whether the database has a table of this name.
  func hasTable(_ name: String) throws(HostLinkError) -> Bool
  /// Runs a statement without an answer.
  func execute(_ sql: String, _ arguments: [SQLValue]) throws(HostLinkError)
  /// Runs a query and passes each row of its answer to `row`, which must not use the connection.
  func query(_ sql: String, _ arguments: [SQLValue], _ row: (SQLRow) throws(HostLinkError) -> Void)
    throws(HostLinkError)
  /// Appends rows to a table. `values` has the values of all rows one after the other.
  func append(_ table: String, _ columns: [String], _ values: [SQLValue]) throws(HostLinkError)
  /// Runs `body` in a transaction, which is undone if it throws.
  func transaction(_ body: () throws(HostLinkError) -> Void) throws(HostLinkError)
}

extension ArchiveConnection {
  /// Runs a statement without arguments and answer.
  func execute(_ sql: String) throws(HostLinkError) { try execute(sql, []) }

  /// All rows of an answer.
  package func rows(_ sql: String, _ arguments: [SQLValue] = []) throws(HostLinkError) -> [SQLRow] {
    var rows: [SQLRow] = []
    try query(sql, arguments) { rows.append($0) }
    return rows
  }

  /// The first column of the first row, if there is one and it has a number.
  func number(_ sql: String, _ arguments: [SQLValue] = []) throws(HostLinkError) -> Int64? {
    try rows(sql, arguments).first?.optionalInteger(0)
  }
}

extension String {
  /// The text with U+FFFD instead of U+0000, which PostgreSQL cannot store: both databases get the same text.
  var withoutZeros: String {
    utf8.contains(0)
      ? String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })) : self
  }
}
