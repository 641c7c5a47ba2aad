/// Dates as phones write them whose formatter follows the owner's settings in place of the program's: a clock
/// of 12 hours (`2022-01-05 8:00:00 PM`, `下午8:00:00`), digits of another script, other blanks and separators.
enum LocalisedTime {
  /// The longest text that can be a date.
  private static let mostScalars = 64

  /// What stands for the hours before noon, and after it, in small letters and without blanks and points, by
  /// the Unicode locale data.
  private static let beforeNoon: Set<String> = [
    "am", "a", "vorm", "fm", "ap", "de", "dop", "öö", "oo", "sa", "pd", "проб", "дп", "πμ", "ص", "قظ",
    "לפנהצ", "पूर्वाह्न", "मपू", "முற்பகல்", "ก่อนเที่ยง", "上午", "午前", "오전",
  ]
  private static let afterNoon: Set<String> = [
    "pm", "p", "nachm", "em", "ip", "du", "odp", "ös", "os", "ch", "md", "слоб", "пп", "μμ", "م", "بظ",
    "אחהצ",
    "अपराह्न", "मउ", "பிற்பகல்", "หลังเที่ยง", "下午", "午後", "오후",
  ]

  /// The same date as `yyyy-MM-dd HH:mm:ss`, with the fraction and the offset that it has; `nil` if it is not
  /// certain which date is meant. The year comes first: of `05/01/2022` nobody knows the month.
  static func plain(_ text: String) -> String? {
    guard text.unicodeScalars.count <= mostScalars else { return nil }
    var rest = Substring(normalised(text))
    guard let year = number(&rest, 4...4), let separator = rest.popFirst(), "-/.".contains(separator),
      let month = number(&rest, 1...2), rest.popFirst() == separator, let day = number(&rest, 1...2),
      let next = rest.first, " ,t".contains(next) || !next.isASCII
    else { return nil }
    rest = rest.drop { " ,t".contains($0) }
    // In some languages what stands for the half of the day comes first.
    let before = rest.prefix { !$0.isASCIIDigit }
    rest = rest.dropFirst(before.count)
    guard var hour = Int(number(&rest, 1...2) ?? ""), rest.popFirst() == ":",
      let minute = number(&rest, 2...2),
      rest.popFirst() == ":", let second = number(&rest, 2...2)
    else { return nil }
    var fraction = ""
    if let point = rest.first, ".,".contains(point), rest.dropFirst().first?.isASCIIDigit == true {
      rest.removeFirst()
      fraction = "." + rest.prefix { $0.isASCIIDigit }
      rest = rest.drop { $0.isASCIIDigit }
    }
    let after = rest.prefix { !"+-".contains($0) && !($0 == "z" && rest.count == 1) }
    let offset = rest.dropFirst(after.count)
    let half = marker(before) + marker(after)
    if half.isEmpty {
      // Nothing but a blank before an offset.
      guard before.isEmpty, after.isEmpty || after == " " && !offset.isEmpty, hour < 24 else { return nil }
    } else {
      guard hour <= 12, beforeNoon.contains(half) || afterNoon.contains(half) else { return nil }
      hour = hour % 12 + (afterNoon.contains(half) ? 12 : 0)
    }
    return "\(year)-\(padded(month))-\(padded(day)) \(padded(String(hour))):\(minute):\(second)\(fraction)"
      + offset.uppercased()
  }

  /// ASCII digits, blanks and signs, small letters; without marks of direction.
  private static func normalised(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: break
      case 0x066B: result.append(".")
      case 0x060C: result.append(",")
      case 0x2212: result.append("-")
      case 0xFF1A: result.append(":")
      default:
        if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
          result.append(contentsOf: String(Int(value)).unicodeScalars)
        } else {
          result.append(scalar.properties.isWhitespace ? " " : scalar)
        }
      }
    }
    return String(result).lowercased()
  }

  /// The letters of a text, without blanks, points and quotation marks.
  private static func marker(_ text: Substring) -> String {
    String(text.filter { !" .\"'״׳".contains($0) })
  }

  private static func number(_ rest: inout Substring, _ digits: ClosedRange<Int>) -> String? {
    let found = rest.prefix { $0.isASCIIDigit }
    guard digits.contains(found.count) else { return nil }
    rest = rest.dropFirst(found.count)
    return String(found)
  }

  private static func padded(_ number: String) -> String { number.count < 2 ? "0\(number)" : number }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
