// Integers and bytes of a PDU in place. The caller checks offsets; the length of each request has been
// checked before.
extension MutableSpan where Element == UInt8 {
  /// Two bytes, little-endian. Both must be inside.
  @usableFromInline @inline(__always)
  func u16(at offset: Int) -> UInt16 {
    UInt16(self[unchecked: offset]) | UInt16(self[unchecked: offset &+ 1]) &<< 8
  }

  /// Replaces two bytes, little-endian. Both must be inside.
  @usableFromInline @inline(__always)
  @_lifetime(self: copy self)
  mutating func setU16(_ value: UInt16, at offset: Int) {
    self[unchecked: offset] = UInt8(truncatingIfNeeded: value)
    self[unchecked: offset &+ 1] = UInt8(truncatingIfNeeded: value &>> 8)
  }

  /// Copies `source` to `offset`. There must be room for it.
  @usableFromInline @inline(__always)
  @_lifetime(self: copy self)
  package mutating func set(_ source: Span<UInt8>, at offset: Int) {
    var index = 0
    while index < source.count {
      self[unchecked: offset &+ index] = source[unchecked: index]
      index &+= 1
    }
  }
}

extension Span where Element == UInt8 {
  /// Two bytes, little-endian. Both must be inside.
  @inline(__always)
  func u16(at offset: Int) -> UInt16 {
    UInt16(self[unchecked: offset]) | UInt16(self[unchecked: offset &+ 1]) &<< 8
  }
}
