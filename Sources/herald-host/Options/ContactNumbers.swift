import ArgumentParser
import HeraldText

/// Lists of numbers on the command line: `55,63,73`.
enum ContactNumbers {
  /// Whole numbers.
  static func integers(_ text: String) throws -> [Int] {
    try numbers(text) { Int($0) }
  }

  /// Decimal numbers.
  static func decimals(_ text: String) throws -> [Double] {
    try numbers(text) { Double($0).flatMap { $0.isFinite ? $0 : nil } }
  }

  private static func numbers<Number>(_ text: String, _ number: (Substring) -> Number?) throws -> [Number] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      guard let number = number(part) else {
        throw ValidationError(
          "\"\(PrintableText.of(text, limit: 80))\" is no list of numbers such as 55,63,73.")
      }
      return number
    }
  }
}
