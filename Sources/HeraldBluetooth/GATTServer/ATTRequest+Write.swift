extension ATTRequest {
  /// Write Request (Vol 3, Part F, 3.4.5.1), and Write Command (3.4.5.3), which has no response.
  @inlinable
  @_lifetime(self: copy self)
  mutating func write<Values: AttributeValues & ~Copyable>(_ values: inout Values) -> ATTErrorCode {
    let withResponse = !opcode.isCommand
    if let code = refusal(subject, withResponse ? .write : .writeCommand) { return code }
    // A copy, because the bytes borrow the whole request, including the state.
    var after = state
    let code = database.accept(
      subject, buffer.span.extracting(unchecked: Range(uncheckedBounds: (3, count))),
      withResponse: withResponse, &after, connection, &values)
    state = after
    return code ?? .none
  }
}

extension GATTDatabase {
  /// Writes the whole value of an attribute, or returns the error.
  @inlinable @inline(never)
  func accept<Values: AttributeValues & ~Copyable>(
    _ handle: UInt16, _ value: Span<UInt8>, withResponse: Bool, _ state: inout ATTConnectionState,
    _ connection: ConnectionID, _ values: inout Values
  ) -> ATTErrorCode? {
    guard let record = record(handle) else { return .invalidHandle }
    let first = value.count > 0 ? value[unchecked: 0] : 0
    if let refusal = record.refusal(count: value.count, first: first) { return refusal }
    if record.flags.contains(.configuration) {
      state.configure(slot: Int(record.tag), ClientConfiguration(rawValue: first & 3))
      return nil
    }
    return values.write(record.attributeTag, value, withResponse: withResponse, on: connection)
  }
}
