extension ATTRequest {
  /// Read (Vol 3, Part F, 3.4.4.3): the value's first ATT_MTU − 1 bytes. Read Blob (3.4.4.5): the value from
  /// an offset on; nothing at its end, Invalid Offset beyond. Never Attribute Not Long, which a server may,
  /// but need not, return for a short value.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func read<Values: AttributeValues & ~Copyable>(_ values: inout Values) -> ATTErrorCode {
    let isBlob = opcode == .readBlobRequest
    guard count == (isBlob ? 5 : 3) else { return malformed() }
    let offset = isBlob ? Int(buffer.u16(at: 3)) : 0
    switch value(of: subject, from: offset, to: 1, room: limit &- 1, &values) {
    case .failed(let code): return code
    case .length(let whole):
      guard offset <= whole else { return .invalidOffset }
      length = 1 &+ min(whole &- offset, limit &- 1)
      return .none
    }
  }
}
