extension ATTRequest {
  /// Find Information (Vol 3, Part F, 3.4.3.1): handles and types, up to the first whose type is of the other
  /// size.
  @usableFromInline
  @_lifetime(self: copy self)
  mutating func findInformation() -> ATTErrorCode {
    guard takeRange() else { return .invalidHandle }
    guard index < end else { return .attributeNotFound }

    let isLong = database.attributes[unchecked: index].flags.contains(.longType)
    let size = isLong ? 18 : 4
    buffer[unchecked: 1] = isLong ? 2 : 1
    length = 2
    while index < end, length &+ size <= limit {
      let record = database.attributes[unchecked: index]
      guard record.flags.contains(.longType) == isLong else { break }
      index &+= 1
      append(UInt16(truncatingIfNeeded: index))
      if isLong {
        append(database.longType(record))
      } else {
        append(record.type)
      }
    }
    return .none
  }
}
