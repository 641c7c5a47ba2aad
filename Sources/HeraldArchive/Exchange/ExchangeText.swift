import HeraldHostLink

/// Names in files for other programs: in any script, and harmless in XML, in columns and on a screen.
enum ExchangeText {
  /// Text or an attribute of XML.
  static func xml(_ text: String) -> String {
    var result = ""
    for scalar in TableText.clean(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A word for a column of a file whose columns are separated by tabs. Blanks, quotation marks and `#`, at
  /// which readers end a field or a line, become underscores; a word that a reader may take for a number, a
  /// missing or a logical value has one in front.
  static func word(_ text: String) -> String {
    let word = String(
      String.UnicodeScalarView(
        TableText.clean(text).unicodeScalars.map {
          $0.properties.isWhitespace || ["\"", "'", "#"].contains($0) ? "_" : $0
        }))
    if word.isEmpty { return "-" }
    return TableText.guarded(word) == word || word.hasPrefix("_") ? word : "_" + word
  }

  /// The number of a day, 20260914, as `2026-09-14`.
  static func date(_ day: Int64) -> String {
    let digits = String(day)
    return
      "\(digits.prefix(digits.count - min(4, digits.count)))-\(digits.suffix(4).prefix(2))-\(digits.suffix(2))"
  }

  /// Seconds as minutes with at most two digits after the point.
  static func minutes(_ seconds: Int64) -> String {
    let hundredths = seconds.multipliedClamped(by: 100).addingClamped(30) / 60
    let rest = hundredths % 100
    if rest == 0 { return String(hundredths / 100) }
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
