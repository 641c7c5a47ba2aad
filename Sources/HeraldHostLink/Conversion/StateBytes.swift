import HeraldCrypto

/// What is kept of an interpretation between two conversions, as bytes.
protocol Stored {
  /// Appends the value.
  func store(in bytes: inout StateWriter)
  /// Reads a value that `store` has written. The bytes may be any.
  init(from bytes: inout StateReader) throws(StateReader.Damage)
}

/// Appends values to bytes: numbers with seven bits in each byte, the lowest first.
struct StateWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// A number that is not negative.
  mutating func add(_ number: Int) { add(UInt64(clamping: number)) }

  /// A number of either sign.
  mutating func add(signed number: Int64) { add(UInt64(bitPattern: number << 1 ^ number >> 63)) }

  mutating func add(_ number: Double) { add(number.bitPattern) }

  mutating func add(_ data: [UInt8]) {
    add(data.count)
    bytes += data
  }

  mutating func add(_ list: [some Stored]) {
    add(list.count)
    for value in list { value.store(in: &self) }
  }

  /// The bytes with their SHA-256 behind them.
  consuming func sealed() -> [UInt8] {
    let digest = SHA256.digest(of: bytes.span)
    for index in digest.indices { bytes.append(digest[index]) }
    return bytes
  }
}

/// Reads the values of a `StateWriter`.
struct StateReader {
  /// The bytes are not those of a `StateWriter`.
  struct Damage: Error {}

  private let bytes: [UInt8]
  private var position = 0
  private let end: Int

  /// Reads bytes with their SHA-256 behind them.
  init(_ bytes: [UInt8]) throws(Damage) {
    self.bytes = bytes
    end = bytes.count - 32
    guard end >= 0 else { throw Damage() }
    let digest = SHA256.digest(of: bytes.span.extracting(0..<end))
    guard digest.indices.allSatisfy({ digest[$0] == bytes[end + $0] }) else { throw Damage() }
  }

  /// Whether all is read.
  var isAtEnd: Bool { position == end }

  mutating func number(through most: UInt64 = .max) throws(Damage) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard position < end, shift < 64 else { throw Damage() }
      let byte = bytes[position]
      position += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { break }
      shift += 7
    }
    guard number <= most else { throw Damage() }
    return number
  }

  /// A number of at most 40 bits, so that sums of such numbers do not overflow.
  mutating func integer() throws(Damage) -> Int { Int(try number(through: 1 << 40)) }

  /// An index of a list of `count` elements.
  mutating func index(_ count: Int) throws(Damage) -> Int {
    let index = try integer()
    guard index < count else { throw Damage() }
    return index
  }

  mutating func signed() throws(Damage) -> Int64 {
    let number = try number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  mutating func double() throws(Damage) -> Double { Double(bitPattern: try number()) }

  mutating func data() throws(Damage) -> [UInt8] {
    let count = try integer()
    guard count <= end - position else { throw Damage() }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func list<Value: Stored>() throws(Damage) -> [Value] {
    let count = try integer()
    var list: [Value] = []
    // Each value has a byte at least.
    guard count <= end - position else { throw Damage() }
    for _ in 0..<count { list.append(try Value(from: &self)) }
    return list
  }
}
