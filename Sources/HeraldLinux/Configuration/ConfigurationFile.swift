import Glibc

/// A configuration file: one option per line, as `name = value`.
///
/// Blanks around the name and the value are ignored. `#` at the start of a line or after a blank begins a
/// comment, except within a value in double quotes, in which no character has a special meaning. The names
/// are interpreted by the program.
package struct ConfigurationFile: Equatable, Sendable {
  /// One non-empty line.
  package struct Entry: Equatable, Sendable {
    /// The line number, counted from 1.
    package let line: Int
    /// The name of the option: lower-case letters, digits and hyphens.
    package let name: String
    /// The value, without quotes.
    package let value: String
  }

  /// The path of the file.
  package let path: String
  /// The entries in order, without empty lines and comments.
  package let entries: [Entry]

  /// The maximum size of a file in bytes.
  package static var capacity: Int { 65536 }

  /// Reads a file. An invalid line is an error that contains its number.
  package init(path: String) throws(SystemFailure) {
    try self.init(path: path, contents: FileDescriptor.contents(of: path, atMost: Self.capacity)[...])
  }

  /// Parses `contents`, the contents of the file at `path`.
  init(path: String, contents: ArraySlice<UInt8>) throws(SystemFailure) {
    var entries: [Entry] = []
    let lines = contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      do throws(LineFault) {
        guard let (name, value) = try Self.entry(bytes) else { continue }
        entries.append(Entry(line: index + 1, name: name, value: value))
      } catch {
        throw Self.failure(path, line: index + 1, error.rawValue)
      }
    }
    self.path = path
    self.entries = entries
  }

  /// An error for an entry, with the path and the line number.
  package func failure(_ entry: Entry, _ reason: String) -> SystemFailure {
    Self.failure(path, line: entry.line, reason)
  }

  private static func failure(_ path: String, line: Int, _ reason: String) -> SystemFailure {
    SystemFailure("use", path, reason: "line \(line): \(reason)")
  }

  private enum LineFault: String, Error {
    case notText = "it is not text in UTF-8"
    case noEntry = "it is not `name = value`"
    case noValue = "there is no value"
    case openQuotes = "the quotes do not end"
    case afterQuotes = "there is something behind the quotes"
  }

  /// Parses a line; `nil` if it is empty or a comment.
  private static func entry(_ bytes: ArraySlice<UInt8>) throws(LineFault) -> (name: String, value: String)? {
    let bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
    guard let line = String(validating: bytes, as: UTF8.self),
      bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") })
    else { throw .notText }
    let content = line.drop(while: isBlank)
    guard let first = content.first, first != "#" else { return nil }
    guard let sign = content.firstIndex(of: "=") else { throw .noEntry }
    let name = trimmed(content[..<sign])
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber) || $0 == "-" }),
      !name.hasPrefix("-")
    else { throw .noEntry }
    return (String(name), String(try value(content[content.index(after: sign)...])))
  }

  private static func value(_ text: Substring) throws(LineFault) -> Substring {
    let text = text.drop(while: isBlank)
    if text.first == "\"" {
      let rest = text.dropFirst()
      guard let end = rest.firstIndex(of: "\"") else { throw .openQuotes }
      let behind = rest[rest.index(after: end)...].drop(while: isBlank)
      guard behind.isEmpty || behind.first == "#" else { throw .afterQuotes }
      return rest[..<end]
    }
    var end = text.startIndex
    var afterBlank = true
    while end < text.endIndex, !(afterBlank && text[end] == "#") {
      afterBlank = isBlank(text[end])
      end = text.index(after: end)
    }
    let value = trimmed(text[..<end])
    guard !value.isEmpty else { throw .noValue }
    return value
  }

  private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
