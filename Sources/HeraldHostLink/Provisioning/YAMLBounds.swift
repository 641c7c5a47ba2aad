/// Bounds of a YAML text that are checked before it is parsed: the parser expands aliases and descends into
/// nested collections without a limit, so that a small text can take all time, memory or stack.
///
/// Marks are counted without regard to quotation marks: a text may be refused that would be harmless, but not
/// the reverse.
enum YAMLBounds {
  /// The maximum size in bytes.
  static let mostBytes = 65_536
  /// The maximum number of aliases.
  static let mostAliases = 4
  /// The maximum number of opening brackets and braces.
  static let mostFlows = 256
  /// The maximum number of marks of nested collections at the beginning of a line.
  static let mostMarks = 8
  /// The maximum indentation.
  static let mostBlanks = 128

  /// What is beyond the bounds, as a continuation of the file's name; `nil` if nothing is.
  static func excess(of text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count <= mostBytes else { return " has more than \(mostBytes) bytes" }
    var (line, aliases, flows, marks, blanks) = (1, 0, 0, 0, 0)
    var isBegin = true
    var before: UInt8 = 0x0A
    for (index, byte) in bytes.enumerated() {
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0A
      let endsWord = next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D
      switch byte {
      case 0x0A, 0x0D:
        if byte == 0x0A { line += 1 }
        (marks, blanks, isBegin) = (0, 0, true)
      case 0x20, 0x09: if isBegin { blanks += 1 }
      case UInt8(ascii: "*") where !endsWord && isBoundary(before): aliases += 1
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        flows += 1
        isBegin = false
      case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
        if isBegin, endsWord { marks += 1 } else { isBegin = false }
      // The last bytes of U+0085, U+2028 and U+2029, which end a line in YAML 1.1.
      case 0x85, 0xA8, 0xA9: (marks, isBegin) = (0, true)
      default: isBegin = false
      }
      guard aliases <= mostAliases else {
        return ", line \(line): there are more than \(mostAliases) aliases"
      }
      guard flows <= mostFlows else {
        return ", line \(line): there are more than \(mostFlows) brackets and braces"
      }
      guard marks <= mostMarks, blanks <= mostBlanks else { return ", line \(line): it is nested too deeply" }
      before = byte
    }
    return nil
  }

  /// Whether a word can begin behind this byte.
  private static func isBoundary(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte >= 0x80
      || [UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: ":")].contains(byte)
  }
}
