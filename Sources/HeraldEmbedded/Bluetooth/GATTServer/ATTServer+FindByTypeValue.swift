extension GATTDatabase {
  /// Find By Type Value (Vol 3, Part F, 3.4.3.3): the groups of this 16-bit type whose value is equal. Constant values
  /// only: those of declarations, which is what the request is for; a value supplied at run time never matches.
  @usableFromInline
  func findByTypeValue(_ buffer: inout MutableSpan<UInt8>, count: Int, limit: Int) -> Int {
    let opcode = ATTOpcode.findByTypeValueRequest.rawValue
    guard count >= 7 else { return buffer.refuse(opcode, 0, .invalidPDU) }
    let first = buffer.u16(at: 1)
    guard let range = buffer.requestedRange, let type = AttributeType(buffer, at: 5, count: 2) else {
      return buffer.refuse(opcode, first, .invalidHandle)
    }

    // The answer grows over the value that is looked for, so that moves to the end of the buffer.
    let valueLength = count &- 7
    let value = buffer.count &- valueLength
    var byte = valueLength &- 1
    while byte >= 0 {
      buffer[unchecked: value &+ byte] = buffer[unchecked: 7 &+ byte]
      byte &-= 1
    }
    let limit = min(limit, value)

    let end = end(of: range)
    let isGroup =
      type.short == AttributeType.primaryService || type.short == AttributeType.secondaryService
      || type.short == AttributeType.characteristic
    var length = 1
    var index = firstIndex(of: type, from: Int(first) &- 1, to: end)
    while index < end, length &+ 4 <= limit {
      let record = attributes[unchecked: index]
      if record.flags.contains(.read), buffer.holds(constant(record), at: value, count: valueLength) {
        let handle = UInt16(truncatingIfNeeded: index &+ 1)
        buffer.setU16(handle, at: length)
        buffer.setU16(isGroup ? groupEnd(of: index, type.short) : handle, at: length &+ 2)
        length &+= 4
      }
      index = firstIndex(of: type, from: index &+ 1, to: end)
    }
    guard length > 1 else { return buffer.refuse(opcode, first, .attributeNotFound) }
    buffer[unchecked: 0] = ATTOpcode.findByTypeValueResponse.rawValue
    return length
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
