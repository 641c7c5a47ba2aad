extension GATTDatabase {
  /// Read By Type (Vol 3, Part F, 3.4.4.1): handles and values of this type, up to the first of another length. A
  /// value longer than 253 bytes, or than fits, is cut.
  @inlinable
  func readByType<Values: AttributeValues & ~Copyable>(
    _ buffer: inout MutableSpan<UInt8>, count: Int, limit: Int, _ state: ATTConnectionState,
    _ connection: ConnectionID, _ values: inout Values
  ) -> Int {
    let opcode = ATTOpcode.readByTypeRequest.rawValue
    guard count == 7 || count == 21 else { return buffer.refuse(opcode, 0, .invalidPDU) }
    let first = buffer.u16(at: 1)
    guard let range = buffer.requestedRange, let type = AttributeType(buffer, at: 5, count: count &- 5) else {
      return buffer.refuse(opcode, first, .invalidHandle)
    }

    let end = end(of: range)
    let longest = min(limit &- 4, 253)
    var length = 2
    var valueLength = 0
    var index = firstIndex(of: type, from: Int(first) &- 1, to: end)
    while index < end {
      let record = attributes[unchecked: index]
      let isFirst = length == 2
      let room = isFirst ? longest : valueLength
      guard length &+ 2 &+ room <= limit else { break }
      var outcome = AttributeRead.failed(.readNotPermitted)
      if record.flags.contains(.read) {
        outcome = value(
          record, from: 0, to: length &+ 2, room: room, of: &buffer, state, connection, &values)
      }
      index &+= 1
      switch outcome {
      case .failed(let code) where isFirst:
        return buffer.refuse(opcode, UInt16(truncatingIfNeeded: index), code)
      case .failed: index = end
      case .length(let whole):
        let copied = min(whole, longest)
        if isFirst { valueLength = copied }
        if copied == valueLength {
          buffer.setU16(UInt16(truncatingIfNeeded: index), at: length)
          length &+= 2 &+ valueLength
          index = firstIndex(of: type, from: index, to: end)
        } else {
          index = end
        }
      }
    }
    guard length > 2 else { return buffer.refuse(opcode, first, .attributeNotFound) }
    buffer[unchecked: 0] = ATTOpcode.readByTypeResponse.rawValue
    buffer[unchecked: 1] = UInt8(truncatingIfNeeded: valueLength &+ 2)
    return length
  }
}
