extension ATTRequest {
  /// Write Request (Vol 3, Part F, 3.4.5.1), and Write Command (3.4.5.3), which has no response.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func write<Values: AttributeValues & ~Copyable>(_ values: inout Values) -> ATTErrorCode {
    guard count >= 3 else { return malformed() }
    guard let record = database.record(subject) else { return .invalidHandle }
    let withResponse = !opcode.isCommand
    guard record.flags.contains(withResponse ? .write : .writeCommand) else { return .writeNotPermitted }
    let first = count > 3 ? buffer[unchecked: 3] : 0
    let refusal = record.refusal(count: count &- 3, first: first)
    if refusal != .none { return refusal }
    if record.flags.contains(.configuration) {
      state.configure(slot: Int(record.tag), ClientConfiguration(rawValue: first & 3))
      return .none
    }
    let span = buffer.span.extracting(unchecked: Range(uncheckedBounds: (3, count)))
    return values.write(
      record.attributeTag, span,
      withResponse: withResponse, on: connection) ?? .none
  }
}
