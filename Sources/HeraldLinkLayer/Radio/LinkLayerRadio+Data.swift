import HeraldBluetooth
import HeraldHAL

// From the link layer to the handler, and from L2CAP to the link layer.
extension LinkLayerRadio where Peripheral: ~Copyable, Hold: ~Copyable {
  /// The maximum number of reports, or of payloads, that one call of `poll` processes: as many as the link
  /// layer stores, so that a loop is not kept from its other work.
  private static var itemsPerPoll: Int { 6 }

  /// Passes connections that were opened or closed to the handler.
  @inline(never)
  mutating func takeEvents<Handler: RadioEventHandler & ~Copyable>(_ handler: inout Handler, at now: Instant)
  {
    while let event = nextEvent() {
      switch event {
      case .opened(let index, let role, let peer):
        all[index] = HostConnection()
        all[index].life = .open
        all[index].l2cap.role = role
        handler.connectionOpened(
          ConnectionOpened(connection: ConnectionID(index: index), role: role, peer: peer), at: now)
      case .closed(let index, let reason):
        all[index].life = .free
        handler.connectionClosed(ConnectionID(index: index), reason, at: now)
      case .connectFailed(let reason):
        handler.connectionFailed(reason, at: now)
      case .ready(let index):
        all[index].isBlocked = false
      case .directedAdvertisingEnded:
        break
      }
    }
  }

  private mutating func nextEvent() -> LinkLayerEvent? {
    procedures.hold()
    defer { procedures.release() }
    return layer.pointee.takeEvent()
  }

  /// Passes advertisements to the handler. Returns whether there may be more.
  mutating func takeReports<Handler: RadioEventHandler & ~Copyable>(_ handler: inout Handler, at now: Instant)
    -> Bool
  {
    var left = Self.itemsPerPoll
    while left > 0 {
      procedures.hold()
      let received = layer.pointee.takeReport()
      procedures.release()
      guard let received else { return false }
      let pdu = received.bytes.span.extracting(first: Int(received.count))
      if let header = AdvertisingHeader(of: pdu),
        let address = DeviceAddress(onAir: pdu.extracting(2..<8), kind: header.sender)
      {
        let report = AdvertisingReport(address: address, rssi: RSSI(received.rssi), kind: header.reportKind)
        // A directed advertisement has the target's address instead of data.
        let data = pdu.extracting(droppingFirst: header.kind == .directed ? pdu.count : 8)
        handler.received(report, data: data, at: now)
      }
      left &-= 1
    }
    return true
  }

  /// Passes received payloads to L2CAP and whole PDUs to the handler. Returns whether there may be more.
  mutating func takePayloads<Handler: RadioEventHandler & ~Copyable>(
    _ handler: inout Handler, at now: Instant
  ) -> Bool {
    var left = Self.itemsPerPoll
    defer { if left < Self.itemsPerPoll { share() } }
    while left > 0 {
      procedures.hold()
      let fragment = layer.pointee.takeDataPayload()
      procedures.release()
      guard let fragment else { return false }
      receive(fragment, &handler, at: now)
      left &-= 1
    }
    return true
  }

  private mutating func receive<Handler: RadioEventHandler & ~Copyable>(
    _ fragment: DataPayload, _ handler: inout Handler, at now: Instant
  ) {
    let index = Int(fragment.connection)
    guard index < connections, all[index].life == .open else { return }
    let payload = fragment.bytes.span.extracting(first: Int(fragment.count))
    var slot = all[index].l2cap.slot(
      for: payload, isStart: fragment.isStart, hasSpare: hasSpare(index), &counters)
    if slot >= 0 { slot = buffers.append(payload, to: &all[index].l2cap, index, slot, &counters) }
    if slot >= 0 {
      let length = Int(all[index].l2cap.slots[slot].length)
      let answer = buffers.handOver(index, slot, count: length, to: &handler, at: now)
      buffers.answered(answer, by: &all[index].l2cap, index, slot)
    }
    // The response is passed on before the next PDU is processed, which may need its buffer.
    transmit(index)
  }

  /// Lets an event in progress use what was passed to the link layer, and the slots of what was taken.
  private mutating func share() {
    procedures.hold()
    layer.pointee.shareDuringEvent()
    procedures.release()
  }

  /// Passes payloads of a connection to the link layer until it accepts no more.
  mutating func transmit(_ index: Int) {
    guard all[index].hasOutgoing else { return }
    defer { share() }
    while all[index].hasOutgoing {
      if all[index].l2cap.sendsControlNext {
        guard giveControl(index) else { return }
        all[index].l2cap.sentControl(&counters)
        continue
      }
      let slot = all[index].l2cap.nextToSend
      guard slot >= 0 else { return }
      let fragment = all[index].l2cap.nextFragment(slot, limit: DataHeader.longestPayload)
      guard give(fragment, index, slot) else { return }
      all[index].l2cap.sent(fragment, slot, &counters)
    }
  }

  /// Passes a fragment to the link layer. Returns `false` if it was refused: because its queue is full, and
  /// `.ready` follows, or because the connection has ended, and `.closed` follows.
  private mutating func give(_ fragment: L2CAPConnection.Fragment, _ index: Int, _ slot: Int) -> Bool {
    let range = fragment.start..<(fragment.start &+ fragment.count)
    procedures.hold()
    let isAccepted =
      slot == 0
      ? Self.queue(
        layer, buffers.own[index].bytes.span.extracting(range), isStart: fragment.isStart, on: index)
      : Self.queue(
        layer, buffers.spare.bytes.span.extracting(range), isStart: fragment.isStart, on: index)
    procedures.release()
    all[index].isBlocked = !isAccepted
    return isAccepted
  }

  /// Queues a payload. Returns `false` if it was refused.
  private static func queue(
    _ layer: UnsafeMutablePointer<LinkLayer<Peripheral, connections>>, _ payload: Span<UInt8>, isStart: Bool,
    on connection: Int
  ) -> Bool {
    do throws(RadioError) {
      try layer.pointee.send(payload, isStart: isStart, on: connection)
      return true
    } catch {
      return false
    }
  }

  /// Starts a connection update to the timing that the peer requested. Returns whether it is to be repeated,
  /// because another update is in progress. An update that is not possible is omitted.
  private mutating func postponesUpdate(_ connection: Int, to timing: ConnectionTiming) -> Bool {
    do throws(RadioError) {
      try layer.pointee.update(
        connection, interval: timing.intervalMax, latency: timing.latency, timeout: timing.timeout)
      return false
    } catch {
      return error == .busy
    }
  }

  /// Passes the response on a control channel to the link layer; see `give`.
  private mutating func giveControl(_ index: Int) -> Bool {
    var packet: [17 of UInt8] = .init(repeating: 0)
    let count = Int(all[index].l2cap.control.write(into: &packet))
    let start = L2CAPConnection.packetHeaderSize
    procedures.hold()
    let isAccepted = Self.queue(
      layer, packet.span.extracting(start..<(start &+ count)), isStart: true, on: index)
    procedures.release()
    all[index].isBlocked = !isAccepted
    return isAccepted
  }

  /// Does what is pending on the connections.
  mutating func runPending<Handler: RadioEventHandler & ~Copyable>(_ handler: inout Handler, at now: Instant)
  {
    var index = 0
    while index < connections {
      if all[index].life == .open { runPending(index, &handler, at: now) }
      index &+= 1
    }
  }

  private mutating func runPending<Handler: RadioEventHandler & ~Copyable>(
    _ index: Int, _ handler: inout Handler, at now: Instant
  ) {
    transmit(index)
    // The response that accepts the new timing is sent first.
    if all[index].l2cap.wantsUpdate, !all[index].l2cap.control.isOwed {
      let timing = all[index].l2cap.timing
      procedures.hold()
      all[index].l2cap.wantsUpdate = postponesUpdate(index, to: timing)
      procedures.release()
    }
    if all[index].wantsRSSI {
      all[index].wantsRSSI = false
      procedures.hold()
      let rssi = layer.pointee.rssi(index)
      procedures.release()
      handler.measured(RSSI(rssi), on: ConnectionID(index: index), at: now)
    }
    if all[index].life == .open, all[index].l2cap.wantsReady, slotToSend(index) >= 0 {
      all[index].l2cap.wantsReady = false
      handler.readyToSend(on: ConnectionID(index: index), at: now)
    }
  }
}

extension AdvertisingHeader {
  /// The properties of the PDU in an advertising report.
  var reportKind: AdvertisingReport.Kind {
    switch kind {
    case .connectable: .legacy.union(.connectable).union(.scannable)
    case .directed: .legacy.union(.connectable).union(.directed)
    case .scannable: .legacy.union(.scannable)
    case .scanResponse: .legacy.union(.scanResponse).union(.scannable)
    case .nonConnectable, .scanRequest, .connect: .legacy
    }
  }
}
