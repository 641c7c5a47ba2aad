import HeraldBluetooth
import HeraldHAL

// The steps of an exchange: the request, the evaluation of the response, the next step.

extension Exchanges {
  /// Begins a step: sends its request, or does what its end requires.
  mutating func enter(
    _ wanted: ExchangeStep, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    var step = wanted == .choosing ? choose(index, &serving, &peers, &context) : wanted
    var first: UInt16 = 1
    var last = UInt16.max
    if step == .findAnother {
      step = table[index].search.step
      if table[index].service.last == .max {
        // There is nothing behind the last handle.
        step = step.next(after: .absent)
      } else {
        first = table[index].service.last &+ 1
      }
    }
    if step == .findCustomService, context.configuration.introspection.customService == nil {
      step = .withoutService
    }
    if step == .withoutService, let cause = table[index].search.fault {
      fail(index, cause, &serving, &peers, &context)
      return
    }
    if Parts.ServicesType.count > 0, turnsToCodes(step, index, &serving, &peers) { step = .readCodes }
    table[index].step = step
    let request: GATTClient.Step
    switch step {
    case .exchangeMTU: request = .exchangeMTU
    case .findShortService, .findLongService, .findCustomService, .findInformation: request = .findService
    case .findCharacteristics, .findModel:
      request = .readCharacteristics
      first = table[index].service.first
      last = table[index].service.last
    case .readPayload, .readModel:
      guard table[index].claimBuffer(.reading, index, in: &serving.values.pool) != nil else {
        deferExchange(index, &serving, &peers, &context)
        return
      }
      request = .read
      first = step == .readPayload ? table[index].payloadHandle : table[index].modelHandle
    case .writeSignal:
      guard prepareSignal(index, &serving, &peers, &context) else { return }
      request = .write
      first = table[index].signalHandle
    case .readCodes:
      if Parts.ServicesType.count > 0 { requestCodes(index, &serving, &peers, &context) }
      return
    case .closing:
      finish(index, &serving, &peers, &context)
      return
    case .withoutService:
      ignore(index, &serving, &peers, &context)
      return
    case .choosing, .failed, .closed, .serving, .keeping, .findAnother: return
    }
    guard
      table[index].client.begin(request, peers.stepTimeout(Int(table[index].slot), &context), first, last)
    else {
      fail(index, .exchangesMalformed, &serving, &peers, &context)
      return
    }
    if step.findsService { table[index].search.begin(step) }
    switch step {
    case .exchangeMTU: table[index].client.length = UInt16(truncatingIfNeeded: serving.server.maximumMTU)
    case .findShortService: table[index].client.find(HeraldUUIDs.shortService)
    case .findLongService: table[index].client.uuid = HeraldUUIDs.service
    case .findCustomService: table[index].client.uuid = context.configuration.introspection.ownService
    case .findInformation: table[index].client.find(HeraldUUIDs.deviceInformation)
    case .writeSignal: table[index].client.length = table[index].piece
    default: break
    }
  }

  /// The next task on a connection whose peer is known, or the end of the connection.
  mutating func choose(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) -> ExchangeStep {
    let slot = Int(table[index].slot)
    let task = peers.task(for: slot, &context)
    table[index].task = task
    switch task {
    case .nothing, .meet: return .closing
    case .readPayload: return .readPayload
    case .readModel:
      // Requested once, whatever the result.
      peers.table[slot].set(Target.modelReadFlag, true)
      return .findInformation
    case .readCodes: return .readCodes
    case .sendMessage, .writePayload, .share, .writeRSSI:
      // The new payload would link the new address to that of this connection: it is written on another one.
      if task == .writePayload, serving.values.isFormer(ConnectionID(index: index)) { return .closing }
      if table[index].signalHandle == 0 {
        peers.noteDone(task, slot, &context)  // the peer cannot receive it
        countRefusal(of: task, &context)
        return .closing
      }
      return table[index].isSpent ? .closing : .writeSignal
    }
  }

  /// Continues the exchange after its present step.
  @inline(never)
  mutating func advance(
    _ index: Int, _ outcome: ExchangeStep.Outcome, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    let step = table[index].step
    var outcome = outcome
    var isKept = true
    switch (step, outcome) {
    case (.findCharacteristics, .found):
      let slot = Int(table[index].slot)
      peers.confirm(slot, as: table[index].system, &context)
      if Parts.ServicesType.count > 0 { serving.lookForHiddenCodes(slot, &peers) }
    case (.readPayload, .found): isKept = keepPayload(index, &serving, &peers, &context)
    case (.readModel, .found): isKept = keepModel(index, &serving, &peers, &context)
    case (.writeSignal, .found): noteWritten(index, &serving, &peers, &context)
    default: break
    }
    if !isKept {
      noteFault(isRefused: false, index, &serving)
      outcome = .absent
    }
    enter(step.next(after: outcome), index, &serving, &peers, &context)
  }

  /// The payload of the service that was found cannot be read, perhaps because the service is stale: another
  /// one is searched for.
  mutating func noteFault(isRefused: Bool, _ index: Int, _ serving: inout ServingType) {
    table[index].search.fail(isRefused: isRefused)
    table[index].freeBuffer(in: &serving.values.pool)
  }

  /// Processes a PDU for the client and continues with the resulting step, which is returned. Not inlined, so
  /// that the calls that respond to requests do not carry its stack frame.
  @inline(never)
  mutating func take(
    _ pdu: Span<UInt8>, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) -> GATTClientEvent {
    let event = table[index].client.receive(pdu, mtu: serving.server.mtu(ConnectionID(index: index)))
    let step = table[index].step
    guard step.isWorking else { return event }
    if Parts.ServicesType.count > 0, step == .readCodes {
      follow(
        serving.takeCode(event, pdu, &table[index], &peers, &context), index, &serving, &peers, &context)
      return event
    }
    switch event {
    case .none, .notification, .indication: break
    case .mtu(let mtu):
      serving.server.agreed(peerMTU: mtu, on: ConnectionID(index: index))
      advance(index, .found, &serving, &peers, &context)
    case .service(let range):
      table[index].service = range
      if step.findsService { table[index].forgetService() }
      advance(index, .found, &serving, &peers, &context)
    case .characteristics(let isLast):
      table[index].note(pdu)
      if isLast { advance(index, table[index].isThere ? .found : .absent, &serving, &peers, &context) }
    case .value(let offset, let from):
      if !table[index].put(pdu, from, at: offset, in: &serving.values.pool) {
        fail(index, .exchangesMalformed, &serving, &peers, &context)
      }
    case .lastValue(let offset, let from):
      if table[index].put(pdu, from, at: offset, in: &serving.values.pool) {
        advance(index, .found, &serving, &peers, &context)
      } else {
        fail(index, .exchangesMalformed, &serving, &peers, &context)
      }
    case .finished:
      switch step {
      case .findCharacteristics, .findModel:
        advance(index, table[index].isThere ? .found : .absent, &serving, &peers, &context)
      case .readPayload, .readModel: advance(index, .found, &serving, &peers, &context)
      case .writeSignal:
        if table[index].isMoreToWrite(of: &serving.values.pool) {
          enter(.writeSignal, index, &serving, &peers, &context)
        } else {
          advance(index, .found, &serving, &peers, &context)
        }
      default: advance(index, .absent, &serving, &peers, &context)
      }
    case .failed(let failure):
      switch failure {
      case .refused where step == .exchangeMTU || step == .findInformation || step == .readModel:
        advance(index, .absent, &serving, &peers, &context)
      case .refused where step == .writeSignal:
        countRefusal(of: table[index].task, &context)
        table[index].written = 0
        table[index].freeBuffer(in: &serving.values.pool)
        peers.noteDone(table[index].task, Int(table[index].slot), &context)
        advance(index, .absent, &serving, &peers, &context)
      case .refused(let code)
      where (step == .readPayload || step == .findCharacteristics) && code != .insufficientResources:
        noteFault(isRefused: true, index, &serving)
        advance(index, .absent, &serving, &peers, &context)
      case .refused(let code):
        fail(index, .exchangesRefused, &serving, &peers, &context)
        // The peer is serving its maximum number of peers at the moment.
        if code == .insufficientResources { peers.askAgainSoon(Int(table[index].slot), &context) }
      case .timeout: fail(index, .exchangesTimedOut, &serving, &peers, &context)
      default: fail(index, .exchangesMalformed, &serving, &peers, &context)
      }
    }
    return event
  }

  /// The payload is complete: logs and reports it. `false` if the bytes are not a payload.
  mutating func keepPayload(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) -> Bool {
    let slot = Int(table[index].slot)
    let buffer = Int(table[index].buffer) &- 1
    guard buffer >= 0 else { return false }
    let length = Int(serving.values.pool.buffers[buffer].length)
    guard length > 0, length <= Payload.maximumLength else { return false }
    peers.payloadWasRead(slot, &serving.values.pool.buffers[buffer], &context)
    table[index].freeBuffer(in: &serving.values.pool)
    return true
  }

  /// The model is complete: logs and reports it (HP-28).
  mutating func keepModel(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) -> Bool {
    let buffer = Int(table[index].buffer) &- 1
    guard buffer >= 0 else { return false }
    let identity = peers.table[Int(table[index].slot)].identity
    let length = Int(serving.values.pool.buffers[buffer].length)
    if length > 0, length <= LogEvent.maximumBytes {
      context.sink.record(
        .targetBytes, of: identity, extra: LogRecordFields.model, 0..<length,
        in: &serving.values.pool.buffers[buffer]
      )
      serving.values.pool.buffers[buffer].reportModel(to: &context.sink.delegate, identity, at: context.now)
    }
    table[index].freeBuffer(in: &serving.values.pool)
    return true
  }
}
