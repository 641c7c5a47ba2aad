import Foundation
import HeraldText
import Yams

/// The fields of a YAML file: names with single values, each of which is read once. A field that is not read
/// is an error, which states its line and name and the nearest known name; any other error states the line.
struct YAMLFields {
  private let file: String
  private let folder: String
  private var values: [String: Node] = [:]
  /// The lines of the names of the fields.
  private var lines: [String: Int] = [:]
  private var taken: Set<String> = []
  /// The names that were looked for: those that are known.
  private var known: Set<String> = []
  /// Where a nested mapping is named, and its name; empty for that of the file.
  private var mapping = ""

  /// Reads a file.
  static func file(_ path: String) throws(HostLinkError) -> YAMLFields {
    let bytes = try LocalFile.bytes(path, atMost: YAMLBounds.mostBytes, missing: "name a file that is there")
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
      throw HostLinkError(
        .usage, "\(PrintableText.of(path, limit: 256)), line \(line + 1): this is no text in UTF-8",
        advice: "save it as UTF-8 in the editor")
    }
    return try YAMLFields(text, file: path)
  }

  /// Reads the text of the file with this name.
  init(_ text: String, file: String) throws(HostLinkError) {
    self.file = PrintableText.of(file, limit: 256)
    folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    if let excess = YAMLBounds.excess(of: text) { throw HostLinkError(.usage, "\(self.file)\(excess)") }
    let node: Node?
    do {
      node = try Parser(yaml: text).singleRoot()
    } catch { throw Self.mistake(error, self.file) }
    try take(node)
  }

  /// The fields of a mapping within another file.
  private init(_ name: String, _ node: Node, of other: YAMLFields) throws(HostLinkError) {
    file = other.file
    folder = other.folder
    mapping = "\(other.line(name)): \(name)"
    try take(node)
  }

  /// The error of the parser, with the line.
  private static func mistake(_ error: any Error, _ file: String) -> HostLinkError {
    let advice = "see the valid files in Examples"
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return HostLinkError(
        .usage, "\(file), line \(mark.line): this is no YAML: \(PrintableText.of(problem, limit: 200))",
        advice: advice)
    case .duplicatedKeysInMapping(let names, let context):
      let name = PrintableText.of(names.sorted().first ?? "")
      return HostLinkError(
        .usage, "\(file), line \(context.mark.line): the field \(name) is there twice",
        advice: "remove one of the two")
    default:
      let what = PrintableText.of("\(error)".split(separator: "\n").first ?? "", limit: 200)
      return HostLinkError(.usage, "\(file) is no YAML: \(what)", advice: advice)
    }
  }

  private mutating func take(_ node: Node?) throws(HostLinkError) {
    guard let mapping = node?.mapping else {
      throw HostLinkError(
        .usage, "\(file) has no fields",
        advice: "a field is a name, a colon and a value; see the valid files in Examples")
    }
    for (key, value) in mapping {
      guard let name = key.scalar?.string, values.updateValue(value, forKey: name) == nil else {
        let line = key.mark.map { ", line \($0.line)" } ?? ""
        throw HostLinkError(
          .usage, "\(file)\(line): this field is there twice, or has no name", advice: "remove or name it")
      }
      lines[name] = key.mark?.line
    }
  }

  /// Where a field is named; its value may begin on a later line.
  private func line(_ name: String) -> String { lines[name].map { ", line \($0)" } ?? "" }

  /// The error for an invalid field; `must` states the requirement.
  func refusal(_ name: String, _ must: String) -> HostLinkError {
    HostLinkError(.usage, "\(file)\(line(name)): \(name) \(must)")
  }

  /// The error that something else found in the value of a field, with the file and the line in front.
  func located(_ error: HostLinkError, at name: String) -> HostLinkError {
    HostLinkError(error.cause, "\(file)\(line(name)): \(error.what)", advice: error.advice)
  }

  /// The error for a required field that is missing: a field that is not known and nearly has its name is
  /// named instead.
  private func missing(_ name: String) -> HostLinkError {
    let others = names.filter { !known.contains($0) }
    if let typo = others.first(where: { NearestWord.of($0, in: [name]) != nil }) {
      return unknown(typo, advice: "did you mean \(name)?")
    }
    return HostLinkError(
      .usage, "\(file)\(mapping) has no field \(name)", advice: "see the valid files in Examples")
  }

  private func unknown(_ name: String, advice: String) -> HostLinkError {
    HostLinkError(
      .usage, "\(file)\(line(name)): nothing is known of a field \(PrintableText.of(name))", advice: advice)
  }

  // MARK: Values

  /// The text of a required field.
  mutating func text(_ name: String) throws(HostLinkError) -> String {
    guard let text = try optionalText(name) else { throw missing(name) }
    return text
  }

  /// The text of an optional field; `nil` if it is missing.
  mutating func optionalText(_ name: String) throws(HostLinkError) -> String? {
    known.insert(name)
    guard let value = values[name] else { return nil }
    taken.insert(name)
    guard let scalar = value.scalar, value.tag.description != "tag:yaml.org,2002:null" else {
      throw refusal(name, "is a single value")
    }
    return scalar.string
  }

  /// The integer of a required field.
  mutating func number<Number: FixedWidthInteger>(_ name: String) throws(HostLinkError) -> Number {
    let text = try text(name)
    guard let number = Number(text) else {
      throw refusal(name, "is a whole number from \(Number.min) to \(Number.max)")
    }
    return number
  }

  /// The integer of an optional field; `nil` if it is missing.
  mutating func optionalNumber<Number: FixedWidthInteger>(_ name: String) throws(HostLinkError) -> Number? {
    guard try optionalText(name) != nil else { return nil }
    let number: Number = try number(name)
    return number
  }

  /// `true` or `false`; `nil` if the field is missing.
  mutating func optionalTruth(_ name: String) throws(HostLinkError) -> Bool? {
    guard let text = try optionalText(name) else { return nil }
    switch text {
    case "true", "yes": return true
    case "false", "no": return false
    default: throw refusal(name, "is true or false")
    }
  }

  /// The first second of a day, yyyy-mm-dd. `word` is accepted instead, and the error text mentions it.
  mutating func date(_ name: String, or word: String? = nil) throws(HostLinkError) -> UInt64 {
    let text = try text(name)
    guard text.utf8.count == 10, let moment = UTCTimestamp.parse(text + " 00:00:00") else {
      throw refusal(name, "is a date of the form yyyy-mm-dd" + (word.map { ", or \($0)" } ?? ""))
    }
    return moment / 1000
  }

  /// Bytes, two hexadecimal digits each, with optional blanks between them.
  mutating func bytes(_ name: String) throws(HostLinkError) -> [UInt8] {
    let digits = try text(name).filter { !$0.isWhitespace }
    guard let bytes = Hexadecimal.bytes(digits.utf8) else {
      throw refusal(name, "is bytes, each two hexadecimal digits; put it in quotation marks")
    }
    return bytes
  }

  /// The fields of a nested mapping; `nil` if it is missing.
  mutating func fields(_ name: String) throws(HostLinkError) -> YAMLFields? {
    known.insert(name)
    guard let value = values[name] else { return nil }
    taken.insert(name)
    guard value.mapping != nil else { throw refusal(name, "has fields of its own") }
    return try YAMLFields(name, value, of: self)
  }

  /// The names of all fields, sorted.
  var names: [String] { values.keys.sorted() }

  /// A path from the file, relative to the folder of the file.
  func path(_ text: String) -> String { text.hasPrefix("/") ? text : "\(folder)/\(text)" }

  /// Finishes parsing; a field that was not read is an error.
  func finish() throws(HostLinkError) {
    guard let name = Set(values.keys).subtracting(taken).sorted().first else { return }
    let known = known.sorted()
    throw unknown(
      name,
      advice: NearestWord.of(name, in: known).map { "did you mean \($0)?" }
        ?? "known here are \(known.joined(separator: ", "))")
  }
}
