/// Text of devices, peers and people in a table of comma-separated values for programs that analyse.
///
/// Readers guess the types of columns, in quotation marks or not: of `00012` and `1E5` they make numbers, of
/// `T` a logical value, of `NA` a missing one, of `2026-01-01` a date; spreadsheets take `=1+1` for a
/// formula. Text that does not begin with a letter, and text that is one of `words`, therefore has an
/// apostrophe in front, which `original` takes away.
package enum TableText {
  /// The words that readers of tables take for logical values, missing values, numbers or dates, in small
  /// letters.
  package static let words: Set<String> = [
    "t", "f", "true", "false", "y", "n", "yes", "no", "on", "off", "na", "n/a", "nan", "nat", "null", "none",
    "nil",
    "missing", "inf", "infinity", "epoch", "now", "today", "tomorrow", "yesterday",
  ]

  /// Without characters that XML 1.0 excludes, controls, noncharacters, and those that change the direction
  /// of the text after them. Tabs and line ends become blanks. Joiners stay: names are written with them.
  package static func clean(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: result.append(" ")
      case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF, 0xFDD0...0xFDEF:
        break
      case let value where value & 0xFFFE == 0xFFFE: break
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Text that no reader takes for anything else.
  package static func guarded(_ text: String) -> String {
    let text = clean(text)
    guard !text.isEmpty else { return "" }
    var result = String.UnicodeScalarView()
    if isMistakable(text) { result.append("'") }
    var isStart = false
    for scalar in text.unicodeScalars {
      // In locales with a decimal comma a semicolon separates fields, also within quotation marks that do not
      // begin one.
      if isStart, isFormulaSign(scalar) { result.append("'") }
      result.append(scalar)
      isStart = scalar == ";"
    }
    return String(result)
  }

  /// The text that `guarded` was made of, if it was guarded.
  package static func original(_ text: String) -> String {
    guard text.unicodeScalars.first == "'" else { return text }
    let rest = String(text.unicodeScalars.dropFirst())
    return isMistakable(rest) ? rest : text
  }

  /// A field as RFC 4180 has it: in quotation marks where they are needed, and `""` for empty text.
  package static func field(_ text: String) -> String {
    let guarded = guarded(text)
    let isPlain = guarded.unicodeScalars.allSatisfy {
      switch $0 {
      case ",", ";", "\"", "'", "#", "\u{2019}": false
      default: true
      }
    }
    let isEdgeBlank = guarded.first?.isWhitespace == true || guarded.last?.isWhitespace == true
    if isPlain, !guarded.isEmpty, !isEdgeBlank { return guarded }
    return "\"" + guarded.replacing("\"", with: "\"\"") + "\""
  }

  /// Whether a reader may take the text for something else.
  private static func isMistakable(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first else { return false }
    switch first.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
      return words.contains(text.lowercased().filter { !$0.isWhitespace })
    default: return true
    }
  }

  /// Whether a spreadsheet takes the text after this for a formula; wide forms are those of East Asian
  /// locales.
  private static func isFormulaSign(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": true
    default: false
    }
  }
}
