import HeraldBluetooth
import HeraldHAL

// How additional services use the GATT table and advertisements. A device without them calls none of this.

extension Serving {
  /// An advertisement shows a code, or that there is one to be read. A code is logged when it differs from
  /// the peer's last.
  mutating func observe(
    _ slot: Int, _ sighting: ServiceSighting, in data: Span<UInt8>, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    let start = Int(sighting.start)
    let end = start &+ Int(sighting.length)
    if start > 0, end <= data.count {
      let code = data.extracting(start..<end)
      if peers.table[slot].isNew(code: code) { take(code, of: sighting.service, slot, &peers, &context) }
    }
    if sighting.hasHiddenCode { peers.owe(slot, &context) }
  }

  /// Logs a code that a peer advertises, unless the peer, or all of them, have shown too many; it is then
  /// processed when it is received again.
  mutating func take(
    _ code: Span<UInt8>, of service: ServiceNumber, _ slot: Int, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    guard peers.table[slot].mayShowCode(at: context.now), values.mayHear(at: context.now) else {
      context.sink.count(.signalsDropped)
      return
    }
    values.receivedBudget.spend(UInt32(truncatingIfNeeded: 10 &+ code.count))
    peers.keepAdvertised(code, of: service, slot, &context)
  }

  /// The effects of a request: a code of ours that is served to the peer is logged before it is sent; a
  /// code that the peer wrote is logged as the peer's, with the RSSI.
  mutating func noteServiceEvents(
    _ index: Int, _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) {
    while true {
      let event = values.services.takeEvent(random: &context.random)
      switch event.kind {
      case .nothing: return
      case .served:
        values.spendServed(6 &+ Int(event.length), index)
        recordOwn(event.service, event.code.span.extracting(0..<Int(event.length)), &context)
      case .observed:
        if let slot = mayWrite(index, Int(event.length), &exchange, &peers, &context) {
          peers.keepCode(slot, event.service, event.code.span.extracting(0..<Int(event.length)), &context)
          if event.rssi.isAvailable { noteWritten(event.rssi, by: slot, index, &peers, &context) }
        }
      }
    }
  }

  /// The slot of a peer that wrote a code of this many bytes, if the code may be logged. This and the next
  /// function have frames of their own: together with their callees one frame would be too large.
  @inline(never)
  mutating func mayWrite(
    _ index: Int, _ length: Int, _ exchange: inout Exchange, _ peers: inout PeersType,
    _ context: inout Context
  ) -> Int? {
    guard values.mayAct(index) else {
      context.sink.count(.signalsDropped)
      return nil
    }
    guard let slot = writer(index, &exchange, &peers, &context) else { return nil }
    values.spend(8 &+ length, index)
    return slot
  }

  @inline(never)
  mutating func noteWritten(
    _ rssi: RSSI, by slot: Int, _ index: Int, _ peers: inout PeersType, _ context: inout Context
  ) {
    measure(writer: slot, rssi, index, &peers, &context)
  }

  @inline(never)
  mutating func recordOwn(_ service: ServiceNumber, _ code: Span<UInt8>, _ context: inout Context) {
    context.sink.record(.ownBytes, service: service, bytes: code)
  }

  /// Whether codes are observed that are readable over a connection only.
  var searchesCodes: Bool { mutating get { values.services.search(0) != nil } }

  /// These connections, a bit each, were opened under a former address from now on, and no longer show the
  /// additional services: if there are such services, that is a change of their table.
  mutating func noteFormer(_ open: UInt32) {
    let parted = open & ~values.former
    values.former |= open
    guard Parts.ServicesType.Table.changes,
      tableSource.database(
        over: Self.constantTable(isManaged: values.management.isOpen), isFormer: false
      ).attributes.count
        >= Int(tableSource.firstChanging)
    else { return }
    tableSource.unindicated |= parted
  }

  /// Indicates Service Changed to every peer that has subscribed to it and has not received one for the
  /// present table. A connection that takes no PDU now, or whose peer has not confirmed the last indication,
  /// is served when it does. Returns the connections that are to be closed instead, a bit each: those that
  /// are kept.
  @inline(never)
  mutating func indicateChange<R: Radio & ~Copyable>(
    _ radio: inout R, _ table: inout ConnectionTable<connections>, _ context: inout Context
  ) -> UInt32 {
    guard tableSource.unindicated != 0 else { return 0 }
    var kept: UInt32 = 0
    var left: UInt32 = 0
    var index = 0
    while index < connections, index < 32 {
      let bit: UInt32 = 1 &<< UInt32(truncatingIfNeeded: index)
      if tableSource.unindicated & bit != 0, !indicateChange(index, &kept, &radio, &table, &context) {
        left |= bit
      }
      index &+= 1
    }
    tableSource.unindicated = left
    return kept
  }

  /// Indicates it on one connection, if its peer has subscribed: all handles from the first that may change
  /// on are affected. `false` if that is to be repeated. A connection on which it is not confirmed within 30
  /// s is closed (Vol 3, Part F, 3.3.3).
  mutating func indicateChange<R: Radio & ~Copyable>(
    _ index: Int, _ kept: inout UInt32, _ radio: inout R, _ table: inout ConnectionTable<connections>,
    _ context: inout Context
  ) -> Bool {
    let connection = ConnectionID(index: index)
    let slot = Int(Parts.ServicesType.Table.serviceChangedSlot)
    guard table[index].step != .closed, table[index].step != .closing, tableSource.serviceChanged != 0,
      server.configuration(slot: slot, on: connection) == .indications
    else { return true }
    guard table[index].step != .keeping else {
      // The deadline of a connection that is kept is its next RSSI reading: it cannot be the deadline of a
      // transaction as well.
      kept |= 1 &<< UInt32(truncatingIfNeeded: index)
      return true
    }
    var value: [4 of UInt8] = .init(repeating: 0xFF)
    value[0] = UInt8(truncatingIfNeeded: tableSource.firstChanging)
    value[1] = UInt8(truncatingIfNeeded: tableSource.firstChanging &>> 8)
    var pdu: [7 of UInt8] = .init(repeating: 0)
    var buffer = pdu.mutableSpan
    let length = server.indication(
      of: value.span, handle: tableSource.serviceChanged, slot: slot, on: connection, into: &buffer)
    guard length > 0 else { return false }
    do throws(RadioError) {
      try radio.send(pdu.span.extracting(0..<length), on: connection)
    } catch {
      server.notIndicated(connection)
      return error != .busy
    }
    table[index].end = context.earlier(table[index].end, context.after(ATTLimits.transactionTimeout))
    return true
  }

  /// An indication may have been confirmed: a peer's connection then has its normal duration again, and the
  /// next change can be indicated.
  mutating func noteConfirmation(_ index: Int, _ exchange: inout Exchange, _ context: inout Context) {
    guard !server.isIndicating(ConnectionID(index: index)) else { return }
    if exchange.isPeers, exchange.step != .closing {
      exchange.end = exchange.openedAt + context.configuration.servingLife
    }
    context.hasNews = true
  }
}
