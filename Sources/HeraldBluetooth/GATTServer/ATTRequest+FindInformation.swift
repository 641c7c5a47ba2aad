extension ATTRequest {
  /// Find Information (Vol 3, Part F, 3.4.3.1): handles and types, up to the first whose type is of the other
  /// size.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func findInformation() -> ATTErrorCode {
    guard count == 5 else { return malformed() }
    guard takeRange() else { return .invalidHandle }
    guard index < end else { return .attributeNotFound }

    let isLong = database.attributes[unchecked: index].flags.contains(.longType)
    let size = isLong ? 18 : 4
    buffer[unchecked: 1] = isLong ? 2 : 1
    // Locals, which are in registers.
    var (index, length) = (self.index, 2)
    while index < end, length &+ size <= limit {
      let record = database.attributes[unchecked: index]
      guard record.flags.contains(.longType) == isLong else { break }
      index &+= 1
      buffer.setU16(UInt16(truncatingIfNeeded: index), at: length)
      if isLong {
        buffer.set(database.longType(record), at: length &+ 2)
      } else {
        buffer.setU16(record.type, at: length &+ 2)
      }
      length &+= size
    }
    self.length = length
    return .none
  }
}
