/// Writes integers and slices into a borrowed buffer, never past its end.
///
/// A write that does not fit writes nothing and sets `overflowed`, which stays set, and all later writes are
/// refused: one check at the end tells whether the whole is there, and what is there is a prefix of it.
/// Multi-byte integers are little-endian unless the method's name says `bigEndian`.
public struct ByteWriter: ~Copyable, ~Escapable {
  var buffer: MutableSpan<UInt8>
  /// Where the next byte goes: the number of bytes in front of it, the start offset included.
  public private(set) var count: Int
  /// Whether a write was refused for want of room.
  public private(set) var overflowed: Bool

  /// A writer whose first byte goes to offset `start` of `buffer`. A `start` outside the buffer counts as
  /// overflow.
  @_lifetime(copy buffer)
  public init(_ buffer: consuming MutableSpan<UInt8>, from start: Int = 0) {
    let size = buffer.count
    self.buffer = buffer
    let isInside = start >= 0 && start <= size
    count = isInside ? start : size
    overflowed = !isInside
  }

  /// How many more bytes fit.
  public var remaining: Int {
    @inline(never) get { overflowed ? 0 : buffer.count &- count }
  }

  /// All of the buffer: what is written, and what was there before behind it.
  public var whole: Span<UInt8> {
    @_lifetime(borrow self)
    get { buffer.span }
  }

  /// Bytes of the buffer, wherever they are, to be changed in their place.
  @inline(never)
  @_lifetime(&self)
  public mutating func part(_ range: Range<Int>) -> MutableSpan<UInt8> { buffer._mutatingExtracting(range) }

  /// Counts bytes as written that are in their place already, or will be put there.
  @_lifetime(self: copy self)
  @inline(never)
  public mutating func advance(_ size: Int) { if reserve(size) { count &+= size } }

  /// Appends bytes that are in the buffer already, from `start` on, which is not in front of where they go.
  @_lifetime(self: copy self)
  public mutating func move(from start: Int, _ size: Int) {
    guard start >= count, start <= buffer.count, reserve(size), size <= buffer.count &- start else {
      overflowed = true
      return
    }
    if start > count {
      for index in 0..<size { buffer[unchecked: count &+ index] = buffer[unchecked: start &+ index] }
    }
    count &+= size
  }

  /// Begins anew at offset `start`, 0…`count`.
  @_lifetime(self: copy self)
  public mutating func rewind(to start: Int) {
    count = min(max(start, 0), count)
    overflowed = false
  }

  @inline(never)
  @_lifetime(self: copy self)
  private mutating func reserve(_ size: Int) -> Bool {
    guard size <= remaining else {
      overflowed = true
      return false
    }
    return true
  }

  /// Sets `overflowed` without a write: for a caller that knows beforehand that what it has to say will not
  /// fit.
  @_lifetime(self: copy self)
  public mutating func refuse() { overflowed = true }

  /// Appends one byte.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func u8(_ value: UInt8) {
    guard reserve(1) else { return }
    buffer[unchecked: count] = value
    count &+= 1
  }

  /// Appends one byte in two's complement.
  @_lifetime(self: copy self)
  public mutating func i8(_ value: Int8) { u8(UInt8(bitPattern: value)) }

  /// Appends two bytes, little-endian.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func u16(_ value: UInt16) {
    guard reserve(2) else { return }
    buffer[unchecked: count] = UInt8(truncatingIfNeeded: value)
    buffer[unchecked: count &+ 1] = UInt8(truncatingIfNeeded: value &>> 8)
    count &+= 2
  }

  /// Appends four bytes, little-endian.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func u32(_ value: UInt32) {
    guard reserve(4) else { return }
    u16(UInt16(truncatingIfNeeded: value))
    u16(UInt16(truncatingIfNeeded: value &>> 16))
  }

  /// Appends eight bytes, little-endian.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func u64(_ value: UInt64) {
    guard reserve(8) else { return }
    u32(value.low32)
    u32(value.high32)
  }

  /// Appends two bytes, most significant first.
  @_lifetime(self: copy self)
  public mutating func bigEndianU16(_ value: UInt16) { u16(value.byteSwapped) }

  /// Appends four bytes, most significant first.
  @_lifetime(self: copy self)
  public mutating func bigEndianU32(_ value: UInt32) { u32(value.byteSwapped) }

  /// Appends eight bytes, most significant first.
  @_lifetime(self: copy self)
  public mutating func bigEndianU64(_ value: UInt64) {
    guard reserve(8) else { return }
    bigEndianU32(value.high32)
    bigEndianU32(value.low32)
  }

  /// Appends all of `bytes`, or none of them if they do not fit.
  @_lifetime(self: copy self)
  @inline(never)
  public mutating func bytes(_ bytes: Span<UInt8>) {
    guard reserve(bytes.count) else { return }
    for index in 0..<bytes.count { buffer[unchecked: count &+ index] = bytes[unchecked: index] }
    count &+= bytes.count
  }

  /// Appends the UTF-8 bytes of a text constant.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func text(_ text: StaticString) {
    let size = text.utf8CodeUnitCount
    guard text.hasPointerRepresentation, reserve(size) else { return }
    let start = text.utf8Start
    for index in 0..<size { buffer[unchecked: count &+ index] = start[index] }
    count &+= size
  }
}
