extension ATTRequest {
  /// Read By Group Type (Vol 3, Part F, 3.4.4.9): services with their ends and UUIDs, up to the first whose UUID is of the
  /// other size. Characteristics group too, but not here (Part G, 2.5.3).
  @usableFromInline
  @_lifetime(self: copy self)
  mutating func readByGroupType() -> Int {
    guard count == 7 || count == 21 else { return refuse(0, .invalidPDU) }
    let first = buffer.u16(at: 1)
    guard let range = requestedRange() else { return refuse(first, .invalidHandle) }
    takeType(isLong: count == 21)
    guard shortType == AttributeType.primaryService || shortType == AttributeType.secondaryService
    else { return refuse(first, .unsupportedGroupType) }

    let end = database.end(of: range)
    var length = 2
    var size = 0
    var index = firstIndex(from: Int(first) &- 1, to: end)
    while index < end {
      let value = database.constant(database.attributes[unchecked: index])
      if length == 2 {
        size = 4 &+ min(value.count, min(251, limit &- 6))
        buffer[unchecked: 1] = UInt8(truncatingIfNeeded: size)
      }
      guard value.count &+ 4 == size, length &+ size <= limit else { break }
      let last = database.groupEnd(of: index, shortType)
      buffer.setU16(UInt16(truncatingIfNeeded: index &+ 1), at: length)
      buffer.setU16(last, at: length &+ 2)
      buffer.set(value, at: length &+ 4)
      length &+= size
      index = firstIndex(from: Int(last), to: end)
    }
    return length > 2 ? answer(length) : refuse(first, .attributeNotFound)
  }
}
