import ArgumentParser
import Foundation
import HeraldSystem
import HeraldText
import Synchronization

/// The output of a program: results on standard output, messages on standard error. It is the one way to
/// print.
///
/// Text may contain what devices, peers and files call themselves: control characters, and those that hide or
/// turn what follows, are shown as `?`. Output that cannot be written does not end a command; `end` then ends
/// the program with status 11.
package enum Console {
  /// The exit status of a program whose output could not be written.
  package static let failureStatus: Int32 = 11

  /// Writes a line to standard error. With `patience` it is left out if nobody reads for so many
  /// milliseconds.
  package static func note(_ line: String, patience: Int32? = nil) {
    StandardStream.error.write(PrintableText.line(line) + "\n", patience: patience)
  }

  /// Writes a line to standard output, unbuffered, so that a reader receives each line immediately. With
  /// `patience` it is left out if nobody reads for so many milliseconds.
  package static func line(_ line: String, patience: Int32? = nil) {
    StandardStream.output.write(PrintableText.line(line) + "\n", patience: patience)
  }

  /// Writes each line of a text.
  static func text(_ text: String, to stream: StandardStream) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      stream.write(PrintableText.line(line) + "\n")
    }
  }

  /// Writes the bytes of a table or file to standard output as they are.
  package static func data(_ bytes: [UInt8]) { StandardStream.output.write(bytes) }

  /// Writes bytes to standard output as they are, without a copy.
  package static func data(_ bytes: UnsafeBufferPointer<UInt8>) {
    StandardStream.output.write(UnsafeRawBufferPointer(bytes))
  }

  /// Writes a prompt to standard error, and leaves the cursor behind it.
  package static func ask(_ prompt: String) {
    StandardStream.error.write(PrintableText.line(prompt) + " ")
  }

  /// What lines on a terminal consist of.
  package enum Drawing {
    /// Text.
    case text(String)
    /// The end of a line.
    case newLine
    /// Erases the line of the cursor.
    case eraseLine
    /// Erases so many lines above the cursor, and all below.
    case eraseLines(Int)
  }

  /// Draws on the terminal of standard error.
  package static func draw(_ drawings: [Drawing]) {
    var text = ""
    for drawing in drawings {
      switch drawing {
      case .text(let shown): text += PrintableText.line(shown)
      case .newLine: text += "\n"
      case .eraseLine: text += "\r\u{1B}[K"
      case .eraseLines(let count): text += "\u{1B}[\(count)A\r\u{1B}[J"
      }
    }
    StandardStream.error.write(text)
  }

  /// Whether output could not be written: a command without an end has nobody to work for any more.
  package static var hasFailed: Bool { StandardStream.hasFailed }
  /// What could not be written on standard output, and why; `nil` if everything was.
  package static var complaint: String? { StandardStream.output.complaint?.what }

  /// Prints a value as JSON with sorted keys, names in small letters with `_` between words; on one line if
  /// `isLine`.
  package static func printJSON(_ value: some Encodable, isLine: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if !isLine { encoder.outputFormatting.insert(.prettyPrinted) }
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    if !isLine { resultIsPrinted.withLock { $0 = true } }
    StandardStream.output.write(PrintableText.json(text) + "\n")
  }

  /// Whether a result was printed as JSON: then standard output has its one object.
  private static let resultIsPrinted = Mutex(false)

  /// Prints what went wrong as the object `{"error": …}`, unless a result was printed.
  package static func printError(_ failure: some Encodable) {
    guard !resultIsPrinted.withLock({ $0 }) else { return }
    try? printJSON(["error": failure], isLine: true)
    resultIsPrinted.withLock { $0 = true }
  }

  /// Prints rows in columns; the first row is the heading. Columns named in `right` are aligned there.
  package static func printTable(_ rows: [[String]], right: Set<Int> = []) {
    let rows = rows.map { $0.map { PrintableText.line($0) } }
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

  /// Prints what the argument parser says about an error, which may be a request for help, and returns the
  /// exit status.
  package static func report(_ error: any Error, of command: any ParsableCommand.Type) -> Int32 {
    let status = command.exitCode(for: error)
    let message = command.fullMessage(for: error)
    if !message.isEmpty { text(message, to: status.isSuccess ? .output : .error) }
    return status.rawValue
  }

  /// Ends the program: with `status` or, if output could not be written, with 11 and a sentence on standard
  /// error. `whenFailed` receives that sentence and what to do, for standard output.
  package static func end(
    _ status: Int32, as program: String, whenFailed: (_ what: String, _ advice: String) -> Void = { _, _ in }
  ) -> Never {
    if StandardStream.output.failure == nil, let complaint = StandardStream.error.complaint {
      whenFailed(complaint.what, complaint.advice)
    }
    StandardStream.output.close()
    if let complaint = StandardStream.output.complaint {
      note("\(program): \(complaint.what)")
      note("  → \(complaint.advice)")
    }
    StandardStream.error.close()
    exit(StandardStream.hasFailed ? failureStatus : status)
  }
}
