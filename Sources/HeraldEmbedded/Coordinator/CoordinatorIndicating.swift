// Telling peers that asked for it that the GATT table has changed (Core Specification, Vol 3, Part G, 7.1).

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Connections that no longer show the services of other systems, a bit each: if there are such services,
  /// that is a change of the table.
  @inlinable
  mutating func noteServicesGone(on parted: UInt32) {
    guard services.database.attributes.count >= Int(services.firstChanging) else { return }
    services.unindicated |= parted
  }

  /// Indicates Service Changed to every peer that asked for that and was not told of the present table. A
  /// connection that takes no PDU now, or whose peer has not confirmed the last indication, has its turn when
  /// it does.
  @inlinable @inline(never)
  mutating func indicateChange<R: Radio & ~Copyable>(_ radio: inout R) {
    guard services.unindicated != 0 else { return }
    var left: UInt32 = 0
    var index = 0
    while index < connections, index < 32 {
      let bit: UInt32 = 1 &<< UInt32(truncatingIfNeeded: index)
      if services.unindicated & bit != 0, !indicateChange(index, &radio) { left |= bit }
      index &+= 1
    }
    services.unindicated = left
  }

  /// Indicates it on one connection, if its peer asked for that: all handles from the first that may change
  /// on are affected. `false` if that is to be tried again. A connection on which it is not confirmed within
  /// 30 s is closed (Vol 3, Part F, 3.3.3).
  @inlinable
  mutating func indicateChange<R: Radio & ~Copyable>(_ index: Int, _ radio: inout R) -> Bool {
    let connection = ConnectionID(index: index)
    let slot = Int(NeighbourType.Services.serviceChangedSlot)
    guard links[index].step != .closed, links[index].step != .closing, services.serviceChanged != 0,
      server.configuration(slot: slot, on: connection) == .indications
    else { return true }
    guard links[index].step != .keeping else {
      // The end of a connection that is kept is when to measure next: it cannot be the end of a transaction
      // as well.
      close(index)
      context.wake(by: context.now)
      return true
    }
    var value: [4 of UInt8] = .init(repeating: 0xFF)
    value[0] = UInt8(truncatingIfNeeded: services.firstChanging)
    value[1] = UInt8(truncatingIfNeeded: services.firstChanging &>> 8)
    var pdu: [7 of UInt8] = .init(repeating: 0)
    var buffer = pdu.mutableSpan
    let length = server.indication(
      of: value.span, handle: services.serviceChanged, slot: slot, on: connection, into: &buffer)
    guard length > 0 else { return false }
    do throws(RadioError) {
      try radio.send(pdu.span.extracting(0..<length), on: connection)
    } catch {
      server.notIndicated(connection)
      return error != .busy
    }
    links[index].end = context.earlier(links[index].end, context.after(ATTLimits.transactionTimeout))
    return true
  }

  /// An indication may have been confirmed: then a peer's connection lives as long as any other again, and
  /// the next change can be indicated.
  @inlinable
  mutating func noteConfirmation(_ index: Int) {
    guard !server.isIndicating(ConnectionID(index: index)) else { return }
    if links[index].isPeers, links[index].step != .closing {
      links[index].end = links[index].openedAt + context.configuration.servingLife
    }
    context.hasNews = true
  }
}
