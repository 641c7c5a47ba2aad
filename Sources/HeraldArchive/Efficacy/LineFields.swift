/// The fields of a line of comma-separated values, or of what separates them in place of commas.
///
/// Quotation marks are read as RFC 4180 has them (doubled inside) and as Herald's phones write them (not
/// doubled): where the first reading does not end before a comma, the field ends with the first quotation
/// mark before one.
struct LineFields {
  private static let quote = UInt8(ascii: "\"")

  private struct Field {
    let range: Range<Int>
    let hasDoubledQuotes: Bool
  }

  /// What separates fields: a comma, unless a spreadsheet has written the file.
  var separator = UInt8(ascii: ",")
  private var fields: [Field] = []
  private let mostFields: Int

  /// Fields after the first `mostFields` are not kept.
  init(mostFields: Int) {
    self.mostFields = mostFields
    fields.reserveCapacity(min(mostFields, 64))
  }

  /// The number of fields.
  var count: Int { fields.count }

  /// Splits a line.
  mutating func split(_ line: Span<UInt8>) {
    fields.removeAll(keepingCapacity: true)
    var position = 0
    while fields.count < mostFields {
      if position < line.count, line[position] == Self.quote {
        position = quoted(line, from: position + 1)
      } else {
        let start = position
        while position < line.count, line[position] != separator { position += 1 }
        fields.append(Field(range: start..<position, hasDoubledQuotes: false))
      }
      guard position < line.count else { return }
      position += 1
    }
  }

  /// Adds the quoted field that begins at `start`, after the quotation mark, and returns the position of the
  /// comma after it, or the end of the line.
  private mutating func quoted(_ line: Span<UInt8>, from start: Int) -> Int {
    var position = start
    var isDoubled = false
    while position < line.count {
      guard line[position] == Self.quote else {
        position += 1
        continue
      }
      let after = position + 1
      if after == line.count || line[after] == separator {
        fields.append(Field(range: start..<position, hasDoubledQuotes: isDoubled))
        return after
      }
      guard line[after] == Self.quote else { break }
      isDoubled = true
      position += 2
    }
    position = start
    while position < line.count {
      if line[position] == Self.quote, position + 1 == line.count || line[position + 1] == separator {
        fields.append(Field(range: start..<position, hasDoubledQuotes: false))
        return position + 1
      }
      position += 1
    }
    fields.append(Field(range: start..<line.count, hasDoubledQuotes: false))
    return line.count
  }

  /// Splits a line with each separator that spreadsheets write, until `isRight`; with commas if none is.
  mutating func split(_ line: Span<UInt8>, until isRight: (LineFields) -> Bool) {
    for candidate in [",", ";", "\t"] as [Unicode.Scalar] {
      separator = UInt8(ascii: candidate)
      split(line)
      if isRight(self) { return }
    }
    separator = UInt8(ascii: ",")
    split(line)
  }

  /// What a line `sep=;` says, with which some spreadsheets begin a file; `nil` for any other line.
  static func namedSeparator(_ line: Span<UInt8>) -> UInt8? {
    guard line.count == 5, (0..<4).allSatisfy({ line[$0] | 0x20 == "sep=".utf8.map { $0 | 0x20 }[$0] }) else {
      return nil
    }
    return line[4]
  }

  /// The text of a field of the line that was split last.
  func text(_ index: Int, of line: Span<UInt8>) -> String {
    let field = fields[index]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(field.range.count)
    var position = field.range.lowerBound
    while position < field.range.upperBound {
      bytes.append(line[position])
      position += field.hasDoubledQuotes && line[position] == Self.quote ? 2 : 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The position in the line of a field without its quotation marks.
  func range(_ index: Int) -> Range<Int> { fields[index].range }

  /// Whether a field is the one character `digit`.
  func isDigit(_ index: Int, _ digit: UInt8, of line: Span<UInt8>) -> Bool {
    let range = fields[index].range
    return range.count == 1 && line[range.lowerBound] == digit
  }
}
