import HeraldBluetooth
import HeraldHAL

// What goes on over connections between the events: requests, deadlines, strengths that are measured.

extension Exchanges
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Sends the next request of every exchange, ends those that take too long. None waits for another.
  @inlinable
  mutating func driveLinks<R: Radio & ~Copyable>(
    _ radio: inout R, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    var index = 0
    while index < connections {
      if links[index].step != .closed { context.wake(by: drive(index, &radio, &serving, &peers, &context)) }
      index &+= 1
    }
    closeSurplus(&radio, &context)
  }

  @inlinable
  mutating func drive<R: Radio & ~Copyable>(
    _ index: Int, _ radio: inout R, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) -> Instant {
    let connection = ConnectionID(index: index)
    if links[index].step == .serving {
      let idleEnd = links[index].lastAsked + serving.longestIdle(index, &links[index], &context)
      let end = context.earlier(links[index].end, idleEnd)
      guard context.hasCome(end) else { return end }
      close(index, &serving, &peers, &context)
    }
    if links[index].step == .keeping { return keep(index, &radio, &serving, &peers, &context) }
    if links[index].step.isWorking {
      if context.hasCome(workEnd(index, &context)) {
        fail(index, .exchangesTimedOut, &serving, &peers, &context)
      } else {
        if case .failed = links[index].client.expire(at: context.now) {
          fail(index, .exchangesTimedOut, &serving, &peers, &context)
        }
      }
    }
    if links[index].step.isWorking {
      request(index, &radio, &serving, &peers, &context)
      return context.earlier(workEnd(index, &context), links[index].client.deadline)
    }
    // Being closed: the radio is asked now, and again every two seconds for as long as it has not closed it.
    if context.hasCome(links[index].end) {
      radio.disconnect(connection)
      links[index].end = context.after(.seconds(2))
    }
    return links[index].end
  }

  /// When our work on a connection has to be done: on a peer's own, which may live longer, too.
  @inlinable
  mutating func workEnd(_ index: Int, _ context: inout Context) -> Instant {
    guard links[index].isPeers else { return links[index].end }
    return context.earlier(links[index].end, links[index].openedAt + context.configuration.exchangeLife)
  }

  /// How often the strength of a peer is measured on a connection that is kept.
  @inlinable
  static var keptPeriod: Interval { .seconds(10) }

  /// How long a measurement may fail to come until the peer counts as gone, whatever the radio says (HP-02).
  @inlinable
  static var keptSilence: Interval { .seconds(30) }

  /// Measures the strength on a connection that is kept, does on it what the peer is owed, and gives it up
  /// when the peer is gone.
  @inlinable
  mutating func keep<R: Radio & ~Copyable>(
    _ index: Int, _ radio: inout R, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) -> Instant {
    let place = Int(links[index].place)
    let work = peers.task(for: place, &context)
    if work != .nothing, work != .meet {
      links[index].end = context.after(context.configuration.exchangeLife)
      enter(.choosing, index, &serving, &peers, &context)
      if links[index].step.isWorking { request(index, &radio, &serving, &peers, &context) }
      return links[index].end
    }
    if context.now >= links[index].lastAsked + Self.keptSilence {
      close(index, &serving, &peers, &context)
      return context.now
    }
    if context.hasCome(links[index].end) {
      radio.readRSSI(ConnectionID(index: index))
      links[index].end = context.after(Self.keptPeriod)
    }
    return links[index].end
  }

  /// Sends the request an exchange has to send, if it has one and the radio takes it; if not, it stays to be
  /// sent.
  @inlinable
  mutating func request<R: Radio & ~Copyable>(
    _ index: Int, _ radio: inout R, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    let connection = ConnectionID(index: index)
    var bytes: [128 of UInt8] = .init(repeating: 0)  // longestRequest
    var buffer = bytes.mutableSpan
    let count: Int
    if links[index].step == .writeSignal, links[index].buffer != 0 {
      count = serving.values.pool.buffers[Int(links[index].buffer) &- 1].request(
        of: &links[index].client, from: Int(links[index].written), count: Int(links[index].piece),
        into: &buffer, mtu: serving.server.mtu(connection), at: context.now)
    } else {
      count = links[index].client.nextRequest(
        into: &buffer, mtu: serving.server.mtu(connection), value: Span(), at: context.now)
    }
    guard count > 0, count <= Self.longestRequest else { return }
    do throws(RadioError) {
      try radio.send(bytes.span.extracting(0..<count), on: connection)
    } catch {
      switch error {
      case .busy: links[index].client.notSent()  // `readyToSend` follows
      default: fail(index, .exchangesDropped, &serving, &peers, &context)
      }
    }
  }

  /// Closes connections that have numbers beyond our places.
  @inlinable
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
