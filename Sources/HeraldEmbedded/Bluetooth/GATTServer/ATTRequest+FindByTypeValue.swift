extension ATTRequest {
  /// Find By Type Value (Vol 3, Part F, 3.4.3.3): the groups of this 16-bit type whose value is equal. Constant values
  /// only: those of declarations, which is what the request is for; a value supplied at run time never matches.
  @usableFromInline
  @_lifetime(self: copy self)
  mutating func findByTypeValue() -> Int {
    guard count >= 7 else { return refuse(0, .invalidPDU) }
    let first = buffer.u16(at: 1)
    guard let range = requestedRange() else { return refuse(first, .invalidHandle) }
    takeType(isLong: false)

    // The answer grows over the value that is looked for, so that moves to the end of the buffer.
    let valueLength = count &- 7
    let value = buffer.count &- valueLength
    var byte = valueLength &- 1
    while byte >= 0 {
      buffer[unchecked: value &+ byte] = buffer[unchecked: 7 &+ byte]
      byte &-= 1
    }
    let limit = min(limit, value)

    let end = database.end(of: range)
    let isGroup =
      shortType == AttributeType.primaryService || shortType == AttributeType.secondaryService
      || shortType == AttributeType.characteristic
    var length = 1
    var index = firstIndex(from: Int(first) &- 1, to: end)
    while index < end, length &+ 4 <= limit {
      let record = database.attributes[unchecked: index]
      if record.flags.contains(.read), buffer.holds(database.constant(record), at: value, count: valueLength)
      {
        let handle = UInt16(truncatingIfNeeded: index &+ 1)
        buffer.setU16(handle, at: length)
        buffer.setU16(isGroup ? database.groupEnd(of: index, shortType) : handle, at: length &+ 2)
        length &+= 4
      }
      index = firstIndex(from: index &+ 1, to: end)
    }
    return length > 1 ? answer(length) : refuse(first, .attributeNotFound)
  }
}

extension MutableSpan where Element == UInt8 {
  /// Whether the `count` bytes at `offset`, which must be inside, are those of `other` and no fewer.
  fileprivate func holds(_ other: Span<UInt8>, at offset: Int, count: Int) -> Bool {
    guard other.count == count else { return false }
    var index = 0
    while index < count {
      if self[unchecked: offset &+ index] != other[unchecked: index] { return false }
      index &+= 1
    }
    return true
  }
}
