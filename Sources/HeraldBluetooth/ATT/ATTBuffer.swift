// Integers and bytes of a PDU in place. The caller checks offsets; the length of each request has been
// checked before.
extension MutableSpan where Element == UInt8 {
  /// Two bytes, little-endian. Both must be inside.
  @inline(__always)
  func u16(at offset: Int) -> UInt16 {
    UInt16(self[unchecked: offset]) | UInt16(self[unchecked: offset &+ 1]) &<< 8
  }

  /// Replaces two bytes, little-endian. Both must be inside.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func setU16(_ value: UInt16, at offset: Int) {
    self[unchecked: offset] = UInt8(truncatingIfNeeded: value)
    self[unchecked: offset &+ 1] = UInt8(truncatingIfNeeded: value &>> 8)
  }

  /// Copies `source` to `offset`. There must be room for it.
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func set(_ source: Span<UInt8>, at offset: Int) {
    let length = source.count
    // One call of memmove: a loop would be unrolled for lengths that no PDU has.
    source.withUnsafeBytes { source in
      withUnsafeMutableBytes { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        target.advanced(by: offset).copyMemory(from: source, byteCount: length)
      }
    }
  }
}

extension Span where Element == UInt8 {
  /// Two bytes, little-endian. Both must be inside.
  @inline(__always)
  func u16(at offset: Int) -> UInt16 {
    UInt16(self[unchecked: offset]) | UInt16(self[unchecked: offset &+ 1]) &<< 8
  }

  /// Sixteen bytes in on-air order. All must be inside.
  // Not inlined: it is long on a processor that loads bytes only.
  @inline(never)
  func uuid128(at offset: Int) -> UUID128 {
    UUID128(
      UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)),
      UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)))
  }
}
