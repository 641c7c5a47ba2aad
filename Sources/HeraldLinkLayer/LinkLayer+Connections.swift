import HeraldBluetooth
import HeraldHAL

extension LinkLayer where Peripheral: ~Copyable {
  /// The lowest unused connection index; −1 if there is none.
  mutating func freeIndex() -> Int { exchange.table.freeIndex }

  /// Whether there is a connection to a device.
  mutating func isConnected(to peer: DeviceAddress) -> Bool { exchange.table.isConnected(to: peer) }

  /// Opens a connection after a CONNECT_IND was transmitted or received.
  mutating func open(_ request: ConnectRequest, _ role: ConnectionRole, end: RadioTime, at index: Int) {
    // The central determines the anchor points: its own event times do not drift.
    let both = exchange.radio.clockDeviation &+ request.clockAccuracy.partsPerMillion
    let deviation = role == .central ? 0 : both
    exchange.table[index].open(request, role, end: end, deviation: deviation)
  }

  /// Starts the next event of a connection, which must end before `limit`.
  mutating func beginConnectionEvent(_ index: Int, limit: RadioTime) {
    prepare(index)
    exchange.connectionEvent = ConnectionEvent(connection: UInt8(truncatingIfNeeded: index), limit: limit)
    exchange.payloads.release()
    if exchange.table[index].role == .central {
      eventStart = exchange.table[index].timing.nominal
      exchange.load(after: exchange.table[index].timing.nominal)
      exchange.begin(
        .connection,
        .transmit(
          at: exchange.table[index].timing.nominal, channel: exchange.table[index].timing.channel,
          accessAddress: exchange.table[index].accessAddress,
          crcInit: exchange.table[index].crcInit, longestPayload: 27))
    } else {
      let widening = exchange.table[index].timing.widening
      eventStart = exchange.table[index].timing.nominal - widening
      // The access address ends 40 µs after the first bit.
      exchange.begin(
        .connection,
        .receive(
          from: eventStart, window: 2 &* widening &+ exchange.table[index].timing.window &+ 41,
          channel: exchange.table[index].timing.channel, accessAddress: exchange.table[index].accessAddress,
          crcInit: exchange.table[index].crcInit, longestPayload: 27))
    }
  }

  /// Determines, before the event begins, which PDUs it may transmit.
  private mutating func prepare(_ index: Int) {
    if exchange.table[index].wantsTermination, exchange.table[index].control.count == 0 {
      exchange.table[index].say(.terminate(reason: exchange.table[index].terminationReason))
      exchange.table[index].wantsTermination = false
    }
    exchange.table[index].startProcedure(channels)
    exchange.table[index].data.publish()
    exchange.table[index].controlAcknowledged = false
    exchange.table[index].skipped = 0
  }

  /// Processes the result of an event that has ended.
  mutating func connectionEnded(_ index: Int) {
    let event = exchange.connectionEvent
    if exchange.table[index].role == .peripheral, event.hasAnchor {
      exchange.table[index].timing.synchronize(at: event.anchor)
    }
    if event.wasReceived {
      exchange.table[index].timing.noteReception(at: event.receivedAt)
      exchange.table[index].rssi = event.rssi
    } else {
      counters.count(.lost, exchange.table[index].role == .central ? .central : .peripheral)
    }
    exchange.table[index].takeAcknowledgement()
    if exchange.table[index].life == .open { exchange.table[index].readControl() }
    if exchange.table[index].isTerminating, event.acknowledgedControl {
      exchange.table[index].close(exchange.table[index].reason)
    }
    // A peripheral without pending data may skip events (4.5.1).
    let mayRest =
      exchange.table[index].role == .peripheral && event.wasReceived && !event.peerHasMore
      && !exchange.table[index].isBusy
    exchange.table[index].goOn(by: mayRest ? exchange.table[index].timing.latency &+ 1 : 1)
  }
}
