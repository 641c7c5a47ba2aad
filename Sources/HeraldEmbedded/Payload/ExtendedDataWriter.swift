import HeraldHAL

/// Writing extended data (HP-29). Numbers are little-endian and have the full length of their type; the
/// length of a text is that of its bytes.
///
/// A segment is written as a whole or, with `overflowed` set, not at all. More than 255 bytes never fit.
/// Segments without bytes are omitted, as every reader skips them.
extension ByteWriter {
  /// Appends a segment of bytes: text in UTF-8, or opaque bytes.
  @_lifetime(self: copy self)
  public mutating func extendedSegment(_ code: ExtendedDataCode, _ data: Span<UInt8>) {
    guard startExtendedSegment(code, length: data.count) else { return }
    bytes(data)
  }

  /// Appends a segment of constant text.
  @_lifetime(self: copy self)
  public mutating func extendedSegment(_ code: ExtendedDataCode, text constant: StaticString) {
    guard constant.hasPointerRepresentation else { return refuse() }
    guard startExtendedSegment(code, length: constant.utf8CodeUnitCount) else { return }
    text(constant)
  }

  /// Appends a segment of one unsigned byte.
  @_lifetime(self: copy self)
  public mutating func extendedSegment(_ code: ExtendedDataCode, u8 value: UInt8) {
    guard startExtendedSegment(code, length: 1) else { return }
    u8(value)
  }

  /// Appends a segment of one signed byte.
  @_lifetime(self: copy self)
  public mutating func extendedSegment(_ code: ExtendedDataCode, i8 value: Int8) {
    extendedSegment(code, u8: UInt8(bitPattern: value))
  }

  /// Appends a segment of an unsigned number of 32 bits.
  @_lifetime(self: copy self)
  public mutating func extendedSegment(_ code: ExtendedDataCode, u32 value: UInt32) {
    guard startExtendedSegment(code, length: 4) else { return }
    u32(value)
  }

  /// Appends a segment of a floating-point number of 32 bits.
  @_lifetime(self: copy self)
  public mutating func extendedSegment(_ code: ExtendedDataCode, float32 value: Float) {
    extendedSegment(code, u32: value.bitPattern)
  }

  /// Appends a segment of a floating-point number of 64 bits.
  @_lifetime(self: copy self)
  public mutating func extendedSegment(_ code: ExtendedDataCode, float64 value: Double) {
    guard startExtendedSegment(code, length: 8) else { return }
    u64(value.bitPattern)
  }

  /// Appends a segment of a position, latitude first.
  @_lifetime(self: copy self)
  public mutating func extendedSegment(_ code: ExtendedDataCode, position: PositionInMinutes) {
    guard startExtendedSegment(code, length: 4) else { return }
    u16(UInt16(bitPattern: position.latitude))
    u16(UInt16(bitPattern: position.longitude))
  }

  /// Appends code and length of a segment; `false`, appending nothing, if it has no bytes or, with
  /// `overflowed` set, if the whole segment does not fit.
  @_lifetime(self: copy self)
  private mutating func startExtendedSegment(_ code: ExtendedDataCode, length: Int) -> Bool {
    guard length > 0 else { return false }
    guard length <= 255, length &+ 2 <= remaining else {
      refuse()
      return false
    }
    u8(code.rawValue)
    u8(UInt8(length))
    return true
  }
}
