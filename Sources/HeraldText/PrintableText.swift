/// Makes text that came from a device safe to show: a hostile name must not move the cursor, ring the bell or
/// hide what follows.
public enum PrintableText {
  /// `text` with control, format and other invisible characters replaced by `?`, cut to `limit` characters.
  public static func of(_ text: some StringProtocol, limit: Int = 128) -> String {
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
  public static func name(_ text: some StringProtocol, limit: Int = 128) -> String {
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

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x80 { return scalar.value >= 0x20 && scalar.value < 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      return false
    default: return true
    }
  }
}
