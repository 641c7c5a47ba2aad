extension GATTDatabase {
  /// Read (Vol 3, Part F, 3.4.4.3): the value's first ATT_MTU − 1 bytes.
  @inlinable
  func read<Values: AttributeValues & ~Copyable>(
    _ buffer: inout MutableSpan<UInt8>, count: Int, limit: Int, _ state: ATTConnectionState,
    _ connection: ConnectionID, _ values: inout Values
  ) -> Int {
    guard count == 3 else { return buffer.refuse(ATTOpcode.readRequest.rawValue, 0, .invalidPDU) }
    return readPart(&buffer, from: 0, limit: limit, state, connection, &values)
  }

  /// Read Blob (3.4.4.5): the value from an offset on; nothing at its end, Invalid Offset beyond. Never Attribute Not
  /// Long, which a server may, but need not, answer for a short value.
  @inlinable
  func readBlob<Values: AttributeValues & ~Copyable>(
    _ buffer: inout MutableSpan<UInt8>, count: Int, limit: Int, _ state: ATTConnectionState,
    _ connection: ConnectionID, _ values: inout Values
  ) -> Int {
    guard count == 5 else { return buffer.refuse(ATTOpcode.readBlobRequest.rawValue, 0, .invalidPDU) }
    return readPart(&buffer, from: Int(buffer.u16(at: 3)), limit: limit, state, connection, &values)
  }

  /// Answers either: a response's opcode is its request's plus one.
  @inlinable
  func readPart<Values: AttributeValues & ~Copyable>(
    _ buffer: inout MutableSpan<UInt8>, from offset: Int, limit: Int, _ state: ATTConnectionState,
    _ connection: ConnectionID, _ values: inout Values
  ) -> Int {
    let opcode = buffer[unchecked: 0]
    let handle = buffer.u16(at: 1)
    guard let record = record(handle) else { return buffer.refuse(opcode, handle, .invalidHandle) }
    guard record.flags.contains(.read) else { return buffer.refuse(opcode, handle, .readNotPermitted) }
    let outcome = value(
      record, from: offset, to: 1, room: limit &- 1, of: &buffer, state, connection, &values)
    switch outcome {
    case .failed(let code): return buffer.refuse(opcode, handle, code)
    case .length(let whole):
      guard offset <= whole else { return buffer.refuse(opcode, handle, .invalidOffset) }
      buffer[unchecked: 0] = opcode &+ 1
      return 1 &+ min(whole &- offset, limit &- 1)
    }
  }
}
