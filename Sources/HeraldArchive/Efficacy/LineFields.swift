/// The fields of a line of comma-separated values.
///
/// Quotation marks are read as RFC 4180 has them (doubled inside) and as Herald's phones write them (not
/// doubled): where the first reading does not end before a comma, the field ends with the first quotation
/// mark before one.
struct LineFields {
  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")

  private struct Field {
    let range: Range<Int>
    let hasDoubledQuotes: Bool
  }

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
    var place = 0
    while fields.count < mostFields {
      if place < line.count, line[place] == Self.quote {
        place = quoted(line, from: place + 1)
      } else {
        let start = place
        while place < line.count, line[place] != Self.comma { place += 1 }
        fields.append(Field(range: start..<place, hasDoubledQuotes: false))
      }
      guard place < line.count else { return }
      place += 1
    }
  }

  /// Adds the quoted field that begins at `start`, after the quotation mark, and returns the place of the
  /// comma after it, or the end of the line.
  private mutating func quoted(_ line: Span<UInt8>, from start: Int) -> Int {
    var place = start
    var isDoubled = false
    while place < line.count {
      guard line[place] == Self.quote else {
        place += 1
        continue
      }
      let after = place + 1
      if after == line.count || line[after] == Self.comma {
        fields.append(Field(range: start..<place, hasDoubledQuotes: isDoubled))
        return after
      }
      guard line[after] == Self.quote else { break }
      isDoubled = true
      place += 2
    }
    place = start
    while place < line.count {
      if line[place] == Self.quote, place + 1 == line.count || line[place + 1] == Self.comma {
        fields.append(Field(range: start..<place, hasDoubledQuotes: false))
        return place + 1
      }
      place += 1
    }
    fields.append(Field(range: start..<line.count, hasDoubledQuotes: false))
    return line.count
  }

  /// The text of a field of the line that was split last.
  func text(_ index: Int, of line: Span<UInt8>) -> String {
    let field = fields[index]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(field.range.count)
    var place = field.range.lowerBound
    while place < field.range.upperBound {
      bytes.append(line[place])
      place += field.hasDoubledQuotes && line[place] == Self.quote ? 2 : 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The place in the line of a field without its quotation marks.
  func range(_ index: Int) -> Range<Int> { fields[index].range }

  /// Whether a field is the one character `digit`.
  func isDigit(_ index: Int, _ digit: UInt8, of line: Span<UInt8>) -> Bool {
    let range = fields[index].range
    return range.count == 1 && line[range.lowerBound] == digit
  }
}
