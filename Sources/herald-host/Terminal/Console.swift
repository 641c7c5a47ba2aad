import Foundation
import HeraldHostLink

/// What people see.
enum Console {
  /// Says on standard error what went wrong and what to do.
  static func complain(_ error: HostLinkError) {
    note("herald-host: \(error.what)")
    if let advice = error.advice { note("  → \(advice)") }
  }

  /// Writes a line to standard error.
  static func note(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// Writes a line to standard output at once, for who reads lines as they come.
  static func line(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// Prints a value as JSON with sorted keys.
  static func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Prints rows in columns; the first row is the heading. Columns named in `right` are aligned there.
  static func printTable(_ rows: [[String]], right: Set<Int> = []) {
    guard let columns = rows.map(\.count).max() else { return }
    let widths = (0..<columns).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    for row in rows {
      var line = ""
      for (column, text) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - text.count)
        if column > 0 { line += "  " }
        line += right.contains(column) ? space + text : text + space
      }
      while line.last == " " { line.removeLast() }
      print(line)
    }
  }

  /// `1 page`, `2 pages`.
  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// The date to the second, in UTC.
  static func date(_ unixMilliseconds: UInt64) -> String {
    String(UTCTimestamp.text(unixMilliseconds).prefix(19))
  }

  /// Bytes in the unit that suits.
  static func size(_ bytes: Int) -> String {
    if bytes < 10_000 { return "\(bytes) bytes" }
    return bytes < 10_000_000 ? "\(bytes / 1000) kB" : "\(bytes / 1_000_000) MB"
  }
}

/// Names and values to print, one pair a line.
struct Facts {
  private var rows: [[String]] = []

  /// Adds a pair, unless there is no value.
  mutating func add(_ name: String, _ value: String) {
    if value.contains(where: { $0 != " " }) { rows.append(["\(name):", value]) }
  }

  func print() { Console.printTable(rows) }
}

/// A bar on standard error that shows how far something is; on a terminal only, and only when it takes longer than a second.
final class ProgressBar {
  private let isWanted: Bool
  private let begun = ContinuousClock.now
  private var drawn: ContinuousClock.Instant?

  /// A bar that is not drawn yet.
  init(isQuiet: Bool) { isWanted = !isQuiet && isatty(STDERR_FILENO) == 1 }

  /// Shows that `done` of `total` are done.
  func update(done: Int, of total: Int, text: String) {
    let now = ContinuousClock.now
    guard isWanted, total > 0, begun.duration(to: now) > .seconds(1) else { return }
    if let drawn, drawn.duration(to: now) < .milliseconds(100) { return }
    drawn = now
    FileHandle.standardError.write(Data("\r\u{1B}[K\(Self.bar(done: done, of: total))  \(text)".utf8))
  }

  /// A bar, and how many percent it shows.
  static func bar(done: Int, of total: Int, width: Int = 30) -> String {
    let share = total > 0 ? min(done, total) * 100 / total : 100
    let filled = width * share / 100
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
      + " \(share) %"
  }

  /// Takes the bar away.
  func finish() {
    guard drawn != nil else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
  }
}
