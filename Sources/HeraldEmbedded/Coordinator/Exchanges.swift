import HeraldBluetooth
import HeraldHAL

/// The exchanges, one for each connection: what we ask of peers, step by step (`ExchangeStep`), and how
/// connections begin and end.
public struct Exchanges<Parts: DeviceParts, let targets: Int, let connections: Int, let payloads: Int>:
  ~Copyable
{
  /// What is shared by the machines.
  public typealias Context = CoreContext<Parts>
  /// The peers.
  public typealias PeersType = Peers<Parts, targets>
  /// What we serve.
  public typealias ServingType = Serving<Parts, targets, connections, payloads>

  @usableFromInline var table: ConnectionTable<connections>
  /// Connections with numbers beyond our places.
  @usableFromInline var surplus: SurplusConnections

  /// No connection is open.
  @inlinable
  init() {
    table = ConnectionTable()
    surplus = SurplusConnections()
  }
}

extension Exchanges {
  // MARK: Beginning and ending

  /// A peer opened a connection. If it is one whose payload we want, we read it over the same connection: one
  /// is enough for both, and in a crowd every connection less counts (HP-21). This is for devices like this
  /// one: phones, which show how strongly they send or a pseudo device address, are met on connections of
  /// ours, as their applications expect.
  @inlinable
  mutating func readBack(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    guard context.configuration.scans, let place = peers.holdToReadBack(table[index].peer, &context) else {
      return
    }
    beginExchange(with: UInt16(truncatingIfNeeded: place), index, &serving, &peers, &context)
  }

  /// Begins to do on a connection what a peer, whose place is held, is owed.
  @inlinable @inline(never)
  mutating func beginExchange(
    with place: UInt16, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    table[index].place = place
    table[index].holdsTarget = true
    enter(
      serving.server.maximumMTU > ATTLimits.defaultMTU ? .exchangeMTU : .findShortService, index, &serving,
      &peers, &context)
  }

  /// The connection is gone.
  @inlinable @inline(never)
  mutating func forget(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    guard table[index].step != .closed else { return }
    serving.values.endSignals(index)
    letGo(index, &serving, &peers, &context)
    serving.server.closed(ConnectionID(index: index))
    serving.values.neighbours.closed(ConnectionID(index: index))
    table[index] = Exchange()
  }

  /// Has several connections closed, a bit each.
  @inlinable
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

  /// Lets go of what an exchange holds.
  @inlinable @inline(never)
  mutating func letGo(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    if table[index].holdsTarget {
      table[index].holdsTarget = false
      peers.releaseHold(Int(table[index].place), &context)
    }
    table[index].buffer = 0
    table[index].client = GATTClient()
    serving.values.pool.release(ConnectionID(index: index))
  }

  /// Has the connection closed: `run` asks the radio, again and again until it is (HP-02).
  @inlinable @inline(never)
  mutating func close(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    letGo(index, &serving, &peers, &context)
    table[index].step = .closing
    table[index].end = context.now
  }

  /// Our work on a connection is done: closes it, unless the peer opened it or is at work on it itself.
  @inlinable
  mutating func leave(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    guard table[index].isPeers || table[index].lastAsked > table[index].openedAt else {
      close(index, &serving, &peers, &context)
      return
    }
    // Not more than what is ours: the peer may be in the middle of a message.
    table[index].freeBuffer(in: &serving.values.pool)
    if table[index].holdsTarget {
      table[index].holdsTarget = false
      peers.releaseHold(Int(table[index].place), &context)
    }
    table[index].client = GATTClient()
    table[index].step = .serving
    table[index].task = .nothing
  }

  /// All that the peer is owed at present was done: says when there is more, and closes the connection
  /// (HP-22), or keeps it if that was chosen and the peer is of a system that may withhold its advertisements
  /// (HP-23).
  @inlinable
  mutating func finish(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    let place = Int(table[index].place)
    peers.exchangeSucceeded(place, &context)
    if context.configuration.keepsConnections, !table[index].isPeers, table[index].system == .iOS,
      peers.table[place].state == .read
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
  @inlinable
  mutating func ignore(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    peers.ignore(Int(table[index].place), &context)
    leave(index, &serving, &peers, &context)
  }

  /// We have no buffer for the peer's payload, or for what it is to be told: nothing is held against it, and
  /// it is tried again soon.
  @inlinable
  mutating func deferExchange(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    context.sink.count(.exchangesWithoutBuffer)
    peers.comeBack(to: Int(table[index].place), in: .seconds(1), &context)
    leave(index, &serving, &peers, &context)
  }

  /// The exchange failed: counts why, leaves the peer alone for a while, longer each time, and closes the
  /// connection if it is ours.
  @inlinable
  mutating func fail(
    _ index: Int, _ cause: HeraldCounter, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    table[index].step = .failed
    if table[index].holdsTarget {
      table[index].holdsTarget = false
      peers.postpone(Int(table[index].place), cause, &context)
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

  /// Gives a connection up for a new peer, unless one is being closed already.
  @inlinable
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
      // The peer did not have the time it is entitled to: nothing is held against it.
      peers.leaveAlone(Int(table[index].place), for: context.configuration.firstRetry, &context)
    }
    close(index, &serving, &peers, &context)
    context.hasNews = true
  }

  /// Connections that were opened under the former address: the new payload and new codes must not be seen on
  /// them, as they would tie the two addresses together. Those that are kept are closed; on the others a new
  /// reading is refused, and the services of other systems are gone.
  @inlinable
  mutating func partWithFormerAddress(
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

  // MARK: What the radio says

  /// A connection was opened, by us if `isOurs`.
  @inlinable
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
      peers.called(by: opened.peer, &context)
      readBack(index, &serving, &peers, &context)
    case .central:
      context.sink.count(isOurs ? .connectionsOut : .connectionsRefused)
      table[index].end = context.after(context.configuration.exchangeLife)
      guard isOurs, !table.isAtWork(with: peers.attempt.place) else {
        close(index, &serving, &peers, &context)
        return
      }
      beginExchange(with: peers.attempt.place, index, &serving, &peers, &context)
    }
  }

  /// A connection ended.
  @inlinable
  mutating func closed(
    _ index: Int, _ reason: DisconnectReason, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    if table[index].step.isWorking {
      let place = Int(table[index].place)
      if table[index].isPeers {
        // The peer was done with its own connection before we were: nothing is held against it.
        context.sink.count(.exchangesDropped)
        peers.leaveAlone(place, for: .zero, andUpTo: 1023, &context)
      } else {
        fail(index, .exchangesDropped, &serving, &peers, &context)
        // It did not understand our request, as happens when several ask at the same moment.
        if reason == .failedToBeEstablished { peers.askAgainSoon(place, &context) }
      }
    }
    context.sink.delegate.tell(
      .debug, "a connection ended: its number", Int32(truncatingIfNeeded: index), at: context.now)
    forget(index, &serving, &peers, &context)
  }

  /// The radio was reset: every connection is gone.
  @inlinable
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
