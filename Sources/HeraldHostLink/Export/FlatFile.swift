import HeraldText

/// The form of a flat file for programs that analyse.
public enum FlatFormat: String, CaseIterable, Sendable {
  /// A JSON object on each line; unknown values are `null`.
  case jsonl
  /// Comma-separated values (RFC 4180), but with LF line ends. Unknown values are empty; empty text is `""`.
  /// Text and bytes are such that readers do not take them for numbers, dates or missing values.
  case csv
}

/// A table as a flat file, which can be used without others. It appears under its name only after it is
/// complete and on the disk.
package final class FlatFile {
  /// The value of a column in a row.
  package enum Value {
    /// The value is unknown.
    case null
    /// A whole number.
    case number(Int64)
    /// A boolean.
    case truth(Bool)
    /// Text of devices, peers and people.
    case text(String)
    /// A word of this program, an address or a date, which is no text of somebody else.
    case word(String)
    /// Bytes, written as hexadecimal digits; in CSV after an `x`: of digits alone, or with one `e` among
    /// them, a reader would make a number.
    case bytes([UInt8])
  }

  /// The name of the file within its folder.
  package let name: String
  /// The number of its rows, without the heading.
  package private(set) var rows = 0
  private let columns: [String]
  private let format: FlatFormat
  private let file: ReplacedFile
  private var line: [UInt8] = []

  /// Makes the file of a table.
  /// - Throws: `.storage` if it cannot be made.
  package init(_ table: String, columns: [String], as format: FlatFormat, in folder: String)
    throws(HostLinkError)
  {
    name = "\(table).\(format.rawValue)"
    self.columns = columns
    self.format = format
    file = try ReplacedFile("\(folder)/\(name)")
    if format == .csv { try file.append(columns.joined(separator: ",") + "\n") }
  }

  /// Appends a row: the values in the order of the columns.
  package func append(_ values: [Value]) throws(HostLinkError) {
    line.removeAll(keepingCapacity: true)
    for (index, value) in values.enumerated() {
      line += (index == 0 ? (format == .jsonl ? "{" : "") : ",").utf8
      if format == .jsonl { line += "\"\(columns[index])\":".utf8 }
      append(value)
    }
    line += (format == .jsonl ? "}\n" : "\n").utf8
    try file.append(line)
    rows += 1
  }

  /// Ends the file, which then has its name.
  package func finish() throws(HostLinkError) { try file.finish() }

  private func append(_ value: Value) {
    switch value {
    case .null: if format == .jsonl { line += "null".utf8 }
    case .number(let number): line += String(number).utf8
    case .truth(let isTrue): line += (isTrue ? "true" : "false").utf8
    case .text(let text):
      if format == .csv { line += TableText.field(text).utf8 } else { appendString(text) }
    case .word(let word): append(word: word)
    case .bytes(let bytes): append(word: (format == .csv ? "x" : "") + bytes.hexadecimal)
    }
  }

  private func append(word: String) {
    switch format {
    case .jsonl: appendString(word)
    case .csv: line += word.isEmpty ? "\"\"".utf8 : word.utf8
    }
  }

  private func appendString(_ text: String) {
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
