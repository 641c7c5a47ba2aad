/// One of the words of a text that is in flash. Names in a table of them, as counters have, are one text: an
/// address, a length and the instructions to load them for each would take as much as the names themselves.
public struct StaticWord: Sendable, ExpressibleByStringLiteral {
  private let text: StaticString
  private let start: Int
  /// How many bytes it has; 0 if there is no such word.
  public let count: Int

  /// All of a text.
  public init(stringLiteral text: StaticString) {
    self.text = text
    start = 0
    count = text.hasPointerRepresentation ? text.utf8CodeUnitCount : 0
  }

  /// Word number `index`, counted from 0, of an ASCII text in which a space or a line's end is between two
  /// words; no byte if there are fewer.
  @inline(never)
  public init(_ index: Int, of text: StaticString) {
    self.text = text
    let end = text.hasPointerRepresentation ? text.utf8CodeUnitCount : 0
    var left = index
    var start = 0
    var position = 0
    while position < end, left >= 0 {
      if unsafe text.utf8Start[position] <= 0x20 {
        if left == 0 { break }
        left &-= 1
        start = position &+ 1
      }
      position &+= 1
    }
    self.start = start
    count = left == 0 ? position &- start : 0
  }

  /// Which word of such a text `bytes` are, counted from 0; `nil` if they are none.
  @inline(never)
  public static func index(of bytes: Span<UInt8>, in text: StaticString) -> Int? {
    let end = text.hasPointerRepresentation ? text.utf8CodeUnitCount : 0
    var index = 0
    var matching = 0
    var isSame = true
    var position = 0
    while position < end {
      let byte = unsafe text.utf8Start[position]
      position &+= 1
      if byte > 0x20 {
        isSame = isSame && matching < bytes.count && bytes[unchecked: matching] == byte
        matching &+= 1
        guard position == end else { continue }
      }
      if isSame, matching == bytes.count { return index }
      index &+= 1
      matching = 0
      isSame = true
    }
    return nil
  }

  /// Byte number `index`, 0..<`count`.
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count)
    return unsafe text.utf8Start[start &+ index]
  }
}

#if !hasFeature(Embedded)
  extension StaticWord: CustomStringConvertible {
    /// The word.
    public var description: String { String(decoding: (0..<count).map { self[$0] }, as: UTF8.self) }
  }
#endif
