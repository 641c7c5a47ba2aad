/// Makes text that came from a device safe to show: a hostile name must not move the cursor, ring the bell or
/// hide what follows.
package enum PrintableText {
  /// `text` with control, format and other invisible characters replaced by `?`, cut to `limit` characters.
  package static func of(_ text: some StringProtocol, limit: Int = 128) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return result + "…" }
      result.unicodeScalars.append(isHarmless(scalar) ? scalar : "?")
      count += 1
    }
    return result
  }

  /// The same for names of persons and places in any script: the characters that join letters in many of them
  /// (U+200C, U+200D) are kept.
  package static func name(_ text: some StringProtocol, limit: Int = 128) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return result + "…" }
      let isJoiner = scalar.value == 0x200C || scalar.value == 0x200D
      result.unicodeScalars.append(isJoiner || isHarmless(scalar) ? scalar : "?")
      count += 1
    }
    return result
  }

  /// A line of output that may contain such text: joiners are kept, line ends and tabs become blanks, and
  /// other characters that are not shown become `?`.
  package static func line(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(text) }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D: result.append(" ")
      case 0x200C, 0x200D: result.append(scalar)
      default: result.append(isHarmless(scalar) ? scalar : "?")
      }
    }
    return String(result)
  }

  /// JSON whose strings may contain such text: characters that are not shown are escaped (`\u202e`), so that
  /// nothing is lost.
  package static func json(_ json: String) -> String {
    if json.utf8.allSatisfy({ $0 < 0x7F }) { return json }
    var result = ""
    for scalar in json.unicodeScalars {
      if scalar.value < 0x20 || isHarmless(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        for unit in String(scalar).utf16 { result += "\\u\(unit.hexadecimal(4))" }
      }
    }
    return result
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x80 { return scalar.value >= 0x20 && scalar.value < 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      return false
    default: return true
    }
  }
}
