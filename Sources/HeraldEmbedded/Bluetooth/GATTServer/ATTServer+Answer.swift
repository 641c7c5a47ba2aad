extension GATTDatabase {
  /// Answers one PDU over itself; see `ATTServer.respond`. `buffer` holds 23 bytes or more.
  @inlinable
  func answer<Values: AttributeValues & ~Copyable>(
    _ buffer: inout MutableSpan<UInt8>, count: Int, maximumMTU: Int, _ state: inout ATTConnectionState,
    _ queues: inout MutableSpan<PreparedWriteQueue>, _ connection: ConnectionID, _ now: Instant,
    _ values: inout Values
  ) -> Int {
    let opcode = ATTOpcode(rawValue: buffer[unchecked: 0])
    let limit = min(state.mtu, buffer.count)
    guard count <= limit else {
      // Longer than was agreed: nothing in it can be trusted.
      return opcode.isCommand || opcode.isForClient ? 0 : buffer.refuse(opcode.rawValue, 0, .invalidPDU)
    }
    switch opcode {
    case .readRequest:
      return read(&buffer, count: count, limit: limit, state, connection, &values)
    case .readBlobRequest:
      return readBlob(&buffer, count: count, limit: limit, state, connection, &values)
    case .writeRequest, .writeCommand:
      let length = write(
        &buffer, count: count, withResponse: !opcode.isCommand, &state, connection, &values)
      return opcode.isCommand ? 0 : length
    case .findInformationRequest:
      return findInformation(&buffer, count: count, limit: limit)
    case .findByTypeValueRequest:
      return findByTypeValue(&buffer, count: count, limit: limit)
    case .readByTypeRequest:
      return readByType(&buffer, count: count, limit: limit, state, connection, &values)
    case .readByGroupTypeRequest:
      return readByGroupType(&buffer, count: count, limit: limit)
    case .readMultipleRequest, .readMultipleVariableRequest:
      return readMultiple(
        &buffer, count: count, limit: limit, isVariable: opcode == .readMultipleVariableRequest, state,
        connection, &values)
    case .prepareWriteRequest:
      return prepareWrite(&buffer, count: count, &state, &queues, connection, now)
    case .executeWriteRequest:
      return executeWrite(&buffer, count: count, &state, &queues, connection, &values)
    case .exchangeMTURequest:
      return exchangeMTU(&buffer, count: count, maximumMTU: min(maximumMTU, buffer.count), &state)
    case .handleValueConfirmation:
      if count == 1 { state.isIndicating = false }
      return 0
    default:
      return opcode.isCommand || opcode.isForClient
        ? 0 : buffer.refuse(opcode.rawValue, 0, .requestNotSupported)
    }
  }

  /// Exchange MTU (Vol 3, Part F, 3.4.2.1): both say what they take and the smaller counts, in both directions, 23 at least.
  @usableFromInline
  func exchangeMTU(
    _ buffer: inout MutableSpan<UInt8>, count: Int, maximumMTU: Int, _ state: inout ATTConnectionState
  ) -> Int {
    guard count == 3 else { return buffer.refuse(ATTOpcode.exchangeMTURequest.rawValue, 0, .invalidPDU) }
    state.mtu = min(Int(buffer.u16(at: 1)), maximumMTU)
    buffer[unchecked: 0] = ATTOpcode.exchangeMTUResponse.rawValue
    buffer.setU16(UInt16(truncatingIfNeeded: maximumMTU), at: 1)
    return 3
  }
}
