import HeraldBluetooth
import HeraldHAL

// What is done on connections between events: requests, deadlines, RSSI readings.

extension Exchanges {
  /// Sends the next request of every exchange and ends those that have exceeded their deadline. Exchanges do
  /// not wait for each other.
  mutating func driveAll<R: Radio & ~Copyable>(
    _ radio: inout R, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    var index = 0
    while index < connections {
      if table[index].step != .closed { context.wake(by: drive(index, &radio, &serving, &peers, &context)) }
      index &+= 1
    }
    closeSurplus(&radio, &context)
  }

  mutating func drive<R: Radio & ~Copyable>(
    _ index: Int, _ radio: inout R, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) -> Instant {
    let connection = ConnectionID(index: index)
    if table[index].step == .serving {
      let idleEnd = table[index].lastAsked + serving.longestIdle(index, &table[index], &context)
      let end = context.earlier(serving.end(of: table[index].end, index, &context), idleEnd)
      guard context.hasCome(end) else { return end }
      close(index, &serving, &peers, &context)
    }
    if table[index].step == .keeping { return keep(index, &radio, &serving, &peers, &context) }
    if table[index].step.isWorking {
      if context.hasCome(workEnd(index, &context)) {
        fail(index, .exchangesTimedOut, &serving, &peers, &context)
      } else {
        if case .failed = table[index].client.expire(at: context.now) {
          fail(index, .exchangesTimedOut, &serving, &peers, &context)
        }
      }
    }
    if table[index].step.isWorking {
      request(index, &radio, &serving, &peers, &context)
      return context.earlier(workEnd(index, &context), table[index].client.deadline)
    }
    // Being closed: the radio gets the command now, and again every two seconds until the connection is
    // closed.
    if context.hasCome(table[index].end) {
      radio.disconnect(connection)
      table[index].end = context.after(.seconds(2))
    }
    return table[index].end
  }

  /// When this device's exchange on a connection has to end; also on a connection that the peer opened, which
  /// may last longer.
  mutating func workEnd(_ index: Int, _ context: inout Context) -> Instant {
    guard table[index].isPeers else { return table[index].end }
    return context.earlier(table[index].end, table[index].openedAt + context.configuration.exchangeLife)
  }

  /// How often the RSSI of a peer is read on a connection that is kept.
  static var keptPeriod: Interval { .seconds(10) }

  /// How long no RSSI may be read until the peer counts as gone, even if the radio reports the connection as
  /// open (HP-02).
  static var keptSilence: Interval { .seconds(30) }

  /// Reads the RSSI on a connection that is kept, runs the peer's tasks on it, and closes it when the peer is
  /// gone.
  mutating func keep<R: Radio & ~Copyable>(
    _ index: Int, _ radio: inout R, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) -> Instant {
    let slot = Int(table[index].slot)
    let work = peers.task(for: slot, &context)
    if work != .nothing, work != .meet {
      table[index].end = context.after(context.configuration.exchangeLife)
      enter(.choosing, index, &serving, &peers, &context)
      if table[index].step.isWorking { request(index, &radio, &serving, &peers, &context) }
      return table[index].end
    }
    if context.now >= table[index].lastAsked + Self.keptSilence {
      close(index, &serving, &peers, &context)
      return context.now
    }
    if context.hasCome(table[index].end) {
      radio.readRSSI(ConnectionID(index: index))
      table[index].end = context.after(Self.keptPeriod)
    }
    return table[index].end
  }

  /// Sends the pending request of an exchange, if there is one and the radio accepts it; otherwise it stays
  /// pending.
  mutating func request<R: Radio & ~Copyable>(
    _ index: Int, _ radio: inout R, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    let connection = ConnectionID(index: index)
    var bytes: [128 of UInt8] = .init(repeating: 0)  // longestRequest
    var buffer = bytes.mutableSpan
    let count: Int
    if table[index].step == .writeSignal, table[index].buffer != 0 {
      count = serving.values.pool.buffers[Int(table[index].buffer) &- 1].request(
        of: &table[index].client, from: Int(table[index].written), count: Int(table[index].piece),
        into: &buffer, mtu: serving.server.mtu(connection), at: context.now)
    } else {
      count = table[index].client.nextRequest(
        into: &buffer, mtu: serving.server.mtu(connection), value: Span(), at: context.now)
    }
    guard count > 0, count <= Self.longestRequest else { return }
    do throws(RadioError) {
      try radio.send(bytes.span.extracting(0..<count), on: connection)
    } catch {
      switch error {
      case .busy: table[index].client.notSent()  // `readyToSend` follows
      default: fail(index, .exchangesDropped, &serving, &peers, &context)
      }
    }
  }

  /// Closes connections whose numbers exceed the capacity.
  mutating func closeSurplus<R: Radio & ~Copyable>(_ radio: inout R, _ context: inout Context) {
    guard !surplus.isEmpty else { return }
    let due = surplus.due(at: context.now)
    var index = 0
    while index < 32 {
      if due & 1 &<< UInt32(truncatingIfNeeded: index) != 0 { radio.disconnect(ConnectionID(index: index)) }
      index &+= 1
    }
    context.wake(by: surplus.askAt)
  }
}
