// Codes that are read over a connection: a CovidWatch phone's number out of its characteristic, a C19X
// phone's code out of the UUID of its.

/// Which code of another system is being looked for on a connection.
@usableFromInline
enum CodeQuestion: UInt8, BitwiseCopyable, Sendable {
  /// None yet.
  case none = 0
  /// Whether the peer has CovidWatch's service.
  case numberService = 1
  /// Where in it the number is.
  case numberCharacteristic = 2
  /// What the number is.
  case number = 3
  /// Whether the peer has C19X's service.
  case codeService = 4
  /// What its characteristic is called, which is the code.
  case codeCharacteristic = 5
  /// All was asked.
  case answered = 6
}

extension Exchanges
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// How long a C19X phone is left alone once its code was read.
  @inlinable
  static var codePeriod: Interval { .minutes(24 * 60) }

  /// Whether an exchange is to go on with the codes instead of `step`: for a peer that is known to have
  /// nothing of Herald's, and before one turns out to have nothing at all.
  @inlinable
  mutating func turnsToCodes(
    _ step: ExchangeStep, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType
  ) -> Bool {
    guard links[index].question == .none else { return false }
    switch step {
    case .findShortService:
      guard peers.table[Int(links[index].place)].state == .neighbour else { return false }
      links[index].task = .readCodes
      return true
    case .withoutService: return serving.observesAny
    default: return false
    }
  }

  /// A phone of Apple's was met: what it advertises in the background nobody can read, so it is asked whether
  /// it has codes.
  @inlinable
  mutating func lookForHiddenCodes(_ place: Int, _ serving: inout ServingType, _ peers: inout PeersType) {
    guard peers.table[place].system == .iOS, !peers.table[place].codeIsRead, serving.observesAny else {
      return
    }
    peers.table[place].owesCode = true
  }

  /// Asks the next question, or ends the matter.
  @inlinable
  mutating func askForCodes(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    let place = Int(links[index].place)
    let procedure: GATTProcedure
    switch links[index].question {
    case .none:
      peers.table[place].codeIsRead = false
      links[index].modelHandle = 0
      if serving.values.neighbours.observes(.covidWatch) {
        links[index].question = .numberService
        procedure = .discoverService16(CovidWatch.service)
      } else {
        links[index].question = .codeService
        procedure = .discoverService128(C19X.service)
      }
    case .numberCharacteristic, .codeCharacteristic:
      procedure = .discoverCharacteristics(links[index].service)
    case .number: procedure = .readLong(links[index].modelHandle)
    case .codeService: procedure = .discoverService128(C19X.service)
    case .numberService, .answered: return
    }
    if !links[index].client.begin(procedure, stepTimeout: context.configuration.stepTimeout) {
      fail(index, .exchangesMalformed, &serving, &peers, &context)
    }
  }

  /// Goes on to the next question.
  @inlinable
  mutating func ask(
    _ question: CodeQuestion, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    links[index].question = question
    askForCodes(index, &serving, &peers, &context)
  }

  /// CovidWatch is done with: goes on to C19X.
  @inlinable
  mutating func endNumber(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    links[index].modelHandle = 0
    if serving.values.neighbours.observes(.c19x) {
      ask(.codeService, index, &serving, &peers, &context)
    } else {
      endCodes(index, &serving, &peers, &context)
    }
  }

  /// Makes what there is of an answer.
  @inlinable
  mutating func takeCode(
    _ event: GATTClientEvent, _ pdu: Span<UInt8>, _ index: Int, _ serving: inout ServingType,
    _ peers: inout PeersType, _ context: inout Context
  ) {
    let question = links[index].question
    switch event {
    case .none, .notification, .indication, .mtu: break
    case .service(let range):
      links[index].service = range
      ask(
        question == .numberService ? .numberCharacteristic : .codeCharacteristic, index, &serving, &peers,
        &context)
    case .characteristics(let isLast):
      noteCode(pdu, index, &peers, &context)
      if isLast { endDiscovery(index, &serving, &peers, &context) }
    case .lastValue(let offset, let from):
      let count = pdu.count &- from
      guard offset == 0, from >= 0, CovidWatch.holdsNumber(count: count) else {
        fail(index, .exchangesMalformed, &serving, &peers, &context)
        return
      }
      keepRead(.covidWatch, pdu.extracting(from..<(from &+ 16)), index, &peers, &context)
      endNumber(index, &serving, &peers, &context)
    case .value:
      // Longer than any number.
      fail(index, .exchangesMalformed, &serving, &peers, &context)
    case .finished:
      switch question {
      case .numberCharacteristic, .codeCharacteristic: endDiscovery(index, &serving, &peers, &context)
      case .numberService, .number: endNumber(index, &serving, &peers, &context)
      default: endCodes(index, &serving, &peers, &context)
      }
    case .failed(let failure):
      switch failure {
      case .refused: fail(index, .exchangesRefused, &serving, &peers, &context)
      case .timeout: fail(index, .exchangesTimedOut, &serving, &peers, &context)
      default: fail(index, .exchangesMalformed, &serving, &peers, &context)
      }
    }
  }

  /// All characteristics were seen.
  @inlinable
  mutating func endDiscovery(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    if links[index].question == .codeCharacteristic {
      endCodes(index, &serving, &peers, &context)
    } else if links[index].modelHandle != 0 {
      ask(.number, index, &serving, &peers, &context)
    } else {
      endNumber(index, &serving, &peers, &context)
    }
  }

  /// Looks at characteristics: CovidWatch's is to be read, the UUID of C19X's is the code itself.
  @inlinable
  mutating func noteCode(_ pdu: Span<UInt8>, _ index: Int, _ peers: inout PeersType, _ context: inout Context)
  {
    var characteristics = GATTCharacteristics(pdu)
    while let found = characteristics.next() {
      if links[index].question == .numberCharacteristic {
        if found.uuid == CovidWatch.characteristic { links[index].modelHandle = found.value }
      } else if found.uuid.high == C19X.marker, links[index].modelHandle == 0 {
        links[index].modelHandle = found.value
        let code = C19X.bigEndian(found.uuid.low)
        keepRead(.c19x, code.span.extracting(0..<8), index, &peers, &context)
      }
    }
  }

  /// A code was read. A number is read again after its life, a beacon code on the next day.
  @inlinable
  mutating func keepRead(
    _ system: NeighbourSystem, _ code: Span<UInt8>, _ index: Int, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    let place = Int(links[index].place)
    peers.keepCode(place, system, code, &context)
    let state = peers.table[place].state
    let isHerald = state == .read || state == .confirmed
    if !isHerald, !peers.table[place].codeIsRead {
      peers.table[place].retryAt =
        context.now + (system == .covidWatch ? CovidWatch.longestLife : Self.codePeriod)
    }
    peers.table[place].codeIsRead = true
  }

  /// All was asked. A peer of Herald's gets what else it is owed; one that has nothing but codes is a
  /// neighbour from now on; one that has nothing is left alone.
  @inlinable
  mutating func endCodes(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    let place = Int(links[index].place)
    links[index].question = .answered
    let isFound = peers.table[place].codeIsRead
    peers.table[place].owesCode = false
    peers.table[place].codeIsRead = true
    let state = peers.table[place].state
    if state == .read || state == .confirmed {
      enter(.choosing, index, &serving, &peers, &context)
      return
    }
    if state == .advertised, links[index].task == .readCodes {
      // It turned out to show Herald's service while its codes were read: it is asked about that next.
      peers.table[place].failures = 0
      peers.table[place].retryAt = context.now
      peers.workAt = context.now
      close(index, &serving, &peers, &context)
      return
    }
    guard isFound else {
      ignore(index, &serving, &peers, &context)
      return
    }
    peers.table[place].state = .neighbour
    peers.table[place].failures = 0
    if state == .advertised {
      // It shows Herald's service and does not serve it, perhaps not yet: it is asked again like one that has
      // nothing.
      peers.table[place].ignores &+= 1
      peers.leaveAlone(
        place, for: HeraldConfiguration.ignoreDelay(ignores: peers.table[place].ignores), &context)
    } else {
      peers.table[place].ignores = 0
    }
    peers.table.setOwesWork(place, false)
    leave(index, &serving, &peers, &context)
  }
}
