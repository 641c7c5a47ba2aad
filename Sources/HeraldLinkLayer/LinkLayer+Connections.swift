import HeraldBluetooth
import HeraldHAL

extension LinkLayer where Peripheral: ~Copyable {
  /// The lowest unused connection index; −1 if there is none.
  mutating func freePlace() -> Int {
    var index = 0
    while index < connections {
      if exchange.links[index].life == .free { return index }
      index &+= 1
    }
    return -1
  }

  /// Opens a connection after a CONNECT_IND was transmitted or received.
  mutating func open(_ request: ConnectRequest, _ role: ConnectionRole, end: RadioTime, at place: Int) {
    // The central determines the anchor points: its own event times do not drift.
    let both = exchange.radio.clockDeviation &+ request.clockAccuracy.partsPerMillion
    let deviation = role == .central ? 0 : both
    exchange.links[place].open(request, role, end: end, deviation: deviation)
  }

  /// Starts the next event of a connection, which must end before `limit`.
  mutating func beginConnectionEvent(_ index: Int, limit: RadioTime) {
    prepare(index)
    let room = UInt8(truncatingIfNeeded: 6 &- fragments.count)
    exchange.connectionEvent = ConnectionEvent(
      link: UInt8(truncatingIfNeeded: index), limit: limit, room: room)
    exchange.arrivedCount = 0
    exchange.activity = .connection
    if exchange.links[index].role == .central {
      eventStart = exchange.links[index].timing.nominal
      exchange.load(after: exchange.links[index].timing.nominal)
      exchange.radio.start(
        .transmit(
          at: exchange.links[index].timing.nominal, channel: exchange.links[index].timing.channel,
          accessAddress: exchange.links[index].accessAddress,
          crcInit: exchange.links[index].crcInit, longestPayload: 27))
    } else {
      let widening = exchange.links[index].timing.widening
      eventStart = exchange.links[index].timing.nominal - widening
      // The access address ends 40 µs after the first bit.
      exchange.radio.start(
        .receive(
          from: eventStart, window: 2 &* widening &+ exchange.links[index].timing.window &+ 41,
          channel: exchange.links[index].timing.channel, accessAddress: exchange.links[index].accessAddress,
          crcInit: exchange.links[index].crcInit, longestPayload: 27))
    }
  }

  /// Determines, before the event begins, which PDUs it may transmit.
  private mutating func prepare(_ index: Int) {
    if exchange.links[index].wantsTermination, exchange.links[index].control.count == 0 {
      exchange.links[index].say(.terminate(reason: DisconnectReason.remoteUserTerminated.rawValue))
      exchange.links[index].wantsTermination = false
    }
    exchange.links[index].offered = exchange.links[index].queued
    exchange.links[index].dataAcknowledged = 0
    exchange.links[index].controlAcknowledged = false
    exchange.links[index].skipped = 0
  }

  /// Processes the result of an event that has ended.
  mutating func connectionEnded(_ index: Int) {
    let event = exchange.connectionEvent
    if exchange.links[index].role == .peripheral, event.hasAnchor {
      exchange.links[index].timing.synchronize(at: event.anchor)
    }
    if event.wasHeard {
      exchange.links[index].timing.hear(at: event.heard)
      exchange.links[index].rssi = event.rssi
    } else {
      counters.eventsSilent &+= 1
    }
    var place = 0
    while place < Int(exchange.arrivedCount) {
      // The event accepted no more payloads than there was room for.
      _ = fragments.append(exchange.arrived[place])
      place &+= 1
    }
    exchange.arrivedCount = 0
    exchange.links[index].takeAcknowledgements()
    if exchange.links[index].life == .open { exchange.links[index].readControl() }
    if exchange.links[index].isTerminating, event.acknowledgedControl {
      exchange.links[index].close(exchange.links[index].reason)
    }
    // A peripheral without pending data may skip events (4.5.1).
    let mayRest =
      exchange.links[index].role == .peripheral && event.wasHeard && !event.peerHasMore
      && !exchange.links[index].isBusy
    exchange.links[index].goOn(by: mayRest ? exchange.links[index].timing.latency &+ 1 : 1)
  }
}
