extension ATTRequest {
  /// Answers the request over itself; see `ATTServer.respond`.
  @inlinable @inline(never)
  @_lifetime(self: copy self)
  mutating func respond<Values: AttributeValues & ~Copyable>(
    maximumMTU: Int, _ queues: inout MutableSpan<PreparedWriteQueue>, _ now: Instant, _ values: inout Values
  ) -> Int {
    guard count <= limit else {
      // Longer than was agreed: nothing in it can be trusted.
      return opcode.isCommand || opcode.isForClient ? 0 : refuse(0, .invalidPDU)
    }
    switch opcode {
    case .readRequest, .readBlobRequest: return read(&values)
    case .writeRequest, .writeCommand: return write(&values)
    case .findInformationRequest: return findInformation()
    case .findByTypeValueRequest: return findByTypeValue()
    case .readByTypeRequest: return readByType(&values)
    case .readByGroupTypeRequest: return readByGroupType()
    case .readMultipleRequest, .readMultipleVariableRequest: return readMultiple(&values)
    case .prepareWriteRequest: return prepareWrite(&queues, now)
    case .executeWriteRequest: return executeWrite(&queues, &values)
    case .exchangeMTURequest: return exchangeMTU(maximumMTU: maximumMTU)
    case .handleValueConfirmation:
      if count == 1 { state.isIndicating = false }
      return 0
    default:
      return opcode.isCommand || opcode.isForClient ? 0 : refuse(0, .requestNotSupported)
    }
  }

  /// Exchange MTU (Vol 3, Part F, 3.4.2.1): both say what they take and the smaller counts, in both directions, 23 at least.
  @usableFromInline
  @_lifetime(self: copy self)
  mutating func exchangeMTU(maximumMTU: Int) -> Int {
    guard count == 3 else { return refuse(0, .invalidPDU) }
    let maximum = min(maximumMTU, buffer.count)
    state.mtu = min(Int(buffer.u16(at: 1)), maximum)
    buffer.setU16(UInt16(truncatingIfNeeded: maximum), at: 1)
    return answer(3)
  }
}
