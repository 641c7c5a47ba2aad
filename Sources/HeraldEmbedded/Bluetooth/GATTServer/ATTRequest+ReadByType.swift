extension ATTRequest {
  /// Read By Type (Vol 3, Part F, 3.4.4.1): handles and values of this type, up to the first of another length. A
  /// value longer than 253 bytes, or than fits, is cut.
  @inlinable
  @_lifetime(self: copy self)
  mutating func readByType<Values: AttributeValues & ~Copyable>(_ values: inout Values) -> Int {
    guard count == 7 || count == 21 else { return refuse(0, .invalidPDU) }
    let first = buffer.u16(at: 1)
    guard let range = requestedRange() else { return refuse(first, .invalidHandle) }
    takeType(isLong: count == 21)

    let end = database.end(of: range)
    let longest = min(limit &- 4, 253)
    var length = 2
    var valueLength = 0
    var index = firstIndex(from: Int(first) &- 1, to: end)
    while index < end {
      let isFirst = length == 2
      let room = isFirst ? longest : valueLength
      guard length &+ 2 &+ room <= limit else { break }
      index &+= 1
      let handle = UInt16(truncatingIfNeeded: index)
      switch value(of: handle, from: 0, to: length &+ 2, room: room, &values) {
      case .failed(let code) where isFirst: return refuse(handle, code)
      case .failed: index = end
      case .length(let whole):
        let copied = min(whole, longest)
        if isFirst { valueLength = copied }
        if copied == valueLength {
          buffer.setU16(handle, at: length)
          length &+= 2 &+ valueLength
          index = firstIndex(from: index, to: end)
        } else {
          index = end
        }
      }
    }
    guard length > 2 else { return refuse(first, .attributeNotFound) }
    buffer[unchecked: 1] = UInt8(truncatingIfNeeded: valueLength &+ 2)
    return answer(length)
  }
}
