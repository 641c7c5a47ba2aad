import Foundation
import Synchronization

/// The output of a command: results on standard output, messages on standard error.
public enum Console {
  /// Writes a line to standard error.
  public static func note(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

  /// Writes a line to standard output, unbuffered, so that a reader receives each line immediately.
  public static func line(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// Prints a value as JSON with sorted keys, names in small letters with `_` between words; on one line if
  /// `isLine`.
  public static func printJSON(_ value: some Encodable, isLine: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if !isLine { encoder.outputFormatting.insert(.prettyPrinted) }
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    if !isLine { resultIsPrinted.withLock { $0 = true } }
    line(text)
  }

  /// Whether a result was printed as JSON: then standard output has its one object.
  private static let resultIsPrinted = Mutex(false)

  /// Prints what went wrong as the object `{"error": …}`, unless a result was printed.
  public static func printError(_ failure: some Encodable) {
    guard !resultIsPrinted.withLock({ $0 }) else { return }
    try? printJSON(["error": failure], isLine: true)
  }

  /// Prints rows in columns; the first row is the heading. Columns named in `right` are aligned there.
  public static func printTable(_ rows: [[String]], right: Set<Int> = []) {
    guard let columns = rows.map(\.count).max() else { return }
    let widths = (0..<columns).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    for row in rows {
      var text = ""
      for (column, cell) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - cell.count)
        if column > 0 { text += "  " }
        text += right.contains(column) ? space + cell : cell + space
      }
      while text.last == " " { text.removeLast() }
      line(text)
    }
  }
}
