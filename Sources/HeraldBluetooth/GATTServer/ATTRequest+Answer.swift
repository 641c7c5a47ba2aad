import HeraldHAL

extension ATTRequest {
  /// Writes the response over the request; see `ATTServer.respond`.
  @inlinable @inline(never)
  @_lifetime(self: copy self)
  mutating func respond<Values: AttributeValues & ~Copyable>(
    maximumMTU: Int, _ queues: inout MutableSpan<PreparedWriteQueue>, _ now: Instant, _ values: inout Values
  ) -> Int {
    var code = ATTErrorCode.invalidPDU
    // Longer than the agreed ATT_MTU: the contents are not trustworthy.
    if count <= limit, hasLength {
      subject = buffer.u16(at: 1)
      switch opcode {
      case .readRequest, .readBlobRequest: code = read(&values)
      case .writeRequest, .writeCommand: code = write(&values)
      case .findInformationRequest: code = findInformation()
      case .findByTypeValueRequest: code = findByTypeValue()
      case .readByTypeRequest: code = readByType(&values)
      case .readByGroupTypeRequest: code = readByGroupType()
      case .readMultipleRequest, .readMultipleVariableRequest: code = readMultiple(&values)
      case .prepareWriteRequest: code = prepareWrite(&queues, now, &values)
      case .executeWriteRequest: code = executeWrite(&queues, &values)
      case .exchangeMTURequest: code = exchangeMTU(maximumMTU: maximumMTU)
      case .handleValueConfirmation:
        if count == 1 { state.isIndicating = false }
        return 0
      default:
        subject = 0
        code = .requestNotSupported
      }
    }
    if opcode.isCommand || opcode.isForClient { return 0 }
    return code == .none ? answer(length) : refuse(subject, code)
  }

  /// Whether the request has the length that its kind requires. Requests that check their own length are not
  /// checked here.
  @inlinable
  var hasLength: Bool { Self.isLength(count, of: opcode) }

  // Not inlined: otherwise the code would be repeated for each request.
  @usableFromInline @inline(never)
  static func isLength(_ count: Int, of opcode: ATTOpcode) -> Bool {
    switch opcode {
    case .exchangeMTURequest, .readRequest: count == 3
    case .findInformationRequest, .readBlobRequest: count == 5
    case .prepareWriteRequest: count >= 5
    case .executeWriteRequest: count == 2
    case .readByTypeRequest, .readByGroupTypeRequest: count == 7 || count == 21
    case .findByTypeValueRequest: count >= 7
    case .readMultipleRequest, .readMultipleVariableRequest: count >= 5 && count & 1 == 1
    case .writeRequest, .writeCommand: count >= 3
    default: true
    }
  }

  /// Exchange MTU (Vol 3, Part F, 3.4.2.1): each side states its receive MTU and the smaller applies, in both
  /// directions, 23 at least.
  @usableFromInline
  @_lifetime(self: copy self)
  mutating func exchangeMTU(maximumMTU: Int) -> ATTErrorCode {
    let maximum = min(maximumMTU, buffer.count)
    state.mtu = min(Int(buffer.u16(at: 1)), maximum)
    buffer.setU16(UInt16(truncatingIfNeeded: maximum), at: 1)
    length = 3
    return .none
  }
}
