extension GATTClient {
  /// Takes a PDU whose opcode `isForClient`. For `.indication` the caller answers with the one byte
  /// `GATTClient.confirmation`. A response that nobody waits for is ignored.
  public mutating func receive(_ pdu: Span<UInt8>, mtu: Int) -> GATTClientEvent {
    var reader = ByteReader(pdu)
    guard let byte = reader.u8() else { return .none }
    let opcode = ATTOpcode(rawValue: byte)
    switch opcode {
    case .handleValueNotification:
      guard let handle = reader.u16() else { return .none }
      return .notification(handle: handle, from: 3)
    case .handleValueIndication:
      guard let handle = reader.u16() else { return .none }
      return .indication(handle: handle, from: 3)
    case .multipleHandleValueNotification:
      return .none
    default: break
    }
    guard isWaiting else { return .none }
    if opcode == .errorResponse {
      guard reader.u8() == expected.rawValue &- 1 else { return breakOff(.unexpectedResponse) }
      isWaiting = false
      guard reader.u16() != nil, let code = reader.u8(), reader.isAtEnd else { return fail(.malformed) }
      return refused(ATTErrorCode(rawValue: code))
    }
    guard opcode == expected else { return breakOff(.unexpectedResponse) }
    isWaiting = false
    guard pdu.count <= mtu else { return fail(.malformed) }
    switch step {
    case .idle: return .none
    case .exchangeMTU:
      guard let mtu = reader.u16(), reader.isAtEnd else { return fail(.malformed) }
      end()
      return .mtu(max(Int(mtu), ATTLimits.defaultMTU))
    case .findService: return foundService(pdu)
    case .readCharacteristics: return foundCharacteristics(pdu)
    case .read, .readBlob: return readValue(pdu.count &- 1, isFull: pdu.count == mtu)
    case .prepare: return prepared(pdu)
    case .findConfiguration: return foundDescriptors(pdu)
    case .write, .configure, .execute:
      guard reader.isAtEnd else { return fail(.malformed) }
      end()
      return .finished
    case .cancelPrepared: return cancelled()
    }
  }

  /// The response to the request that is waiting.
  private var expected: ATTOpcode {
    switch step {
    case .idle, .exchangeMTU: .exchangeMTUResponse
    case .findService: .findByTypeValueResponse
    case .readCharacteristics: .readByTypeResponse
    case .read: .readResponse
    case .readBlob: .readBlobResponse
    case .write, .configure: .writeResponse
    case .prepare: .prepareWriteResponse
    case .execute, .cancelPrepared: .executeWriteResponse
    case .findConfiguration: .findInformationResponse
    }
  }

  private mutating func refused(_ code: ATTErrorCode) -> GATTClientEvent {
    switch (step, code) {
    case  // What was agreed before, in an exchange of the peer's, stays agreed.
    (.exchangeMTU, .requestNotSupported),
      (.findService, .attributeNotFound), (.readCharacteristics, .attributeNotFound),
      // The value was exactly as long as the responses so far; servers differ in how they say so.
      (.readBlob, .invalidOffset), (.readBlob, .attributeNotLong):
      end()
      return .finished
    case (.findConfiguration, .attributeNotFound): return fail(.noConfiguration)
    case (.prepare, _) where offset > 0:
      refusal = code.rawValue
      step = .cancelPrepared
      return .none
    case (.cancelPrepared, _): return cancelled()
    default: return fail(.refused(code))
    }
  }

  private mutating func cancelled() -> GATTClientEvent {
    fail(refusal == 0 ? .echoMismatch : .refused(ATTErrorCode(rawValue: refusal)))
  }

  private mutating func foundService(_ pdu: Span<UInt8>) -> GATTClientEvent {
    var reader = ByteReader(pdu)
    guard reader.skip(1), reader.remaining & 3 == 0, let first = reader.u16(), let last = reader.u16(),
      first >= handle, first <= last
    else { return fail(.malformed) }
    end()
    return .service(HandleRange(first: first, last: last))
  }

  private mutating func foundCharacteristics(_ pdu: Span<UInt8>) -> GATTClientEvent {
    let characteristics = GATTCharacteristics(pdu)
    guard characteristics.isWhole else { return fail(.malformed) }
    var next = Int(handle)
    var place = 2
    while place < pdu.count {
      let declaration = Int(pdu.u16(at: place))
      let value = Int(pdu.u16(at: place &+ 3))
      place &+= characteristics.size
      // Handles that do not grow would let a peer keep us searching for ever.
      guard declaration >= next, value > declaration, value <= Int(last) else { return fail(.malformed) }
      next = value &+ 1
    }
    guard next <= Int(last) else {
      end()
      return .characteristics(isLast: true)
    }
    handle = UInt16(truncatingIfNeeded: next)
    return .characteristics(isLast: false)
  }

  private mutating func readValue(_ count: Int, isFull: Bool) -> GATTClientEvent {
    let start = Int(offset)
    let end = start &+ count
    guard end <= ATTLimits.longestValue else { return fail(.tooLong) }
    guard isFull, end < ATTLimits.longestValue else {
      self.end()
      return .lastValue(offset: start, from: 1)
    }
    offset = UInt16(truncatingIfNeeded: end)
    step = .readBlob
    return .value(offset: start, from: 1)
  }

  private mutating func prepared(_ pdu: Span<UInt8>) -> GATTClientEvent {
    var reader = ByteReader(pdu)
    guard reader.skip(1), reader.u16() == handle, reader.u16() == offset, reader.remaining == Int(part),
      reader.rest().digest == digest
    else {
      refusal = 0
      step = .cancelPrepared
      return .none
    }
    offset = offset &+ part
    if offset >= length { step = .execute }
    return .none
  }

  private mutating func foundDescriptors(_ pdu: Span<UInt8>) -> GATTClientEvent {
    var reader = ByteReader(pdu)
    guard reader.skip(1), let format = reader.u8(), format == 1 || format == 2, !reader.isAtEnd else {
      return fail(.malformed)
    }
    var next = Int(handle)
    while !reader.isAtEnd {
      guard let descriptor = reader.u16(), Int(descriptor) >= next, descriptor <= last else {
        return fail(.malformed)
      }
      if format == 1 {
        guard let type = reader.u16() else { return fail(.malformed) }
        switch type {
        case AttributeType.configuration:
          handle = descriptor
          step = .configure
          return .none
        case AttributeType.characteristic, AttributeType.primaryService, AttributeType.secondaryService:
          return fail(.noConfiguration)
        default: break
        }
      } else {
        guard reader.skip(16) else { return fail(.malformed) }
      }
      next = Int(descriptor) &+ 1
    }
    guard next <= Int(last) else { return fail(.noConfiguration) }
    handle = UInt16(truncatingIfNeeded: next)
    return .none
  }
}
