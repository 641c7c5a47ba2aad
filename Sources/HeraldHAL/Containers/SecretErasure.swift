// Wiping of secrets after use, and comparison in constant time.

extension MutableRawSpan {
  /// Overwrites all bytes with zeros. Unlike an assignment, the compiler does not remove it because no code
  /// reads the memory afterwards.
  @inline(never) @_optimize(none)
  @_lifetime(self: copy self)
  public mutating func wipe() {
    var offset = 0
    while offset &+ 4 <= byteCount {
      storeBytes(of: 0, toByteOffset: offset, as: UInt32.self)
      offset &+= 4
    }
    while offset < byteCount {
      storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
      offset &+= 1
    }
  }
}

extension MutableSpan where Element: BitwiseCopyable {
  /// Overwrites all elements with zero bits. Unlike an assignment, the compiler does not remove it because no
  /// code reads the memory afterwards.
  @_lifetime(self: copy self)
  public mutating func wipe() {
    var raw = mutableBytes
    raw.wipe()
  }
}

extension Span where Element == UInt8 {
  /// Whether both hold the same bytes, found out in a time that depends on their lengths alone.
  public func equalsInConstantTime(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<count { difference |= self[unchecked: index] ^ other[unchecked: index] }
    return difference == 0
  }

  /// Whether all bytes are zero, in a time that depends only on their number. True for an empty value.
  public var isZeroInConstantTime: Bool {
    var sum: UInt8 = 0
    for index in 0..<count { sum |= self[unchecked: index] }
    return sum == 0
  }
}
