import Foundation

/// Numbers, names and commands in documents that a file of the project has as well.
final class DocumentNumbers {
  /// Patterns in a document and in files of the project, whose groups are the same.
  private struct Fact {
    let document: String
    let statement: String
    var sources: [(factor: Double, path: String, pattern: String)] = []
  }

  /// Texts in place of those of files.
  private let replaced: [String: String]
  private var texts: [String: String] = [:]

  init(replacing replaced: [String: String] = [:]) { self.replaced = replaced }

  // MARK: Texts

  /// The text of a file of the package, with one blank for any blank space.
  func text(_ path: String) -> String {
    if let text = texts[path] { return text }
    let text = raw(path).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    texts[path] = text
    return text
  }

  /// The text of a file as it is.
  func raw(_ path: String) -> String { replaced[path] ?? ComplianceTable.text(of: path) ?? "" }

  /// The groups of each match of a pattern in a file; those that took no part are left out.
  func matches(_ pattern: String, in path: String) -> [[String]] { Self.matches(pattern, of: text(path)) }

  static func matches(_ pattern: String, of text: String) -> [[String]] {
    guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
    let whole = NSRange(text.startIndex..., in: text)
    return expression.matches(in: text, range: whole).map { match in
      (1..<max(match.numberOfRanges, 1)).compactMap { group in
        Range(match.range(at: group), in: text).map { String(text[$0]) }
      }
    }
  }

  // MARK: Values

  private static let words = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
  ]

  /// A value in one form: numbers decimal, `K` and `M` as 1,024 and 1,048,576, UUIDs as digits, lists of
  /// names with a blank between them.
  static func value(_ text: String, times factor: Double = 1) -> String {
    var text = text.trimmingCharacters(in: .whitespaces)
    if text.contains("`") || text.contains("\"") {
      return text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.filter { $0 != "and" }
        .joined(separator: " ")
    }
    if let number = words.firstIndex(of: text) { text = String(number) }
    if text.wholeMatch(of: /[0-9a-f\-]{36}/) != nil { return text.filter { $0 != "-" } }
    if let halves = text.wholeMatch(of: /(\w+), 0x(\w+)/) {
      return String(halves.output.1 + halves.output.2).filter { $0 != "_" }
    }
    text = text.filter { $0 != "_" && $0 != "," }
    let number: Double
    if let shift = text.wholeMatch(of: /(\d+) << (\d+)/), let value = Int(shift.output.1),
      let places = Int(shift.output.2)
    {
      number = Double(value << places)
    } else if text.hasPrefix("0x"), let value = Int(text.dropFirst(2), radix: 16) {
      number = Double(value)
    } else if let parts = text.wholeMatch(of: /([0-9.]+?)\.? ?([KM]?)B?/), let value = Double(parts.output.1)
    {
      number = value * (parts.output.2 == "K" ? 1024 : parts.output.2 == "M" ? 1_048_576 : 1)
    } else {
      return text
    }
    let millionths = (number * factor * 1_000_000).rounded()
    return millionths.truncatingRemainder(dividingBy: 1_000_000) == 0
      ? String(Int(millionths) / 1_000_000) : String(millionths / 1_000_000)
  }

  // MARK: Facts

  private static func parsed(_ table: String) -> [Fact] {
    var facts: [Fact] = []
    for line in table.split(separator: "\n") {
      let halves = line.trimmingCharacters(in: .whitespaces).split(separator: ": ", maxSplits: 1).map(
        String.init)
      guard halves.count == 2 else { continue }
      if line.hasPrefix("  ") {
        let words = halves[0].split(separator: " ")
        let factor = words.count > 1 ? Double(words[0].dropFirst()) ?? .nan : 1
        facts[facts.count - 1].sources.append((factor, String(words[words.count - 1]), halves[1]))
      } else {
        let path = halves[0].hasPrefix("../") ? String(halves[0].dropFirst(3)) : "docs/" + halves[0]
        facts.append(Fact(document: path, statement: halves[1]))
      }
    }
    return facts
  }

  /// The documents that facts are of, one for each fact.
  static let documents = (parsed(facts) + parsed(furtherFacts)).map(\.document)

  /// What is wrong with the facts of the tables.
  func wrongFacts() -> [String] {
    (Self.parsed(Self.facts) + Self.parsed(Self.furtherFacts)).flatMap { fact -> [String] in
      var values: [String] = []
      for source in fact.sources {
        guard let found = matches(source.pattern, in: source.path).first else {
          return ["\(source.path) has nothing like \(source.pattern), of \(fact.document): \(fact.statement)"]
        }
        values += found.map { Self.value($0, times: source.factor) }
      }
      return complaints(fact.document, fact.statement, values, fact.sources.map(\.path))
    }
  }

  /// What is wrong if the groups of each match of a pattern in a document have to be these values.
  func complaints(_ document: String, _ statement: String, _ values: [String], _ from: [String]) -> [String] {
    let found = matches(statement, in: document).map { $0.map { Self.value($0) } }
    guard !found.isEmpty else { return ["\(document) has nothing like \(statement)"] }
    return found.filter { $0 != values }.map { said in
      "\(document) says \(said.joined(separator: ", ")), \(Set(from).sorted().joined(separator: " and ")) "
        + "\(values.joined(separator: ", ")): \(statement)"
    }
  }

  /// A number in a file, 0 if it has none such.
  func number(_ pattern: String, in path: String) -> Int {
    matches(pattern, in: path).first?.first.flatMap { Int(Self.value($0)) } ?? 0
  }
}
