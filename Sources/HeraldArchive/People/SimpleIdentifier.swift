/// A payload of the simple family as its fields: 24 bytes, so that those of a whole archive fit into memory.
struct SimpleIdentifier: Hashable, Comparable, Sendable {
  /// The contact identifier, most significant byte first.
  let high: UInt64
  let low: UInt64
  /// The bytes before it: header, country, state.
  let prefix: UInt64

  private static let prefixSize = 5
  /// The number of bytes of such a payload.
  static let size = 21
  private static let header: UInt8 = 0x10

  init?(payload: [UInt8]) {
    guard payload.count == Self.size, payload[0] == Self.header else { return nil }
    func number(_ range: Range<Int>) -> UInt64 { payload[range].reduce(0) { $0 << 8 | UInt64($1) } }
    prefix = number(0..<Self.prefixSize)
    high = number(Self.prefixSize..<Self.prefixSize + 8)
    low = number(Self.prefixSize + 8..<Self.size)
  }

  /// The bytes of the payload.
  var payload: [UInt8] {
    func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }
    return bytes(prefix, Self.prefixSize) + bytes(high, 8) + bytes(low, 8)
  }

  static func < (left: SimpleIdentifier, right: SimpleIdentifier) -> Bool {
    (left.high, left.low, left.prefix) < (right.high, right.low, right.prefix)
  }
}

/// The payloads of the simple family that devices of an archive have read, by their identifiers.
struct SimpleIdentifierTable: Sendable {
  private let sorted: [SimpleIdentifier]

  init(_ identifiers: [SimpleIdentifier]) { sorted = identifiers.sorted() }

  var count: Int { sorted.count }

  /// The payloads with an identifier; more than one only if somebody repeats it with another country.
  func payloads(_ high: UInt64, _ low: UInt64) -> ArraySlice<SimpleIdentifier> {
    var (start, end) = (0, sorted.count)
    while start < end {
      let middle = (start + end) / 2
      if (sorted[middle].high, sorted[middle].low) < (high, low) { start = middle + 1 } else { end = middle }
    }
    while end < sorted.count, sorted[end].high == high, sorted[end].low == low { end += 1 }
    return sorted[start..<end]
  }
}
