import Foundation
import GRDB
import HeraldText

/// Exports a database as flat files for analysis; docs/archive.md lists the columns.
public struct DatabaseExport {
  /// The file formats.
  public enum Format: String, CaseIterable, Sendable {
    /// A JSON object on each line; unknown values are `null`.
    case jsonl
    /// Comma-separated values (RFC 4180), but with LF line ends. Unknown values are empty; empty text is
    /// `""`. Text and bytes are such that readers do not take them for numbers, dates or missing values.
    case csv
  }

  /// A file that was written.
  public struct File: Equatable, Sendable, Encodable {
    /// The file's name within the folder.
    public let name: String
    /// The number of its rows, without the heading.
    public let rows: Int
  }

  private let logDatabase: LogDatabase
  private let format: Format

  /// Creates an export of a database.
  public init(_ logDatabase: LogDatabase, as format: Format) {
    self.logDatabase = logDatabase
    self.format = format
  }

  /// Writes one file for each table into a folder, which is created if it does not exist. A file appears
  /// under its name only after it is complete and on the disk; its mode is 0600.
  /// - Throws: `.storage` if a file cannot be written, `.usage` if it would take the place of another one.
  public func write(to folder: String, replacing replacement: Replacement = Replacement())
    throws(HostLinkError)
    -> [File]
  {
    let tables = ExportTable.all.map {
      TableFolder.Table($0.name, columns: $0.columns.map(\.name), as: format)
    }
    try TableFolder.prepare(folder, for: tables, replacement)
    // One transaction, so that the tables are consistent with each other.
    return try logDatabase.asking { database in
      try ExportTable.all.map { try write($0, of: database, to: folder) }
    }
  }

  private func write(_ table: ExportTable, of database: Database, to folder: String) throws -> File {
    let name = "\(table.name).\(format.rawValue)"
    let file = try ReplacedFile("\(folder)/\(name)")
    if format == .csv { try file.append(table.columns.map(\.name).joined(separator: ",") + "\n") }
    var rows = 0
    let cursor = try Row.fetchCursor(database, sql: table.sql)
    var line: [UInt8] = []
    while let row = try cursor.next() {
      line.removeAll(keepingCapacity: true)
      for (index, column) in table.columns.enumerated() {
        line += (index == 0 ? (format == .jsonl ? "{" : "") : ",").utf8
        if format == .jsonl { line += "\"\(column.name)\":".utf8 }
        append(row, index, column.kind, to: &line)
      }
      line += (format == .jsonl ? "}\n" : "\n").utf8
      try file.append(line)
      rows += 1
    }
    try file.finish()
    return File(name: name, rows: rows)
  }

  private func append(_ row: Row, _ index: Int, _ kind: ExportTable.Kind, to line: inout [UInt8]) {
    guard !row.hasNull(atIndex: index) else {
      if format == .jsonl { line += "null".utf8 }
      return
    }
    switch kind {
    case .number: line += String(row[index] as Int64).utf8
    case .truth: line += (row[index] as Int64 == 0 ? "false" : "true").utf8
    case .text: format.append(row[index] as String, to: &line)
    case .word: format.append(word: row[index] as String, to: &line)
    case .bytes: format.append(bytes: row[index] as Data, to: &line)
    case .date: format.append(word: Self.date(UInt64(clamping: row[index] as Int64)), to: &line)
    }
  }

  /// The date in the form `2022-11-29T22:21:56.552Z`.
  private static func date(_ unixMilliseconds: UInt64) -> String {
    var text = Array(UTCTimestamp.text(unixMilliseconds).utf8.prefix(23))
    text[10] = UInt8(ascii: "T")
    return String(decoding: text, as: UTF8.self) + "Z"
  }
}

extension DatabaseExport.Format {
  /// Appends text of devices, peers and people.
  package func append(_ text: String, to line: inout [UInt8]) {
    switch self {
    case .jsonl: appendString(text, to: &line)
    case .csv: line += TableText.field(text).utf8
    }
  }

  /// Appends a word of this program, an address or a date, which is no text of somebody else.
  package func append(word: String, to line: inout [UInt8]) {
    switch self {
    case .jsonl: appendString(word, to: &line)
    case .csv: line += word.isEmpty ? "\"\"".utf8 : word.utf8
    }
  }

  /// Appends bytes as hexadecimal digits, in CSV after an `x`: of digits alone, or with one `e` among them, a
  /// reader would make a number.
  package func append(bytes: some Sequence<UInt8>, to line: inout [UInt8]) {
    append(word: (self == .csv ? "x" : "") + bytes.hexadecimal, to: &line)
  }

  private func appendString(_ text: String, to line: inout [UInt8]) {
    line.append(0x22)
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: line += [0x5C, byte]
      case 0..<0x20, 0x7F: line += "\\u\(UInt16(byte).hexadecimal(4))".utf8
      default: line.append(byte)
      }
    }
    line.append(0x22)
  }
}
