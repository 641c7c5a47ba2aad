/// Lines of comma-separated values in the format of Herald's logs: each line ends with LF, and only those
/// values are quoted that Herald quotes.
package struct CSVText {
  /// The lines in UTF-8.
  package private(set) var bytes: [UInt8] = []

  /// An empty text.
  package init() {}

  /// Returns the contents and empties the buffer.
  package mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Appends text without quoting.
  package mutating func raw(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

  /// Appends bytes without quoting.
  package mutating func raw(_ text: [UInt8]) { bytes += text }

  /// Appends a value, in quotation marks if it contains a comma, a quotation mark or an apostrophe, as on the
  /// phones, or a number sign, which begins a comment for R. Quotation marks inside are not escaped, as on
  /// the phones.
  package mutating func value(_ text: String) {
    let needsQuotes = text.unicodeScalars.contains {
      $0 == "," || $0 == "\"" || $0 == "'" || $0 == "\u{2019}" || $0 == "#"
    }
    if needsQuotes { bytes.append(0x22) }
    raw(text)
    if needsQuotes { bytes.append(0x22) }
  }

  /// Appends untrusted text: quoted like `value`, but with quotation marks inside doubled, and with an
  /// apostrophe where a spreadsheet would interpret a formula: at the start, and after a semicolon, which is
  /// the field separator in locales with a decimal comma.
  package mutating func foreign(_ text: String) {
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

  /// Appends the separator of two values.
  package mutating func comma() { bytes.append(0x2C) }
  /// Ends the line.
  package mutating func endLine() { bytes.append(0x0A) }
}
