import HeraldBluetooth
import HeraldHAL

/// The GATT server: the table, its values, and what peers write.
public struct Serving<Parts: DeviceParts, let targets: Int, let connections: Int, let payloads: Int>:
  ~Copyable
{
  /// The state that the machines share.
  public typealias Context = CoreContext<Parts>
  /// The peers.
  public typealias PeersType = Peers<Parts, targets>

  var server: ATTServer<Parts.TableType, connections, 1>
  /// The GATT table.
  var tableSource: Parts.ServicesType.Table
  /// Connections on which a new payload is to be notified if their peers have subscribed, a bit each.
  var unnotified: UInt32
  // Last, because of its large buffers: the members before it keep small offsets.

  /// The values of the table, the supplier of payloads included.
  public var values: ServedValues<Parts, connections, payloads>

  /// No connection is open.
  @inline(__always)
  init(supplier: () -> Parts.SupplierType) {
    server = ATTServer()
    tableSource = Parts.ServicesType.Table()
    unnotified = 0
    values = ServedValues(supplier: supplier)
  }
}

extension Serving {
  /// A connection was opened: the state of a former connection with its number is discarded.
  mutating func opened(
    _ opened: ConnectionOpened, _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) {
    let index = opened.connection.index
    exchange.opened(by: opened.peer, at: context.now)
    if index < 32 { values.former &= ~(1 &<< UInt32(truncatingIfNeeded: index)) }
    server.opened(opened.connection)
    openAccount(index, &exchange, &peers, &context)
  }

  /// Responds to a request of the peer in its buffer. Returns the length of the response, 0 for none.
  mutating func respond(
    to buffer: inout MutableSpan<UInt8>, count: Int, _ index: Int, _ exchange: inout Exchange,
    _ peers: inout PeersType, _ context: inout Context
  ) -> Int {
    let connection = ConnectionID(index: index)
    exchange.lastAsked = context.now
    values.askedAt = context.now
    let isIndicating = Parts.ServicesType.Table.changes && server.isIndicating(connection)
    let isFormer = Parts.ServicesType.Table.changes && values.isFormer(connection)
    let table = Self.constantTable(isManaged: values.management.isOpen)
    let length = server.respond(
      to: &buffer, count: count, on: connection, at: context.now,
      from: tableSource.database(over: table, isFormer: isFormer), values: &values)
    if isIndicating { noteConfirmation(index, &exchange, &context) }
    takeSignal(index, &exchange, &peers, &context)
    if Parts.ServicesType.count > 0 { noteServiceEvents(index, &exchange, &peers, &context) }
    return length
  }

  /// The longest PDU that the radio sends.
  mutating func radioIsReady(maximumPDU: Int) { server.maximumMTU = maximumPDU }

  /// Our payload has changed: peers that have subscribed are to be notified.
  mutating func payloadChanged() { unnotified = .max }

  /// The additional services have changed: Service Changed is to be indicated on connections that show
  /// them.
  mutating func servicesChanged() {
    if Parts.ServicesType.Table.changes { tableSource.unindicated |= ~values.former }
  }

  // MARK: What peers write

  /// A connection was opened: what is written on it is charged to its peer's address.
  mutating func openAccount(
    _ index: Int, _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) {
    let peer = exchange.peer
    values.incoming[index].account = account(of: peer, &peers)
    values.incoming[index].remainder = 15  // a connection costs a unit at least
    if let known = peers.table.find(address: peer, at: context.now) {
      values.incoming[index].isRead = peers.table[known].state == .read && peers.table[known].isConnectable
    }
  }

  /// The account of an address among `SignalAccounts`, which is unpredictable from outside.
  mutating func account(of peer: DeviceAddress, _ peers: inout PeersType) -> UInt8 {
    UInt8(truncatingIfNeeded: ((peer.low ^ UInt32(peer.high) ^ peers.table.seed) &* 0x9E37_79B1) &>> 27)
  }

  /// How long the peer of a connection that it opened may send no request.
  mutating func longestIdle(_ index: Int, _ exchange: inout Exchange, _ context: inout Context) -> Interval {
    guard exchange.isPeers else { return Self.lingering }
    let idle = context.configuration.servingIdle
    return idle > Self.preparingIdle && server.isPreparing(ConnectionID(index: index))
      ? Self.preparingIdle : idle
  }

  /// How long a connection may be idle on which a peer has begun a prepared write, which others wait for.
  static var preparingIdle: Interval { .seconds(10) }

  /// How long a connection of this device stays open for a peer that sends requests on it, after the last
  /// request: two requests at the usual interval, and a margin.
  static var lingering: Interval { .milliseconds(200) }

  /// Processes the message that was received on a connection, if there is one.
  @inline(never)
  mutating func takeSignal(
    _ index: Int, _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) {
    guard let kind = SignalMessage.Kind(rawValue: values.incoming[index].complete) else { return }
    context.hasNews = true
    context.sink.counters.count(kind)
    if !values.mayAct(index) {
      context.sink.count(.signalsDropped)
    } else if let slot = writer(index, &exchange, &peers, &context) {
      act(upon: kind, from: slot, index, &exchange, &peers, &context)
    }
    values.endMessage(index)
  }

  mutating func act(
    upon kind: SignalMessage.Kind, from slot: Int, _ index: Int, _ exchange: inout Exchange,
    _ peers: inout PeersType, _ context: inout Context
  ) {
    if kind == .rssi {
      guard let rssi = RSSI(signal: values.incoming[index].rssi) else {
        values.malformed &+= 1
        return
      }
      measure(writer: slot, rssi, index, &peers, &context)
      return
    }
    guard let buffer = values.pool.find(ConnectionID(index: index), .receiving) else { return }
    switch kind {
    case .rssi: break
    case .payload: takePayload(from: slot, in: buffer, index, &exchange, &peers, &context)
    case .payloadSharing: takeShared(from: slot, in: buffer, index, &peers, &context)
    case .immediate:
      let identity = peers.table[slot].identity
      let all = values.pool.buffers[buffer].all
      values.spendBytes(all.count, index)
      context.sink.record(
        .targetBytes, of: identity, extra: LogRecordFields.message, all, in: &values.pool.buffers[buffer])
      values.pool.buffers[buffer].reportMessage(to: &context.sink.delegate, identity, at: context.now)
    }
  }

  /// The target that writes on a connection: the one the connection is to, or the one last received under the
  /// peer's address, or a new one. A write counts as being received. `nil` if there is no slot for it.
  mutating func writer(
    _ index: Int, _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  )
    -> Int?
  {
    let address = exchange.peer
    let identity = TargetIdentity(address)
    // A target that was detected with this address keeps it as identity after changing its address.
    let known =
      exchange.holdsTarget
      ? Int(exchange.slot)
      : peers.table.find(address: address, at: context.now) ?? peers.table.find(identity)
    if let known {
      peers.table.touch(known, at: context.now)
      return known
    }
    values.spend(16, index)
    return peers.admit(identity, address, &context)
  }

  /// The RSSI that a peer measured of this device counts as this device's RSSI of the peer.
  @inline(never)
  mutating func measure(
    writer slot: Int, _ rssi: RSSI, _ index: Int, _ peers: inout PeersType, _ context: inout Context
  ) {
    peers.noteReceiveOnly(slot)
    values.spend(3, index)
    peers.measure(slot, peers.table[slot].identity, rssi, &context)
  }

  /// A peer wrote its payload (HP-09). One that is known already only shows that the peer is in range.
  ///
  /// The address under which a peer writes is not authenticated, nor is its pseudo device address. For a peer
  /// that is connectable, a payload that was written therefore never replaces one that was read: the peer is
  /// still read as if it had written nothing. Until then the written payload counts, if the peer is known by
  /// this very address. Otherwise it is reported as that of an unknown owner.
  mutating func takePayload(
    from slot: Int, in buffer: Int, _ index: Int, _ exchange: inout Exchange, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    let length = Int(values.pool.buffers[buffer].length)
    guard length > 0, length <= Payload.maximumLength else {
      values.malformed &+= 1
      return
    }
    let digest = values.pool.buffers[buffer].digest()
    guard !peers.own.contains(digest) else { return }
    peers.noteReceiveOnly(slot)
    guard digest != peers.table[slot].payloadDigest else { return }
    let isConnectable = peers.table[slot].isConnectable
    if isConnectable,
      peers.table[slot].state == .read || peers.table[slot].identity != TargetIdentity(exchange.peer)
    {
      takeHearsay(0..<length, .notAvailable, isWritten: true, in: buffer, index, &peers, &context)
      return
    }
    values.spendBytes(length, index)
    if isConnectable {
      peers.notePayload(slot, &values.pool.buffers[buffer], &context)
      return
    }
    if peers.table[slot].state != .confirmed, peers.table[slot].state != .read {
      context.sink.record(.heraldDetected, of: peers.table[slot].identity)
    }
    peers.acquirePayload(slot, &values.pool.buffers[buffer], &context)
    if !peers.table[slot].isHeld { peers.settle(slot, &context) }
  }

  /// A peer shared payloads of others (HP-43).
  mutating func takeShared(
    from slot: Int, in buffer: Int, _ index: Int, _ peers: inout PeersType, _ context: inout Context
  ) {
    let sharer = peers.table[slot].identity
    let rssi = RSSI(signal: values.incoming[index].rssi)
    if let rssi { measure(writer: slot, rssi, index, &peers, &context) }
    let length = Int(values.pool.buffers[buffer].length)
    guard length > 0 else { return }
    values.spendBytes(length, index)
    context.sink.record(.shared, of: sharer, 0..<length, in: &values.pool.buffers[buffer])
    values.pool.buffers[buffer].reportShared(to: &context.sink.delegate, sharer, at: context.now)
    var start = 0
    while start < length {
      let count = values.lengthOfFirstPayload(in: buffer, from: start)
      guard count > 0, count <= length &- start else { return }
      takeHearsay(
        start..<start &+ count, rssi ?? .notAvailable, isWritten: false, in: buffer, index, &peers, &context)
      start &+= count
    }
  }

  /// A payload of an unknown owner, under an identity generated for it, which stays the same as long as the
  /// payload is reported. Never under that of a peer which showed it: reports of others are not mixed with
  /// what was received of a peer. One that was shared and for which there is no slot is not logged: its
  /// bytes are in the log as they were shared, and its owner will not be reported again. Not inlined, so that
  /// the stack holds the frame for one at a time.
  @inline(never)
  mutating func takeHearsay(
    _ range: Range<Int>, _ rssi: RSSI, isWritten: Bool, in buffer: Int, _ index: Int,
    _ peers: inout PeersType, _ context: inout Context
  ) {
    let digest = values.pool.buffers[buffer].digest(range)
    guard !peers.own.contains(digest) else { return }
    let isKnown = peers.table.find(payloadDigest: digest, otherThan: -1) != nil
    let told = peers.table.findHearsay(payloadDigest: digest)
    let slot = told ?? peers.admitHearsay(of: digest, &context)
    let owner = slot.map { peers.table[$0].identity } ?? TargetIdentity.made(&context.random)
    if let told {
      peers.table.touch(told, at: context.now)
    } else if slot != nil || isWritten {
      values.spendBytes(range.count, index)
      context.sink.record(.read, of: owner, range, in: &values.pool.buffers[buffer])
    }
    values.pool.buffers[buffer].report(
      to: &context.sink.delegate, owner, known: isKnown, range, at: context.now)
    guard rssi.isAvailable else { return }
    context.sink.count(.readings)
    if slot != nil {
      values.spend(3, index)
      context.sink.record(reading: rssi, of: owner)
    }
    context.sink.delegate.didMeasure(owner, rssi, at: context.now)
    context.sink.delegate.didMeasureWithPayload(owner, rssi, payloadDigest: digest, at: context.now)
  }
}

extension RSSI {
  /// The RSSI in a message, if it is one: −127…20 dBm.
  init?(signal dBm: Int16) {
    guard dBm >= -127, dBm <= 20 else { return nil }
    self.init(Int8(truncatingIfNeeded: dBm))
  }
}
