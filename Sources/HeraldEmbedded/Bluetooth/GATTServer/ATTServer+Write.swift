extension GATTDatabase {
  /// Write Request (Vol 3, Part F, 3.4.5.1), and Write Command (3.4.5.3), whose answer the caller drops.
  @inlinable
  func write<Values: AttributeValues & ~Copyable>(
    _ buffer: inout MutableSpan<UInt8>, count: Int, withResponse: Bool, _ state: inout ATTConnectionState,
    _ connection: ConnectionID, _ values: inout Values
  ) -> Int {
    let opcode = buffer[unchecked: 0]
    guard count >= 3 else { return buffer.refuse(opcode, 0, .invalidPDU) }
    let handle = buffer.u16(at: 1)
    guard let record = record(handle) else { return buffer.refuse(opcode, handle, .invalidHandle) }
    guard record.flags.contains(withResponse ? .write : .writeCommand) else {
      return buffer.refuse(opcode, handle, .writeNotPermitted)
    }
    let refusal = accept(
      record, buffer.span.extracting(unchecked: Range(uncheckedBounds: (3, count))),
      withResponse: withResponse,
      &state, connection, &values)
    if let refusal { return buffer.refuse(opcode, handle, refusal) }
    buffer[unchecked: 0] = ATTOpcode.writeResponse.rawValue
    return 1
  }

  /// Takes the whole value of an attribute that may be written, or says why not.
  @inlinable
  func accept<Values: AttributeValues & ~Copyable>(
    _ record: AttributeRecord, _ value: Span<UInt8>, withResponse: Bool, _ state: inout ATTConnectionState,
    _ connection: ConnectionID, _ values: inout Values
  ) -> ATTErrorCode? {
    if let refusal = refusal(record, value) { return refusal }
    if record.flags.contains(.configuration) {
      state.configure(slot: Int(record.tag), ClientConfiguration(rawValue: value[unchecked: 0] & 3))
      return nil
    }
    return values.write(record.attributeTag, value, withResponse: withResponse, on: connection)
  }

  /// Why a value cannot be one of this attribute whatever its bytes mean, if so.
  @usableFromInline
  func refusal(_ record: AttributeRecord, _ value: Span<UInt8>) -> ATTErrorCode? {
    if record.flags.contains(.configuration) {
      guard value.count == 2 else { return .invalidAttributeValueLength }
      // Bits beyond the two are reserved and not looked at.
      let asked = UInt16(value[unchecked: 0] & 3)
      return asked & ~record.valueOffset == 0 ? nil : .improperlyConfigured
    }
    guard record.flags.contains(.dynamic) else { return .writeNotPermitted }
    return value.count <= Int(record.valueLength) ? nil : .invalidAttributeValueLength
  }
}
