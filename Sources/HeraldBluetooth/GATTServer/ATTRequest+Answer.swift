import HeraldHAL

extension ATTRequest {
  /// Writes the response over the request; see `ATTServer.respond`.
  // Every request but Read Multiple is inlined here: each is used once, so no image grows.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func respond<Values: AttributeValues & ~Copyable, let queues: Int>(
    _ prepared: inout [queues of PreparedWriteQueue], _ now: Instant, _ values: inout Values
  ) -> Int {
    var code = ATTErrorCode.invalidPDU
    // Longer than the agreed ATT_MTU: the contents are not trustworthy.
    if count <= limit {
      subject = buffer.u16(at: 1)
      switch opcode {
      case .readRequest, .readBlobRequest: code = read(&values)
      case .writeRequest, .writeCommand: code = write(&values)
      case .findInformationRequest: code = findInformation()
      case .findByTypeValueRequest: code = findByTypeValue()
      case .readByTypeRequest: code = readByType(&values)
      case .readByGroupTypeRequest: code = readByGroupType()
      case .readMultipleRequest, .readMultipleVariableRequest: code = readMultiple(&values)
      case .prepareWriteRequest: code = prepareWrite(&prepared, now, &values)
      case .executeWriteRequest: code = executeWrite(&prepared, &values)
      case .exchangeMTURequest: code = malformed()
      case .handleValueConfirmation:
        if count == 1 { state.isIndicating = false }
        return 0
      default:
        subject = 0
        code = .requestNotSupported
      }
      if code == .none, !opcode.isCommand {
        buffer[unchecked: 0] = opcode.rawValue &+ 1
        return length
      }
    }
    if opcode.isCommand || opcode.isForClient { return 0 }
    return refuse(subject, code)
  }

  /// The request has not the length that its kind requires: its error names no attribute.
  @_lifetime(self: copy self)
  mutating func malformed() -> ATTErrorCode {
    subject = 0
    return .invalidPDU
  }
}
