import HeraldBluetooth
import HeraldHAL

// Codes that are read over a connection: a CovidWatch phone's number from its characteristic, a C19X phone's
// code from the UUID of its characteristic.

extension Serving {
  /// How long no code is read from a C19X phone after its code was read.
  static var codePeriod: Interval { .minutes(24 * 60) }

  /// A peer was found that may have codes which are visible on a connection only.
  mutating func lookForHiddenCodes(_ slot: Int, _ peers: inout PeersType) {
    if observesAny { peers.oweHiddenCode(slot) }
  }

  /// Starts the next request, or ends the search.
  mutating func askForCodes(
    _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) -> CodeOutcome {
    let procedure: GATTProcedure
    switch exchange.codeRequest {
    case .none:
      peers.beginCodes(Int(exchange.slot))
      exchange.modelHandle = 0
      if values.neighbours.observes(.covidWatch) {
        exchange.codeRequest = .numberService
        procedure = .discoverService16(CovidWatch.service)
      } else {
        exchange.codeRequest = .codeService
        procedure = .discoverService128(C19X.service)
      }
    case .numberCharacteristic, .codeCharacteristic:
      procedure = .discoverCharacteristics(exchange.service)
    case .number: procedure = .readLong(exchange.modelHandle)
    case .codeService: procedure = .discoverService128(C19X.service)
    case .numberService, .answered: return .goingOn
    }
    let isBegun = exchange.client.begin(procedure, stepTimeout: context.configuration.stepTimeout)
    return isBegun ? .goingOn : .malformed
  }

  /// Continues with the next request.
  mutating func ask(
    _ codeRequest: CodeRequest, _ exchange: inout Exchange, _ peers: inout PeersType,
    _ context: inout Context
  ) -> CodeOutcome {
    exchange.codeRequest = codeRequest
    return askForCodes(&exchange, &peers, &context)
  }

  /// The search for CovidWatch has ended: continues with C19X.
  mutating func endNumber(
    _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) -> CodeOutcome {
    exchange.modelHandle = 0
    if values.neighbours.observes(.c19x) {
      return ask(.codeService, &exchange, &peers, &context)
    } else {
      return .ended
    }
  }

  /// Evaluates the response, as far as it was received.
  mutating func takeCode(
    _ event: GATTClientEvent, _ pdu: Span<UInt8>, _ exchange: inout Exchange, _ peers: inout PeersType,
    _ context: inout Context
  ) -> CodeOutcome {
    let codeRequest = exchange.codeRequest
    switch event {
    case .none, .notification, .indication, .mtu: return .goingOn
    case .service(let range):
      exchange.service = range
      return ask(
        codeRequest == .numberService ? .numberCharacteristic : .codeCharacteristic, &exchange, &peers,
        &context)
    case .characteristics(let isLast):
      noteCode(pdu, &exchange, &peers, &context)
      return isLast ? endDiscovery(&exchange, &peers, &context) : .goingOn
    case .lastValue(let offset, let from):
      let count = pdu.count &- from
      guard offset == 0, from >= 0, CovidWatch.holdsNumber(count: count) else {
        return .malformed
      }
      keepRead(.covidWatch, pdu.extracting(from..<(from &+ 16)), &exchange, &peers, &context)
      return endNumber(&exchange, &peers, &context)
    case .value:
      // Longer than any number.
      return .malformed
    case .finished:
      switch codeRequest {
      case .numberCharacteristic, .codeCharacteristic: return endDiscovery(&exchange, &peers, &context)
      case .numberService, .number: return endNumber(&exchange, &peers, &context)
      default: return .ended
      }
    case .failed(let failure):
      switch failure {
      case .refused: return .refused
      case .timeout: return .timedOut
      default: return .malformed
      }
    }
  }

  /// All characteristics were received.
  mutating func endDiscovery(
    _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) -> CodeOutcome {
    if exchange.codeRequest == .codeCharacteristic {
      return .ended
    } else if exchange.modelHandle != 0 {
      return ask(.number, &exchange, &peers, &context)
    } else {
      return endNumber(&exchange, &peers, &context)
    }
  }

  /// Evaluates characteristics: CovidWatch's is to be read, the UUID of C19X's is the code itself.
  mutating func noteCode(
    _ pdu: Span<UInt8>, _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) {
    var characteristics = GATTCharacteristics(pdu)
    while let found = characteristics.next() {
      if exchange.codeRequest == .numberCharacteristic {
        if found.uuid == CovidWatch.characteristic { exchange.modelHandle = found.value }
      } else if found.uuid.high == C19X.marker, exchange.modelHandle == 0 {
        exchange.modelHandle = found.value
        let code = C19X.bigEndian(found.uuid.low)
        keepRead(.c19x, code.span.extracting(0..<8), &exchange, &peers, &context)
      }
    }
  }

  /// A code was read. A number is read again after its lifetime, a beacon code on the next day.
  mutating func keepRead(
    _ system: NeighbourSystem, _ code: Span<UInt8>, _ exchange: inout Exchange, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    peers.keepRead(
      Int(exchange.slot), system, code,
      life: system == .covidWatch ? CovidWatch.longestLife : Self.codePeriod, &context)
  }
}
