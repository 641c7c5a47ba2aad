extension ATTRequest {
  /// Read By Group Type (Vol 3, Part F, 3.4.4.9): services with their end handles and UUIDs, up to the first
  /// whose UUID has another size. Only service declarations are grouping types for this request (Part G,
  /// 2.5.3).
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func readByGroupType() -> ATTErrorCode {
    guard count == 7 || count == 21 else { return malformed() }
    guard takeRange() else { return .invalidHandle }
    takeType(isLong: count == 21)
    guard isService else { return .unsupportedGroupType }

    length = 2
    var size = 0
    var index = next(from: self.index)
    while index < end {
      let value = database.constant(database.attributes[unchecked: index])
      if length == 2 {
        size = 4 &+ min(value.count, min(251, limit &- 6))
        buffer[unchecked: 1] = UInt8(truncatingIfNeeded: size)
      }
      guard value.count &+ 4 == size, length &+ size <= limit else { break }
      let last = database.groupEnd(of: index, shortType)
      append(UInt16(truncatingIfNeeded: index &+ 1))
      append(last)
      append(value)
      index = next(from: Int(last))
    }
    return length > 2 ? .none : .attributeNotFound
  }
}
