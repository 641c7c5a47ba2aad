extension ATTRequest {
  /// Find By Type Value (Vol 3, Part F, 3.4.3.3): the groups of this 16-bit type whose value is equal.
  /// Constant values only: those of declarations, the purpose of the request; a value supplied at run time
  /// never matches.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func findByTypeValue() -> ATTErrorCode {
    guard count >= 7 else { return malformed() }
    guard takeRange() else { return .invalidHandle }
    takeType(isLong: false)

    // The response grows over the value that is looked for, so that moves to the end of the buffer.
    let valueLength = count &- 7
    let value = buffer.count &- valueLength
    var byte = valueLength &- 1
    while byte >= 0 {
      buffer[unchecked: value &+ byte] = buffer[unchecked: 7 &+ byte]
      byte &-= 1
    }
    let limit = min(limit, value)

    let isGroup = isService || shortType == AttributeType.characteristic
    // A local, which is in a register.
    var index = next(from: self.index)
    while index < end, length &+ 4 <= limit {
      let record = database.attributes[unchecked: index]
      if record.flags.contains(.read), buffer.holds(database.constant(record), at: value, count: valueLength)
      {
        let handle = UInt16(truncatingIfNeeded: index &+ 1)
        append(handle)
        append(isGroup ? database.groupEnd(of: index, shortType) : handle)
      }
      index = next(from: index &+ 1)
    }
    return length > 1 ? .none : .attributeNotFound
  }
}

extension MutableSpan where Element == UInt8 {
  /// Whether the `count` bytes at `offset`, which must be inside, are those of `other` and no fewer.
  @inline(__always)
  func holds(_ other: Span<UInt8>, at offset: Int, count: Int) -> Bool {
    guard other.count == count else { return false }
    var index = 0
    while index < count {
      if self[unchecked: offset &+ index] != other[unchecked: index] { return false }
      index &+= 1
    }
    return true
  }
}
