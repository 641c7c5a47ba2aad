/// Names in files for other programs: in any script, and harmless in XML, in CSV and on a screen.
enum ExchangeText {
  /// Without characters that XML 1.0 excludes, controls, noncharacters, and those that change the direction
  /// of the text after them. Tabs and line ends become blanks. Joiners stay: names are written with them.
  static func clean(_ text: String) -> String {
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

  /// Text or an attribute of XML.
  static func xml(_ text: String) -> String {
    var result = ""
    for scalar in clean(text).unicodeScalars {
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

  /// A field of CSV as RFC 4180 has it: always in quotation marks, as readers take `NA` and numbers for
  /// something else, and with an apostrophe where a spreadsheet would see a formula.
  static func csv(_ text: String) -> String {
    let text = clean(text)
    let guarded =
      text.unicodeScalars.first.map { "=+-@".unicodeScalars.contains($0) } == true ? "'" + text : text
    return "\"" + guarded.replacing("\"", with: "\"\"") + "\""
  }

  /// A word for a column of a file whose columns are separated by blanks: blanks become underscores.
  static func word(_ text: String) -> String {
    let word = String(
      String.UnicodeScalarView(clean(text).unicodeScalars.map { $0.properties.isWhitespace ? "_" : $0 }))
    return word.isEmpty ? "-" : word
  }

  /// Seconds as minutes with at most two digits after the point.
  static func minutes(_ seconds: Int64) -> String {
    let hundredths = (seconds * 100 + 30) / 60
    let rest = hundredths % 100
    if rest == 0 { return String(hundredths / 100) }
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
