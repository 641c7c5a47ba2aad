import HeraldBluetooth
import HeraldHAL

// The events of the radio.

extension HeraldCore: RadioEventHandler {
  /// One advertisement or scan response was received. Its RSSI is logged under the peer's identity if the
  /// peer is or may be a Herald peer (HP-26).
  public mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
    context.now = now
    context.sink.count(.adverts)
    let seen = context.configuration.introspection.classify(report, data)
    let sighting = serving.values.services.sighting(in: data)
    let slot: Int
    if let known = peers.table.find(seen.identity) {
      slot = known
      peers.table.touch(slot, at: context.now)
    } else {
      guard seen.peer != .ignored || sighting.isSomething, report.address != presence.address,
        let new = peers.meet(seen, report.address, key: presence.key, &context)
      else { return }
      slot = new
    }
    if !peers.table[slot].isAt(report.address) {
      guard report.address != presence.address else { return }  // own address
      peers.move(slot, to: report.address, &context)
    }
    guard peers.acquaint(slot, seen, report, &context) || sighting.isSomething else { return }
    if let txPower = seen.txPower { peers.note(txPower: txPower, of: slot, seen.identity, &context) }
    if Parts.ServicesType.count > 0 { serving.observe(slot, sighting, in: data, &peers, &context) }
    peers.measure(slot, seen.identity, report.rssi, &context)
  }

  /// The state of the radio changed. When it is no longer ready, all connections are closed, and the commands
  /// are repeated later.
  public mutating func radioChanged(_ state: RadioState, at now: Instant) {
    context.now = now
    context.hasNews = true
    tell(power.radioChanged(state))
    presence.radioForgot()
    scanning.radioForgot(at: now)
    peers.radioForgot(&context)
    exchanges.radioForgot(&serving, &peers, &context)
  }

  /// A connection was opened.
  public mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {
    context.now = now
    context.hasNews = true
    let index = opened.connection.index
    let isOurs = opened.role == .central && peers.attemptSucceeded(&context)
    guard index >= 0, index < connections else {
      // More connections than the capacity: `run` closes them, as long as the radio has them.
      context.sink.count(.connectionsRefused)
      exchanges.surplus.opened(index, at: now)
      if isOurs { peers.postpone(Int(peers.attempt.slot), .connectionsRefused, &context) }
      return
    }
    exchanges.opened(opened, isOurs: isOurs, &serving, &peers, &context)
  }

  /// The attempt to connect ended without a connection.
  public mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {
    context.now = now
    guard peers.attempt.isActive else { return }
    context.hasNews = true
    peers.attemptFailed(isAtWork: exchanges.table.isAtWork(with: peers.attempt.slot), &context)
  }

  /// A connection ended.
  public mutating func connectionClosed(
    _ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant
  ) {
    context.now = now
    context.hasNews = true
    let index = connection.index
    guard index >= 0, index < connections else {
      exchanges.surplus.closed(index)
      return
    }
    exchanges.closed(index, reason, &serving, &peers, &context)
    peers.lookForWork(&context)
  }

  /// A PDU was received: a response to a request of this device, or a request of the peer, whose response
  /// replaces it in the buffer.
  @inline(never)
  public mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    context.now = now
    let index = connection.index
    guard index >= 0, index < connections, count > 0, count <= buffer.count,
      exchanges.table[index].step != .closed
    else { return 0 }
    guard ATTOpcode(rawValue: buffer[0]).isForClient else {
      let isHerald = Self.isSearch(buffer.span.extracting(0..<count))
      let length = serving.respond(
        to: &buffer, count: count, index, &exchanges.table[index], &peers, &context)
      if isHerald { readUnreceived(index) }
      return length
    }
    context.hasNews = true
    guard
      case .indication = exchanges.take(buffer.span.extracting(0..<count), index, &serving, &peers, &context)
    else { return 0 }
    buffer[0] = GATTClient.confirmation
    return 1
  }

  /// A connection accepts PDUs again: `run` sends.
  public mutating func readyToSend(on connection: ConnectionID, at now: Instant) { context.hasNews = true }

  /// An RSSI was read on a connection: it counts like that of an advertisement.
  public mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {
    context.now = now
    let index = connection.index
    guard index >= 0, index < connections, let slot = exchanges.table[index].measured(at: now) else {
      return
    }
    peers.table.touch(slot, at: context.now)
    peers.measure(slot, peers.table[slot].identity, rssi, &context)
  }
}
