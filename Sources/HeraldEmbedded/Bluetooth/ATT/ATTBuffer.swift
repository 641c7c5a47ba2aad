// Integers and bytes of a PDU in place. Offsets are the caller's to check: each request's length has been before.
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
  mutating func set(_ source: Span<UInt8>, at offset: Int) {
    var index = 0
    while index < source.count {
      self[unchecked: offset &+ index] = source[unchecked: index]
      index &+= 1
    }
  }

  /// The handle range at offset 1 of a request of five bytes or more; `nil` if it starts at 0 or ends before it starts
  /// (Vol 3, Part F, 3.4.3.1).
  @usableFromInline @inline(__always)
  var requestedRange: HandleRange? {
    let range = HandleRange(first: u16(at: 1), last: u16(at: 3))
    return range.first != 0 && range.first <= range.last ? range : nil
  }

  /// Writes an Error Response (Vol 3, Part F, 3.4.1.1) and returns its length. There must be room for five bytes.
  @usableFromInline
  @_lifetime(self: copy self)
  mutating func refuse(_ request: UInt8, _ handle: UInt16, _ code: ATTErrorCode) -> Int {
    self[unchecked: 0] = ATTOpcode.errorResponse.rawValue
    self[unchecked: 1] = request
    setU16(handle, at: 2)
    self[unchecked: 4] = code.rawValue
    return 5
  }
}

extension Span where Element == UInt8 {
  /// Two bytes, little-endian. Both must be inside.
  @inline(__always)
  func u16(at offset: Int) -> UInt16 {
    UInt16(self[unchecked: offset]) | UInt16(self[unchecked: offset &+ 1]) &<< 8
  }
}
