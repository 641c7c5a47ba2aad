extension ATTRequest {
  /// Find Information (Vol 3, Part F, 3.4.3.1): handles and types, up to the first whose type is of the other size.
  @usableFromInline
  @_lifetime(self: copy self)
  mutating func findInformation() -> Int {
    guard count == 5 else { return refuse(0, .invalidPDU) }
    let first = buffer.u16(at: 1)
    guard let range = requestedRange() else { return refuse(first, .invalidHandle) }
    var index = Int(first) &- 1
    let end = database.end(of: range)
    guard index < end else { return refuse(first, .attributeNotFound) }

    let isLong = database.attributes[unchecked: index].flags.contains(.longType)
    let size = isLong ? 18 : 4
    buffer[unchecked: 1] = isLong ? 2 : 1
    var length = 2
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
    return answer(length)
  }
}
