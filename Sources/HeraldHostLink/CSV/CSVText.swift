/// Lines of comma-separated values in the form of Herald's logs: LF at every line's end, quotes only where
/// Herald sets them.
struct CSVText {
  private(set) var bytes: [UInt8] = []

  /// Returns the contents, and starts again empty.
  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Appends text as it is.
  mutating func raw(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

  /// Appends bytes as they are.
  mutating func raw(_ text: [UInt8]) { bytes += text }

  /// Appends a value, in quotation marks if it contains a comma, a quotation mark or an apostrophe. Marks
  /// inside are left as they are: the phones do the same.
  mutating func value(_ text: String) {
    let needsQuotes = text.unicodeScalars.contains {
      $0 == "," || $0 == "\"" || $0 == "'" || $0 == "\u{2019}"
    }
    if needsQuotes { bytes.append(0x22) }
    raw(text)
    if needsQuotes { bytes.append(0x22) }
  }

  /// Appends untrusted text: in quotation marks like `value`, but with marks inside doubled, and with an
  /// apostrophe where a spreadsheet would take it for a formula: in front, and behind a semicolon, which
  /// separates fields in countries that have a comma in their numbers.
  mutating func foreign(_ text: String) {
    var guarded = String.UnicodeScalarView()
    var isStart = true
    for scalar in text.unicodeScalars {
      if isStart, "=+-@".unicodeScalars.contains(scalar) { guarded.append("'") }
      if scalar == "\"" { guarded.append(scalar) }
      guarded.append(scalar)
      isStart = scalar == ";"
    }
    value(String(guarded))
  }

  mutating func comma() { bytes.append(0x2C) }
  mutating func endLine() { bytes.append(0x0A) }
}
