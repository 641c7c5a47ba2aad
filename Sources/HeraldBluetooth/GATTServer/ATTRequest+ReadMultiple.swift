extension ATTRequest {
  /// Read Multiple and Read Multiple Variable (Vol 3, Part F, 3.4.4.7 and 3.4.4.11): the values one behind
  /// the other, in the latter each after its two-byte length, cut at ATT_MTU. At most 32 handles, else
  /// Insufficient Resources: the response grows over the list, so a copy of it is kept.
  // Not inlined: the list would be part of the stack frame of each request.
  @inline(never)
  @_lifetime(self: copy self)
  mutating func readMultiple<Values: AttributeValues & ~Copyable>(_ values: inout Values) -> ATTErrorCode {
    guard count >= 5, count & 1 == 1 else { return malformed() }
    let isVariable = opcode == .readMultipleVariableRequest
    let total = (count &- 1) &>> 1
    guard total <= 32 else {
      subject = 0
      return .insufficientResources
    }
    var handles: [32 of UInt16] = .init(repeating: 0)
    var index = 0
    while index < total {
      let handle = buffer.u16(at: 1 &+ 2 &* index)
      handles[unchecked: index] = handle
      index &+= 1
    }

    index = 0
    while index < total {
      subject = handles[unchecked: index]
      index &+= 1
      // Values that no longer fit are still read: one handle that cannot be read fails the whole request. The
      // two bytes of a length are not separated.
      let start = isVariable ? length &+ 2 : length
      let room = max(0, limit &- start)
      switch value(of: subject, from: 0, to: min(start, limit), room: room, &values) {
      case .failed(let code): return code
      case .length(let whole):
        guard start <= limit else { continue }
        if isVariable { buffer.setU16(UInt16(truncatingIfNeeded: whole), at: length) }
        length = start &+ min(whole, room)
      }
    }
    return .none
  }
}
