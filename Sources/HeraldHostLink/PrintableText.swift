/// Makes text that came from a device safe to show: a hostile name must not move the cursor, ring the bell or hide what
/// follows.
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

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x80 { return scalar.value >= 0x20 && scalar.value < 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      return false
    default: return true
    }
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension FixedWidthInteger {
  /// The number in hexadecimal, at least `digits` long.
  public func hexadecimal(_ digits: Int) -> String {
    let text = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
  }
}
