import HeraldBluetooth
import HeraldHAL

/// The exchanges, one for each connection: the requests to peers, step by step (`ExchangeStep`), and how
/// connections begin and end.
public struct Exchanges<Parts: DeviceParts, let targets: Int, let connections: Int, let payloads: Int>:
  ~Copyable
{
  /// The state that the machines share.
  public typealias Context = CoreContext<Parts>
  /// The peers.
  public typealias PeersType = Peers<Parts, targets>
  /// The GATT server.
  public typealias ServingType = Serving<Parts, targets, connections, payloads>

  var table: ConnectionTable<connections>
  /// Connections whose numbers exceed the capacity.
  var surplus: SurplusConnections

  /// No connection is open.
  init() {
    table = ConnectionTable()
    surplus = SurplusConnections()
  }
}

extension Exchanges {
  // MARK: Beginning and ending

  /// A peer opened a connection. If its payload is wanted, it is read over the same connection: one
  /// connection is enough for both, and in a crowd the number of connections matters (HP-21). This is for
  /// devices like this one. With phones, which advertise a transmit power or a pseudo device address, this
  /// device opens a connection of its own, as their applications expect.
  mutating func readBack(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    guard context.configuration.scans, let slot = peers.holdToReadBack(table[index].peer, &context) else {
      return
    }
    beginExchange(with: UInt16(truncatingIfNeeded: slot), index, &serving, &peers, &context)
  }

  /// Begins the tasks of a peer, whose slot is held, on a connection.
  @inline(never)
  mutating func beginExchange(
    with slot: UInt16, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    table[index].slot = slot
    table[index].holdsTarget = true
    enter(
      serving.server.maximumMTU > ATTLimits.defaultMTU ? .exchangeMTU : .findShortService, index, &serving,
      &peers, &context)
  }

  /// The connection is gone.
  @inline(never)
  mutating func forget(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    guard table[index].step != .closed else { return }
    serving.values.endSignals(index)
    letGo(index, &serving, &peers, &context)
    serving.server.closed(ConnectionID(index: index))
    serving.values.services.closed(ConnectionID(index: index))
    serving.values.management.closed(ConnectionID(index: index))
    table[index] = Exchange()
  }

  /// Closes several connections, a bit each.
  mutating func close(
    all: UInt32, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    var index = 0
    while index < connections, index < 32 {
      if all & 1 &<< UInt32(truncatingIfNeeded: index) != 0, table[index].step != .closed,
        table[index].step != .closing
      {
        close(index, &serving, &peers, &context)
      }
      index &+= 1
    }
  }

  /// Releases the buffer and the target of an exchange.
  @inline(never)
  mutating func letGo(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    if table[index].holdsTarget {
      table[index].holdsTarget = false
      peers.releaseHold(Int(table[index].slot), &context)
    }
    table[index].buffer = 0
    table[index].client = GATTClient()
    serving.values.pool.release(ConnectionID(index: index))
  }

  /// Closes the connection: `run` repeats the command to the radio until it is closed (HP-02).
  @inline(never)
  mutating func close(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    letGo(index, &serving, &peers, &context)
    serving.values.management.closed(ConnectionID(index: index))
    table[index].step = .closing
    table[index].end = context.now
  }

  /// This device's exchange on a connection has ended: closes the connection, unless the peer opened it or is
  /// using it.
  mutating func leave(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    guard table[index].isPeers || table[index].lastAsked > table[index].openedAt else {
      close(index, &serving, &peers, &context)
      return
    }
    // Releases only what this device claimed: the peer may be in the middle of a message.
    table[index].freeBuffer(in: &serving.values.pool)
    if table[index].holdsTarget {
      table[index].holdsTarget = false
      peers.releaseHold(Int(table[index].slot), &context)
    }
    table[index].client = GATTClient()
    table[index].step = .serving
    table[index].task = .nothing
  }

  /// All present tasks for the peer have ended: schedules the next, and closes the connection (HP-22), or
  /// keeps it if the configuration says so and the peer's system may withhold its advertisements (HP-23).
  mutating func finish(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    let slot = Int(table[index].slot)
    peers.exchangeSucceeded(slot, &context)
    if context.configuration.keepsConnections, !table[index].isPeers, table[index].system == .iOS,
      peers.table[slot].state == .read
    {
      table[index].freeBuffer(in: &serving.values.pool)
      table[index].step = .keeping
      table[index].task = .nothing
      table[index].isSpent = false
      table[index].lastAsked = context.now
      table[index].end = context.now
      return
    }
    leave(index, &serving, &peers, &context)
  }

  /// The peer has no Herald service.
  mutating func ignore(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    peers.ignore(Int(table[index].slot), &context)
    leave(index, &serving, &peers, &context)
  }

  /// No buffer is free for the peer's payload, or for the message to it: this is not counted as a failure,
  /// and the exchange is repeated soon.
  mutating func deferExchange(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    context.sink.count(.exchangesWithoutBuffer)
    peers.comeBack(to: Int(table[index].slot), in: .seconds(1), &context)
    leave(index, &serving, &peers, &context)
  }

  /// The exchange failed: counts the cause, starts the back-off, which grows with each failure, and closes
  /// the connection if this device opened it.
  mutating func fail(
    _ index: Int, _ cause: HeraldCounter, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    table[index].step = .failed
    if table[index].holdsTarget {
      table[index].holdsTarget = false
      peers.postpone(Int(table[index].slot), cause, &context)
    } else {
      context.sink.count(cause)
    }
    if table[index].isPeers {
      leave(index, &serving, &peers, &context)
    } else {
      close(index, &serving, &peers, &context)
    }
  }

  // MARK: The connection budget (HP-25)

  /// Closes a connection for a new peer, unless one is being closed already.
  mutating func giveUpConnection(
    forMessage: Bool, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    var index = 0
    while index < connections {
      if table[index].step == .closing { return }
      index &+= 1
    }
    guard let index = table.connectionToGiveUp(forMessage: forMessage, &peers, &context) else { return }
    context.sink.count(.connectionsGivenUp)
    if table[index].step.isWorking {
      // The peer did not have its full time: this is not counted as a failure.
      peers.leaveAlone(Int(table[index].slot), for: context.configuration.firstRetry, &context)
    }
    close(index, &serving, &peers, &context)
    context.hasNews = true
  }

  /// Connections that were opened under the former address: the new payload and new codes must not be visible
  /// on them, as that would link the two addresses. Those that are kept are closed; on the others a new read
  /// is refused, and the additional services are removed.
  mutating func retireFormerAddress(
    _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    var open: UInt32 = 0
    var index = 0
    while index < connections {
      if table[index].step == .keeping { close(index, &serving, &peers, &context) }
      if table[index].step != .closed, index < 32 {
        open |= 1 &<< UInt32(truncatingIfNeeded: index)
      }
      index &+= 1
    }
    serving.noteFormer(open)
  }

  // MARK: Radio events

  /// A connection was opened, by this device if `isOurs`.
  mutating func opened(
    _ opened: ConnectionOpened, isOurs: Bool, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    let index = opened.connection.index
    forget(index, &serving, &peers, &context)  // in case an event was lost
    serving.opened(opened, &table[index], &peers, &context)
    context.sink.delegate.tell(
      .debug, "a connection was opened: its number, 1 if by us", Int32(truncatingIfNeeded: index),
      isOurs ? 1 : 0, at: context.now)
    switch opened.role {
    case .peripheral:
      context.sink.count(.connectionsIn)
      table[index].step = .serving
      table[index].isPeers = true
      table[index].end = context.after(context.configuration.servingLife)
      peers.noteConnection(from: opened.peer, &context)
      readBack(index, &serving, &peers, &context)
    case .central:
      context.sink.count(isOurs ? .connectionsOut : .connectionsRefused)
      table[index].end = context.after(context.configuration.exchangeLife)
      guard isOurs, !table.isAtWork(with: peers.attempt.slot) else {
        close(index, &serving, &peers, &context)
        return
      }
      beginExchange(with: peers.attempt.slot, index, &serving, &peers, &context)
    }
  }

  /// A connection ended.
  mutating func closed(
    _ index: Int, _ reason: DisconnectReason, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    if table[index].step.isWorking {
      let slot = Int(table[index].slot)
      if table[index].isPeers {
        // The peer closed its own connection before this device had finished: this is not counted as a
        // failure.
        context.sink.count(.exchangesDropped)
        peers.leaveAlone(slot, for: .zero, andUpTo: 1023, &context)
      } else {
        fail(index, .exchangesDropped, &serving, &peers, &context)
        // The peer did not process the request, as happens when several peers send requests at the same
        // moment.
        if reason == .failedToBeEstablished { peers.askAgainSoon(slot, &context) }
      }
    }
    context.sink.delegate.tell(
      .debug, "a connection ended: its number", Int32(truncatingIfNeeded: index), at: context.now)
    forget(index, &serving, &peers, &context)
  }

  /// The radio was reset: every connection is gone.
  mutating func radioForgot(
    _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    surplus = SurplusConnections()
    var index = 0
    while index < connections {
      forget(index, &serving, &peers, &context)
      index &+= 1
    }
  }
}
