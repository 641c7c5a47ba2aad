import HeraldHAL

/// Writes CBOR (RFC 8949) into a borrowed buffer, every head in its shortest form.
///
/// An item that does not fit is not written and sets `overflowed`, as in `ByteWriter`: one check at the end
/// shows whether the output is complete. Maps and arrays state their count first; the caller ensures that as
/// many entries follow.
public struct CBORWriter: ~Copyable, ~Escapable {
  var writer: ByteWriter

  /// A writer whose first byte goes to offset `start` of `buffer`.
  @_lifetime(copy buffer)
  public init(_ buffer: consuming MutableSpan<UInt8>, from start: Int = 0) {
    writer = ByteWriter(buffer, from: start)
  }

  /// Where the next byte goes: the number of bytes in front of it, the start offset included.
  public var count: Int { writer.count }
  /// Whether a write was refused because there was no room.
  public var overflowed: Bool { writer.overflowed }
  /// How many more bytes fit.
  public var remaining: Int { writer.remaining }

  /// How many bytes a string may have that is appended next with its head; −1 if there is no room for a head.
  var stringRoom: Int { remaining &- Self.headSize(UInt32(clamping: remaining)) }

  /// Bytes that the head with this argument takes: 1, 2, 3 or 5.
  @inline(never)
  public static func headSize(_ argument: UInt32) -> Int {
    if argument < 24 { return 1 }
    if argument <= 0xFF { return 2 }
    return argument <= 0xFFFF ? 3 : 5
  }

  @inline(never)
  @_lifetime(self: copy self)
  private mutating func head(_ major: UInt8, _ argument: UInt32) {
    var left = Self.headSize(argument)
    guard writer.remaining >= left else {
      writer.refuse()
      return
    }
    left &-= 1
    // 24, 25 and 26 say that 1, 2 or 4 bytes follow.
    let information = left == 0 ? argument : 24 &+ UInt32(truncatingIfNeeded: left &>> 1)
    writer.u8(major &<< 5 | UInt8(truncatingIfNeeded: information))
    while left > 0 {
      left &-= 1
      writer.u8(UInt8(truncatingIfNeeded: argument &>> UInt32(truncatingIfNeeded: left &* 8)))
    }
  }

  @inline(never)
  @_lifetime(self: copy self)
  private mutating func wideHead(_ major: UInt8, _ argument: UInt64) {
    guard argument.high32 != 0 else {
      head(major, argument.low32)
      return
    }
    guard writer.remaining >= 9 else {
      writer.refuse()
      return
    }
    writer.u8(major &<< 5 | 27)
    writer.bigEndianU64(argument)
  }

  /// Appends an unsigned integer.
  @_lifetime(self: copy self)
  public mutating func unsigned(_ value: UInt32) { head(0, value) }

  /// Appends an unsigned integer.
  @_disfavoredOverload
  @_lifetime(self: copy self)
  public mutating func unsigned(_ value: UInt64) { wideHead(0, value) }

  /// Appends −1 − `value`: an integer below zero.
  @_lifetime(self: copy self)
  public mutating func negative(_ value: UInt32) { head(1, value) }

  /// Appends an integer.
  @_lifetime(self: copy self)
  public mutating func integer(_ value: Int64) {
    if value < 0 {
      wideHead(1, UInt64(bitPattern: ~value))
    } else {
      wideHead(0, UInt64(bitPattern: value))
    }
  }

  /// Appends false or true.
  @_lifetime(self: copy self)
  public mutating func boolean(_ value: Bool) { writer.u8(value ? 0xF5 : 0xF4) }

  /// Appends null.
  @_lifetime(self: copy self)
  public mutating func null() { writer.u8(0xF6) }

  /// Begins an array of `count` elements, 0…2³¹−1, which the caller appends next.
  @_lifetime(self: copy self)
  public mutating func array(_ count: Int) { head(4, UInt32(clamping: count)) }

  /// Begins a map of `count` pairs, 0…2³¹−1, which the caller appends next, each key before its value.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func map(_ count: Int) { head(5, UInt32(clamping: count)) }

  /// Begins a byte string of `count` bytes, 0…2³¹−1, which the caller writes after the first `count` bytes of
  /// the writer.
  @_lifetime(self: copy self)
  public mutating func byteStringHead(_ count: Int) { head(2, UInt32(clamping: count)) }

  /// Begins a text string of `count` bytes of UTF-8, 0…2³¹−1, which the caller writes after the first `count`
  /// bytes of the writer.
  @_lifetime(self: copy self)
  public mutating func textHead(_ count: Int) { head(3, UInt32(clamping: count)) }

  /// Appends a byte string, or nothing if it does not fit with its head.
  @_lifetime(self: copy self)
  public mutating func byteString(_ bytes: Span<UInt8>) { string(2, bytes) }

  /// Appends a text string from bytes of UTF-8, or nothing if it does not fit with its head.
  @_lifetime(self: copy self)
  public mutating func text(_ bytes: Span<UInt8>) { string(3, bytes) }

  @inline(never)
  @_lifetime(self: copy self)
  private mutating func string(_ major: UInt8, _ bytes: Span<UInt8>) {
    guard fits(bytes.count) else { return }
    head(major, UInt32(clamping: bytes.count))
    writer.bytes(bytes)
  }

  /// Appends a text string, or nothing if it does not fit with its head.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func text(_ text: StaticString) {
    let size = text.hasPointerRepresentation ? text.utf8CodeUnitCount : 0
    guard fits(size) else { return }
    textHead(size)
    writer.text(text)
  }

  /// Appends a text string, or nothing if it does not fit with its head. A literal is a `StaticString`.
  @_disfavoredOverload
  @_lifetime(self: copy self)
  public mutating func text(_ word: StaticWord) {
    guard fits(word.count) else { return }
    textHead(word.count)
    var index = 0
    while index < word.count {
      writer.u8(word[index])
      index &+= 1
    }
  }

  /// Bytes of the longest head of a string that is written behind the place of its head.
  static var longestHead: Int { 3 }

  /// The buffer from `start` on; `nil` if it is not as long, or something did not fit.
  @_lifetime(&self)
  mutating func rest(from start: Int) -> MutableSpan<UInt8>? {
    let end = writer.whole.count
    guard !overflowed, start <= end else { return nil }
    return writer.part(start..<end)
  }

  /// Appends `count` bytes that the caller puts into their place; none if they do not fit.
  @_lifetime(&self)
  @inline(never)
  mutating func space(_ count: Int) -> MutableSpan<UInt8> {
    let start = self.count
    writer.advance(count)
    return writer.part(start..<self.count)
  }

  /// Appends a byte string of the `size` lowest bytes of a number, 0…4, the lowest first.
  @_lifetime(self: copy self)
  mutating func byteString(littleEndian value: UInt32, size: Int) {
    guard fits(size) else { return }
    byteStringHead(size)
    for index in 0..<size {
      writer.u8(UInt8(truncatingIfNeeded: value &>> UInt32(truncatingIfNeeded: index &* 8)))
    }
  }

  /// Appends a key.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func key(_ key: SMPKey) { text(key.word) }

  /// Begins a map of one pair, and appends its key.
  @inline(never)
  @_lifetime(self: copy self)
  mutating func map(of key: SMPKey) {
    map(1)
    self.key(key)
  }

  /// Appends a key and the number that is its value.
  @inline(never)
  @_lifetime(self: copy self)
  mutating func field(_ key: SMPKey, _ value: UInt32) {
    self.key(key)
    unsigned(value)
  }

  /// Appends a text string whose bytes are in the buffer from `start` on, or nothing if it does not fit with
  /// its head.
  @_lifetime(self: copy self)
  mutating func text(from start: Int, count: Int) { string(3, from: start, count) }

  /// Appends a byte string whose bytes are in the buffer from `start` on, or nothing if it does not fit with
  /// its head.
  @_lifetime(self: copy self)
  mutating func byteString(from start: Int, count: Int) { string(2, from: start, count) }

  /// Appends a string that is in the buffer already, where its head ends or behind that.
  @inline(never)
  @_lifetime(self: copy self)
  private mutating func string(_ major: UInt8, from start: Int, _ size: Int) {
    guard fits(size) else { return }
    head(major, UInt32(clamping: size))
    writer.move(from: start, size)
  }

  @inline(never)
  @_lifetime(self: copy self)
  private mutating func fits(_ size: Int) -> Bool {
    guard writer.remaining &- Self.headSize(UInt32(clamping: size)) >= size else {
      writer.refuse()
      return false
    }
    return true
  }
}
