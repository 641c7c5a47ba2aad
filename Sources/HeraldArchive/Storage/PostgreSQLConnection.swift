import CPostgreSQL
import Foundation
import HeraldHostLink
import HeraldText

/// An archive in a PostgreSQL database, by libpq. Rows are appended by COPY in its binary format.
package final class PostgreSQLConnection: ArchiveConnection {
  package let location: String
  // Text is compared and sorted by its bytes, as in SQLite.
  package var types: (integer: String, text: String, blob: String) {
    ("BIGINT", "TEXT COLLATE \"C\"", "BYTEA")
  }
  package var keyedTable: String { "" }

  /// The key of the advisory lock that a transaction of an archive holds: "Herald" in ASCII.
  private static let lock: Int64 = 0x4865_7261_6C64

  private let connection: OpaquePointer
  /// The prepared statements by their text.
  private var prepared: [String: String] = [:]

  /// Connects to a database.
  /// - Throws: `.storage` if it cannot be reached, or its encoding is not UTF-8.
  init(_ address: PostgreSQLAddress) throws(HostLinkError) {
    location = address.location
    let words = [
      "dbname": address.text, "client_encoding": "UTF8", "fallback_application_name": "herald-host",
    ].sorted { $0.key < $1.key }
    let connection = Self.withCStrings(words.map(\.key)) { keys in
      Self.withCStrings(words.map(\.value)) { values in PQconnectdbParams(keys, values, 1) }
    }
    guard let connection else {
      throw HostLinkError(.storage, "there is no memory to connect to \(location)")
    }
    self.connection = connection
    guard PQstatus(connection) == CONNECTION_OK else {
      throw HostLinkError(
        .storage, "\(location) cannot be reached (\(Self.message(of: connection)))",
        advice:
          "see that the server runs and lets this user in; a password belongs into ~/.pgpass or PGPASSWORD")
    }
    // Notices, such as those of statements that do nothing, are not for people.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    let encoding = PQparameterStatus(connection, "server_encoding").map { String(cString: $0) } ?? ""
    guard encoding == "UTF8" else {
      throw HostLinkError(
        .storage,
        "the database \(location) has the encoding \(PrintableText.of(encoding)), which lacks names in other scripts",
        advice: "make one with: createdb -E UTF8 -T template0 NAME")
    }
  }

  deinit { PQfinish(connection) }

  package func hasTable(_ name: String) throws(HostLinkError) -> Bool {
    try number(
      "SELECT COUNT(*) FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = ?",
      [.text(name)]) == 1
  }

  package func execute(_ sql: String, _ arguments: [SQLValue]) throws(HostLinkError) {
    let result = try send(sql, arguments) { name, values, lengths, formats in
      PQexecPrepared(connection, name, Int32(arguments.count), values, lengths, formats, 1)
    }
    defer { PQclear(result) }
    try check(result, PGRES_COMMAND_OK, PGRES_TUPLES_OK)
  }

  package func query(
    _ sql: String, _ arguments: [SQLValue], _ row: (SQLRow) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    let isSent = try send(sql, arguments) { name, values, lengths, formats in
      PQsendQueryPrepared(connection, name, Int32(arguments.count), values, lengths, formats, 1)
    }
    // One row at a time: an answer may be larger than memory.
    guard isSent == 1, PQsetSingleRowMode(connection) == 1 else { throw failure() }
    // The connection is free for the next statement after the last result only.
    var error: HostLinkError?
    while let result = PQgetResult(connection) {
      defer { PQclear(result) }
      guard error == nil else { continue }
      do throws(HostLinkError) {
        try check(result, PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK)
        for index in 0..<PQntuples(result) { try row(PostgreSQLRow.row(result, index)) }
      } catch let problem {
        error = problem
      }
    }
    if let error { throw error }
  }

  package func append(_ table: String, _ columns: [String], _ values: [SQLValue]) throws(HostLinkError) {
    guard !values.isEmpty else { return }
    let result = PQexec(
      connection, "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)")
    defer { PQclear(result) }
    try check(result, PGRES_COPY_IN)
    var rows = PostgreSQLCopy()
    for start in stride(from: 0, to: values.count, by: columns.count) {
      rows.add(values[start..<start + columns.count])
      if rows.bytes.count > PostgreSQLCopy.mostBytes { try put(&rows) }
    }
    rows.finish()
    try put(&rows)
    guard PQputCopyEnd(connection, nil) == 1 else { throw failure() }
    try finish()
  }

  private func put(_ rows: inout PostgreSQLCopy) throws(HostLinkError) {
    let bytes = rows.take()
    let isPut = bytes.withUnsafeBytes {
      PQputCopyData(connection, $0.bindMemory(to: CChar.self).baseAddress, Int32(clamping: bytes.count))
    }
    guard isPut == 1 else { throw failure() }
  }

  /// Takes the remaining results.
  private func finish() throws(HostLinkError) {
    var error: HostLinkError?
    while let result = PQgetResult(connection) {
      defer { PQclear(result) }
      do throws(HostLinkError) { try check(result, PGRES_COMMAND_OK) } catch let problem {
        error = error ?? problem
      }
    }
    if let error { throw error }
  }

  package func transaction(_ body: () throws(HostLinkError) -> Void) throws(HostLinkError) {
    try execute("BEGIN", [])
    do throws(HostLinkError) {
      // One program at a time, as with SQLite; readers do not wait.
      try query("SELECT pg_advisory_xact_lock(?)", [.integer(Self.lock)]) { _ in }
      try body()
      try execute("COMMIT", [])
    } catch {
      // After the loss of the connection the server undoes the transaction.
      try? execute("ROLLBACK", [])
      throw error
    }
  }

  // MARK: libpq

  /// Prepares a statement unless it is, and passes its name and arguments to `send`.
  private func send<Result>(
    _ sql: String, _ arguments: [SQLValue],
    _ send: (String, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) ->
      Result
  ) throws(HostLinkError) -> Result {
    let name: String
    if let known = prepared[sql] {
      name = known
    } else {
      name = "statement_\(prepared.count)"
      let types = arguments.map(PostgreSQLRow.type(of:))
      let result = PQprepare(connection, name, Self.numbered(sql), Int32(types.count), types)
      defer { PQclear(result) }
      try check(result, PGRES_COMMAND_OK)
      prepared[sql] = name
    }
    let fields = arguments.map(PostgreSQLCopy.field)
    let formats = [Int32](repeating: 1, count: fields.count)
    let lengths = fields.map { Int32(clamping: $0?.count ?? 0) }
    // One buffer for all, since each argument needs an address; an empty one needs one as well.
    var bytes: [CChar] = [0]
    var offsets: [Int?] = []
    for field in fields {
      offsets.append(field == nil ? nil : bytes.count - 1)
      bytes.insert(contentsOf: (field ?? []).map(CChar.init(bitPattern:)), at: bytes.count - 1)
    }
    return bytes.withUnsafeBufferPointer { buffer in
      let values = offsets.map { offset in offset.flatMap { start in buffer.baseAddress.map { $0 + start } } }
      return send(name, values, lengths, formats)
    }
  }

  /// The statement with `$1`, `$2` … instead of each `?`. No statement of an archive has a `?` in a literal.
  static func numbered(_ sql: String) -> String {
    var number = 0
    var result = ""
    for character in sql {
      if character == "?" {
        number += 1
        result += "$\(number)"
      } else {
        result.append(character)
      }
    }
    return result
  }

  private func check(_ result: OpaquePointer?, _ expected: ExecStatusType...) throws(HostLinkError) {
    guard !expected.contains(PQresultStatus(result)) else { return }
    // The class "operator intervention" or "connection exception" of SQLSTATE: the server ends the
    // connection, which libpq notices with the next statement only.
    let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
    throw failure(isLost: state.hasPrefix("57P") || state.hasPrefix("08"), isFull: state == "53100")
  }

  private func failure(isLost: Bool = false, isFull: Bool = false) -> HostLinkError {
    let advice =
      if isLost || PQstatus(connection) == CONNECTION_BAD {
        "run the command again when the server is back: nothing was done by half, and it goes on"
      } else if isFull {
        "\(HostLinkError.spaceAdvice); what was there before is kept"
      } else {
        "what was there before is kept; see the server's log for more"
      }
    return HostLinkError(
      .storage, "\(location) cannot be used (\(Self.message(of: connection)))", advice: advice)
  }

  /// The last error, on one line.
  private static func message(of connection: OpaquePointer) -> String {
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    return PrintableText.of(text.split(whereSeparator: \.isNewline).joined(separator: "; "), limit: 300)
  }

  private static func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
  }
}
