import HeraldBluetooth
import HeraldHAL

// Codes of additional services that are read over a connection: from the value of a characteristic, or from
// its UUID.

extension Serving {
  /// A peer was found that may have codes which are visible on a connection only.
  mutating func lookForHiddenCodes(_ slot: Int, _ peers: inout PeersType) {
    if searchesCodes { peers.oweHiddenCode(slot) }
  }

  /// Begins the first search, unless the searches have begun.
  mutating func askForCodes(
    _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) -> CodeOutcome {
    exchange.codeRequest == .none ? search(at: 0, &exchange, &peers, &context) : .goingOn
  }

  /// Begins the search at a position, if there is one: the request that finds the service.
  mutating func search(
    at position: Int, _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) -> CodeOutcome {
    exchange.modelHandle = 0
    guard position <= CodeRequest.lastPosition, let search = values.services.search(position) else {
      return .ended
    }
    if position == 0 { peers.beginCodes(Int(exchange.slot)) }
    exchange.codeRequest = CodeRequest(searchAt: position)
    if let short = search.uuid.short { return begin(.discoverService16(short), &exchange, &context) }
    return begin(.discoverService128(search.uuid), &exchange, &context)
  }

  /// Continues with another request of the same search.
  mutating func ask(
    for step: CodeRequest.Step, _ procedure: GATTProcedure, _ exchange: inout Exchange,
    _ context: inout Context
  ) -> CodeOutcome {
    exchange.codeRequest = exchange.codeRequest.with(step)
    return begin(procedure, &exchange, &context)
  }

  mutating func begin(
    _ procedure: GATTProcedure, _ exchange: inout Exchange, _ context: inout Context
  ) -> CodeOutcome {
    let isBegun = exchange.client.begin(procedure, stepTimeout: context.configuration.stepTimeout)
    return isBegun ? .goingOn : .malformed
  }

  /// A search has ended: continues with the next.
  mutating func endSearch(
    _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) -> CodeOutcome {
    search(at: exchange.codeRequest.position &+ 1, &exchange, &peers, &context)
  }

  /// Evaluates the response, as far as it was received. Not inlined: the caller has deeper calls.
  @inline(never)
  mutating func takeCode(
    _ event: GATTClientEvent, _ pdu: Span<UInt8>, _ exchange: inout Exchange, _ peers: inout PeersType,
    _ context: inout Context
  ) -> CodeOutcome {
    switch event {
    case .none, .notification, .indication, .mtu: return .goingOn
    case .service(let range):
      exchange.service = range
      return ask(for: .characteristics, .discoverCharacteristics(range), &exchange, &context)
    case .characteristics(let isLast):
      noteCharacteristics(pdu, &exchange, &peers, &context)
      return isLast ? endDiscovery(&exchange, &peers, &context) : .goingOn
    case .lastValue(let offset, let from):
      guard offset == 0, from >= 0, let search = values.services.search(exchange.codeRequest.position),
        case .value(_, let length, let longest) = search.location, pdu.count &- from >= Int(length),
        pdu.count &- from <= Int(longest)
      else { return .malformed }
      keepRead(search, pdu.extracting(from..<(from &+ Int(length))), &exchange, &peers, &context)
      return endSearch(&exchange, &peers, &context)
    case .value:
      // Longer than any code.
      return .malformed
    case .finished:
      guard exchange.codeRequest.step == .characteristics else {
        return endSearch(&exchange, &peers, &context)
      }
      return endDiscovery(&exchange, &peers, &context)
    case .failed(let failure):
      switch failure {
      case .refused: return .refused
      case .timeout: return .timedOut
      default: return .malformed
      }
    }
  }

  /// All characteristics were received: the value of the one that was found is read, unless the code was in
  /// its UUID.
  mutating func endDiscovery(
    _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) -> CodeOutcome {
    guard exchange.modelHandle != 0, let search = values.services.search(exchange.codeRequest.position),
      case .value = search.location
    else { return endSearch(&exchange, &peers, &context) }
    return ask(for: .value, .readLong(exchange.modelHandle), &exchange, &context)
  }

  /// Evaluates characteristics: the handle of a value to be read, or a code that is in a UUID.
  mutating func noteCharacteristics(
    _ pdu: Span<UInt8>, _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) {
    guard let search = values.services.search(exchange.codeRequest.position) else { return }
    var characteristics = GATTCharacteristics(pdu)
    while let found = characteristics.next() {
      switch search.location {
      case .value(let uuid, _, _):
        if found.uuid == uuid { exchange.modelHandle = found.value }
      case .lowerHalf(let upper):
        guard found.uuid.high == upper, exchange.modelHandle == 0 else { continue }
        exchange.modelHandle = found.value
        var code: [8 of UInt8] = .init(repeating: 0)
        var writer = ByteWriter(code.mutableSpan)
        writer.bigEndianU64(found.uuid.low)
        keepRead(search, code.span, &exchange, &peers, &context)
      }
    }
  }

  /// A code was read, and is read again after its lifetime.
  mutating func keepRead(
    _ search: CodeSearch, _ code: Span<UInt8>, _ exchange: inout Exchange, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    peers.keepRead(Int(exchange.slot), search.service, code, life: search.life, &context)
  }
}
