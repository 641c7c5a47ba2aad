extension ATTRequest {
  /// Read By Type (Vol 3, Part F, 3.4.4.1): handles and values of this type, up to the first of another
  /// length. A value longer than 253 bytes, or than fits, is cut.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func readByType<Values: AttributeValues & ~Copyable>(_ values: inout Values) -> ATTErrorCode {
    guard count == 7 || count == 21 else { return malformed() }
    guard takeRange() else { return .invalidHandle }
    takeType(isLong: count == 21)

    let longest = min(limit &- 4, 253)
    length = 2
    var valueLength = 0
    var index = next(from: self.index)
    while index < end {
      let isFirst = length == 2
      let room = isFirst ? longest : valueLength
      guard length &+ 2 &+ room <= limit else { break }
      index &+= 1
      let handle = UInt16(truncatingIfNeeded: index)
      switch value(of: handle, from: 0, to: length &+ 2, room: room, &values) {
      case .failed(let code) where isFirst:
        subject = handle
        return code
      case .failed: index = end
      case .length(let whole):
        let copied = min(whole, longest)
        if isFirst { valueLength = copied }
        if copied == valueLength {
          append(handle)
          length &+= valueLength
          index = next(from: index)
        } else {
          index = end
        }
      }
    }
    buffer[unchecked: 1] = UInt8(truncatingIfNeeded: valueLength &+ 2)
    return length > 2 ? .none : .attributeNotFound
  }
}
