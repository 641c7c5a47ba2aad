extension ATTRequest {
  /// Write Request (Vol 3, Part F, 3.4.5.1), and Write Command (3.4.5.3), which nothing answers.
  @inlinable
  @_lifetime(self: copy self)
  mutating func write<Values: AttributeValues & ~Copyable>(_ values: inout Values) -> Int {
    let withResponse = !opcode.isCommand
    guard count >= 3 else { return withResponse ? refuse(0, .invalidPDU) : 0 }
    let handle = buffer.u16(at: 1)
    var code = refusal(handle, withResponse ? .write : .writeCommand)
    if code == nil {
      // A copy, because the bytes borrow the whole request and with it the state.
      var after = state
      code = database.accept(
        handle, buffer.span.extracting(unchecked: Range(uncheckedBounds: (3, count))),
        withResponse: withResponse, &after, connection, &values)
      state = after
    }
    guard withResponse else { return 0 }
    if let code { return refuse(handle, code) }
    return answer(1)
  }
}

extension GATTDatabase {
  /// Takes the whole value of an attribute that may be written, or says why not.
  @inlinable @inline(never)
  func accept<Values: AttributeValues & ~Copyable>(
    _ handle: UInt16, _ value: Span<UInt8>, withResponse: Bool, _ state: inout ATTConnectionState,
    _ connection: ConnectionID, _ values: inout Values
  ) -> ATTErrorCode? {
    guard let record = record(handle) else { return .invalidHandle }
    if let refusal = record.refusal(value) { return refusal }
    if record.flags.contains(.configuration) {
      state.configure(slot: Int(record.tag), ClientConfiguration(rawValue: value[unchecked: 0] & 3))
      return nil
    }
    return values.write(record.attributeTag, value, withResponse: withResponse, on: connection)
  }
}
