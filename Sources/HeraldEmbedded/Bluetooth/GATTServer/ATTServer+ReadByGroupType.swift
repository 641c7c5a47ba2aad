extension GATTDatabase {
  /// Read By Group Type (Vol 3, Part F, 3.4.4.9): services with their ends and UUIDs, up to the first whose UUID is of the
  /// other size. Characteristics group too, but not here (Part G, 2.5.3).
  @usableFromInline
  func readByGroupType(_ buffer: inout MutableSpan<UInt8>, count: Int, limit: Int) -> Int {
    let opcode = ATTOpcode.readByGroupTypeRequest.rawValue
    guard count == 7 || count == 21 else { return buffer.refuse(opcode, 0, .invalidPDU) }
    let first = buffer.u16(at: 1)
    guard let range = buffer.requestedRange else { return buffer.refuse(opcode, first, .invalidHandle) }
    guard let type = AttributeType(buffer, at: 5, count: count &- 5), !type.isLong,
      type.short == AttributeType.primaryService || type.short == AttributeType.secondaryService
    else { return buffer.refuse(opcode, first, .unsupportedGroupType) }

    let end = end(of: range)
    var length = 2
    var size = 0
    var index = firstIndex(of: type, from: Int(first) &- 1, to: end)
    while index < end {
      let value = constant(attributes[unchecked: index])
      if length == 2 {
        size = 4 &+ min(value.count, min(251, limit &- 6))
        buffer[unchecked: 1] = UInt8(truncatingIfNeeded: size)
      }
      guard value.count &+ 4 == size, length &+ size <= limit else { break }
      let last = groupEnd(of: index, type.short)
      buffer.setU16(UInt16(truncatingIfNeeded: index &+ 1), at: length)
      buffer.setU16(last, at: length &+ 2)
      buffer.set(value, at: length &+ 4)
      length &+= size
      index = firstIndex(of: type, from: Int(last), to: end)
    }
    guard length > 2 else { return buffer.refuse(opcode, first, .attributeNotFound) }
    buffer[unchecked: 0] = ATTOpcode.readByGroupTypeResponse.rawValue
    return length
  }
}
