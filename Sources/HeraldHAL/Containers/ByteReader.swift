/// Reads integers and slices from borrowed bytes, never past their end.
///
/// Every method returns `nil` when too few bytes remain and then consumes nothing, so a parser made of
/// `guard let` is total: bounds come from the buffer and never from a length field. Multi-byte integers
/// are little-endian, the order of Bluetooth and Herald, unless the method's name says `bigEndian`.
public struct ByteReader: ~Escapable {
  let bytes: Span<UInt8>
  /// How many bytes have been consumed: 0…`bytes.count`.
  public private(set) var offset: Int

  /// A reader at the first of `bytes`.
  @_lifetime(copy bytes)
  public init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
    offset = 0
  }

  /// How many bytes are left.
  public var remaining: Int { bytes.count &- offset }
  /// Whether all bytes have been consumed.
  public var isAtEnd: Bool { remaining == 0 }

  /// The next byte.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func u8() -> UInt8? {
    guard remaining >= 1 else { return nil }
    let value = bytes[unchecked: offset]
    offset &+= 1
    return value
  }

  /// The next byte as a two's complement number.
  @_lifetime(self: copy self)
  public mutating func i8() -> Int8? {
    guard let value = u8() else { return nil }
    return Int8(bitPattern: value)
  }

  /// The next two bytes, little-endian.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func u16() -> UInt16? {
    guard remaining >= 2 else { return nil }
    let value = UInt16(bytes[unchecked: offset]) | UInt16(bytes[unchecked: offset &+ 1]) &<< 8
    offset &+= 2
    return value
  }

  /// The next four bytes, little-endian.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func u32() -> UInt32? {
    guard remaining >= 4, let low = u16(), let high = u16() else { return nil }
    return UInt32(high) &<< 16 | UInt32(low)
  }

  /// The next eight bytes, little-endian.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func u64() -> UInt64? {
    guard remaining >= 8, let low = u32(), let high = u32() else { return nil }
    return UInt64(high: high, low: low)
  }

  /// The next two bytes, most significant first (the order of SMP and USB/IP).
  @_lifetime(self: copy self)
  public mutating func bigEndianU16() -> UInt16? {
    guard let value = u16() else { return nil }
    return value.byteSwapped
  }

  /// The next four bytes, most significant first.
  @_lifetime(self: copy self)
  public mutating func bigEndianU32() -> UInt32? {
    guard let value = u32() else { return nil }
    return value.byteSwapped
  }

  /// The next eight bytes, most significant first.
  @_lifetime(self: copy self)
  public mutating func bigEndianU64() -> UInt64? {
    guard remaining >= 8, let high = bigEndianU32(), let low = bigEndianU32() else { return nil }
    return UInt64(high: high, low: low)
  }

  /// The next `count` bytes, borrowed. A negative `count` gives `nil`.
  @_lifetime(copy self)
  public mutating func bytes(_ count: Int) -> Span<UInt8>? {
    guard count >= 0, count <= remaining else { return nil }
    let slice = bytes.extracting(offset..<(offset &+ count))
    offset &+= count
    return slice
  }

  /// All bytes that are left, borrowed; empty at the end.
  @_lifetime(copy self)
  public mutating func rest() -> Span<UInt8> {
    let slice = bytes.extracting(offset..<bytes.count)
    offset = bytes.count
    return slice
  }

  /// Skips `count` bytes; `false`, consuming nothing, if fewer remain or `count` is negative.
  @_lifetime(self: copy self)
  public mutating func skip(_ count: Int) -> Bool {
    guard count >= 0, count <= remaining else { return false }
    offset &+= count
    return true
  }
}
