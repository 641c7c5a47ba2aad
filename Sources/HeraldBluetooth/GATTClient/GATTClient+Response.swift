extension GATTClient {
  /// Takes a PDU whose opcode `isForClient`. For `.indication` the caller responds with the one byte
  /// `GATTClient.confirmation`. A response without a request is ignored. A response longer than `mtu` is
  /// processed: there are servers that state a smaller ATT_MTU than they use, up to the one that was offered.
  @inline(never)
  public mutating func receive(_ pdu: Span<UInt8>, mtu: Int) -> GATTClientEvent {
    guard pdu.count > 0 else { return .none }
    let opcode = ATTOpcode(rawValue: pdu[unchecked: 0])
    switch opcode {
    case .handleValueNotification:
      return pdu.count >= 3 ? .notification(handle: pdu.u16(at: 1), from: 3) : .none
    case .handleValueIndication:
      return pdu.count >= 3 ? .indication(handle: pdu.u16(at: 1), from: 3) : .none
    case .multipleHandleValueNotification:
      return .none
    default: break
    }
    guard isWaiting else { return .none }
    if opcode == .errorResponse {
      guard pdu.count >= 2, pdu[unchecked: 1] == expected.rawValue &- 1 else {
        return breakOff(.unexpectedResponse)
      }
      isWaiting = false
      return pdu.count == 5 ? refused(ATTErrorCode(rawValue: pdu[unchecked: 4])) : fail(.malformed)
    }
    guard opcode == expected else { return breakOff(.unexpectedResponse) }
    isWaiting = false
    switch step {
    case .idle: return .none
    case .exchangeMTU:
      guard pdu.count == 3 else { return fail(.malformed) }
      end()
      return .mtu(max(Int(pdu.u16(at: 1)), ATTLimits.defaultMTU))
    case .findService: return foundService(pdu)
    case .readCharacteristics: return foundCharacteristics(pdu)
    case .read, .readBlob: return readValue(pdu.count &- 1, isFull: pdu.count >= mtu)
    case .prepare: return prepared(pdu)
    case .findConfiguration: return foundDescriptors(pdu)
    case .write, .configure, .execute:
      guard pdu.count == 1 else { return fail(.malformed) }
      end()
      return .finished
    case .cancelPrepared: return cancelled()
    }
  }

  /// The response to the request that is waiting.
  private var expected: ATTOpcode { Self.response(to: step) }

  /// Not inlined: otherwise the code would be repeated for each step.
  @inline(never)
  private static func response(to step: Step) -> ATTOpcode {
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
    case  // An ATT_MTU agreed earlier, in an exchange that the peer started, stays in force.
    (.exchangeMTU, .requestNotSupported),
      (.findService, .attributeNotFound), (.readCharacteristics, .attributeNotFound),
      // The value was exactly as long as the responses so far; servers signal this in different ways.
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
    guard pdu.count >= 5, pdu.count & 3 == 1 else { return fail(.malformed) }
    let range = HandleRange(first: pdu.u16(at: 1), last: pdu.u16(at: 3))
    guard range.first >= handle, range.first <= range.last else { return fail(.malformed) }
    end()
    return .service(range)
  }

  private mutating func foundCharacteristics(_ pdu: Span<UInt8>) -> GATTClientEvent {
    let size = GATTCharacteristics.size(in: pdu)
    guard size > 0 else { return fail(.malformed) }
    var next = Int(handle)
    var offset = 2
    while offset < pdu.count {
      guard offset &+ size <= pdu.count else { return fail(.malformed) }
      let declaration = Int(pdu.u16(at: offset))
      let value = Int(pdu.u16(at: offset &+ 3))
      offset &+= size
      // Handles that do not increase would let a peer keep the search running indefinitely.
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
    guard pdu.count == 5 &+ Int(part), pdu.u16(at: 1) == handle, pdu.u16(at: 3) == offset,
      pdu.extracting(unchecked: Range(uncheckedBounds: (5, pdu.count))).digest == digest
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
    guard pdu.count >= 3, pdu[unchecked: 1] == 1 || pdu[unchecked: 1] == 2 else { return fail(.malformed) }
    let isShort = pdu[unchecked: 1] == 1
    let size = isShort ? 4 : 18
    var next = Int(handle)
    var offset = 2
    while offset < pdu.count {
      guard offset &+ size <= pdu.count else { return fail(.malformed) }
      let descriptor = pdu.u16(at: offset)
      guard Int(descriptor) >= next, descriptor <= last else { return fail(.malformed) }
      if isShort {
        switch pdu.u16(at: offset &+ 2) {
        case AttributeType.configuration:
          handle = descriptor
          step = .configure
          return .none
        case AttributeType.characteristic, AttributeType.primaryService, AttributeType.secondaryService:
          return fail(.noConfiguration)
        default: break
        }
      }
      next = Int(descriptor) &+ 1
      offset &+= size
    }
    guard next <= Int(last) else { return fail(.noConfiguration) }
    handle = UInt16(truncatingIfNeeded: next)
    return .none
  }
}
