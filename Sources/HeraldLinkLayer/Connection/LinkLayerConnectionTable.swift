import HeraldBluetooth
import HeraldHAL

/// The connections of a link layer, by index: when each needs the radio, and which of two gives way.
struct LinkLayerConnectionTable<let connections: Int>: ~Copyable {
  private var all: [connections of LinkLayerConnection]
  /// The number of connection events that were skipped.
  private var skippedAsPeripheral: UInt32
  private var skippedAsCentral: UInt32

  /// All indexes are free: all bits are zero.
  init() {
    all = .init(repeating: LinkLayerConnection())
    skippedAsPeripheral = 0
    skippedAsCentral = 0
  }

  /// The connection with this index, 0..<connections.
  subscript(index: Int) -> LinkLayerConnection {
    @inline(__always) mutating get { all[index] }
    @inline(__always) _modify { yield &all[index] }
  }

  /// The lowest free index; −1 if there is none.
  var freeIndex: Int {
    mutating get {
      var index = 0
      while index < connections {
        if all[index].life == .free { return index }
        index &+= 1
      }
      return -1
    }
  }

  /// The number of free indexes.
  var freeCount: Int {
    mutating get {
      var count = 0
      var index = 0
      while index < connections {
        if all[index].life == .free { count &+= 1 }
        index &+= 1
      }
      return count
    }
  }
}

// The times of connection events. docs/link-layer.md states the rules and their reasons.
extension LinkLayerConnectionTable {
  /// The minimum distance between anchor points of connections in which this device is the central.
  static var anchorDistance: UInt32 { 3750 }
  /// The maximum duration of the first exchange of a connection event.
  static var exchangeTime: UInt32 { 2 &* ConnectionEvent.longestPacket &+ ConnectionEvent.space }

  /// The time at which the radio has to start the next event of a connection.
  mutating func start(_ index: Int) -> RadioTime {
    all[index].role == .central
      ? all[index].timing.nominal : all[index].timing.nominal - all[index].timing.widening
  }

  /// The time at which the first exchange of that event has ended at the latest.
  mutating func end(_ index: Int) -> RadioTime {
    let width =
      all[index].role == .central ? 0 : all[index].timing.window &+ all[index].timing.widening
    return all[index].timing.nominal + width + Self.exchangeTime
  }

  /// Skips an event of a connection.
  mutating func skip(_ index: Int) {
    if all[index].role == .central { skippedAsCentral &+= 1 } else { skippedAsPeripheral &+= 1 }
    all[index].skipped = all[index].skipped == .max ? .max : all[index].skipped &+ 1
    all[index].goOn(by: 1)
  }

  /// Whether no event begins before `end`, which is less than half a second away. If there are such events,
  /// the result is `true` if `skips` is set and each of their connections can miss them; they are then
  /// skipped.
  mutating func makesRoom(until end: RadioTime, skips: Bool) -> Bool {
    var index = 0
    while index < connections {
      if all[index].life == .open, start(index).isBefore(end), !skips || !canMiss(index, until: end) {
        return false
      }
      index &+= 1
    }
    passMissed(before: end)
    return true
  }

  /// Whether a connection does not depend on its events before `end`: it is established, has no pending
  /// instant, and less than half of its supervision timeout will have passed.
  private mutating func canMiss(_ index: Int, until end: RadioTime) -> Bool {
    let timing = all[index].timing
    return timing.isEstablished && !timing.awaitsInstant
      && end.since(timing.receivedAt) < timing.timeout &>> 1
  }

  /// Copies the numbers of skipped events to the counters.
  func countSkipped(_ counters: inout LinkLayerCounters) {
    counters[.skipped, .peripheral] = skippedAsPeripheral
    counters[.skipped, .central] = skippedAsCentral
  }

  /// Skips the events that can no longer be started in time.
  mutating func passMissed(before soonest: RadioTime) {
    var index = 0
    while index < connections {
      while all[index].life == .open, start(index).isBefore(soonest) { skip(index) }
      index &+= 1
    }
  }

  /// The connection with the earliest event after conflicting events have been skipped, and the connection
  /// with the following event; −1 if there is none. Each iteration skips one event or is the last. `gap` is
  /// the time in microseconds that the radio requires between two events.
  mutating func next(gap: UInt32) -> (first: Int, second: Int) {
    while true {
      let next = earliest()
      guard next.second >= 0, start(next.second).isBefore(end(next.first) + gap) else { return next }
      skip(yields(next.first, to: next.second) ? next.first : next.second)
    }
  }

  /// The two connections with the earliest events; −1 if there is none.
  mutating func earliest() -> (first: Int, second: Int) {
    var first = -1
    var second = -1
    var firstStart = RadioTime(microseconds: 0)
    var secondStart = RadioTime(microseconds: 0)
    var index = 0
    while index < connections {
      if all[index].life == .open {
        let start = start(index)
        if first < 0 || start.isBefore(firstStart) {
          (second, secondStart) = (first, firstStart)
          (first, firstStart) = (index, start)
        } else if second < 0 || start.isBefore(secondStart) {
          (second, secondStart) = (index, start)
        }
      }
      index &+= 1
    }
    return (first, second)
  }

  /// Whether the event of the first connection is skipped in favour of the second: because the second is
  /// urgent, has a pending instant, or has been skipped more times in succession. Two connections that always
  /// collide therefore alternate.
  mutating func yields(_ first: Int, to second: Int) -> Bool {
    let isFirstUrgent = isUrgent(first)
    if isFirstUrgent != isUrgent(second) { return !isFirstUrgent }
    if all[first].timing.awaitsInstant != all[second].timing.awaitsInstant {
      return all[second].timing.awaitsInstant
    }
    return all[first].skipped < all[second].skipped
  }

  /// Whether a connection must not lose an event: it is not established, or half of its supervision timeout
  /// has passed.
  mutating func isUrgent(_ index: Int) -> Bool {
    !all[index].timing.isEstablished || all[index].timing.isHalfLost
  }

  /// The time at which an event of a connection must have ended: the start of its own next event, or of the
  /// next connection's event.
  mutating func limit(_ index: Int, before next: Int, gap: UInt32) -> RadioTime {
    var limit = start(index) + all[index].timing.interval
    if next >= 0, start(next).isBefore(limit) { limit = start(next) }
    return limit - gap
  }

  /// Whether an anchor point at that position would be too close to one of another connection, by the shorter
  /// of the two intervals.
  mutating func collides(_ anchor: RadioTime, interval wanted: UInt32) -> Bool {
    var index = 0
    while index < connections {
      if all[index].life == .open {
        let interval = min(all[index].timing.interval, wanted)
        let difference = Int32(bitPattern: anchor.microseconds &- all[index].timing.nominal.microseconds)
        let distance = difference.magnitude % interval
        if distance < Self.anchorDistance || interval &- distance < Self.anchorDistance { return true }
      }
      index &+= 1
    }
    return false
  }
}

// The events and the results of control procedures for the host.
extension LinkLayerConnectionTable {
  /// Whether there is a connection to a device.
  mutating func isConnected(to peer: DeviceAddress) -> Bool {
    var index = 0
    while index < connections {
      if all[index].life == .open, all[index].peer == peer { return true }
      index &+= 1
    }
    return false
  }

  /// An access address that no connection uses.
  mutating func newAccessAddress(_ random: inout XorShift) -> AccessAddress {
    var address = AccessAddress.random(from: &random)
    // The probability of equal addresses among four connections is about 2⁻³⁰; in this case the address is
    // drawn again.
    while uses(address.rawValue) { address = AccessAddress.random(from: &random) }
    return address
  }

  /// Whether a connection uses this access address.
  private mutating func uses(_ accessAddress: UInt32) -> Bool {
    var index = 0
    while index < connections {
      if all[index].life == .open, all[index].accessAddress == accessAddress { return true }
      index &+= 1
    }
    return false
  }

  /// Removes and returns the next event of a connection. The end of one is not returned while there are
  /// payloads that the host has not taken.
  mutating func takeEvent(hasPayloads: Bool) -> LinkLayerEvent? {
    var index = 0
    while index < connections {
      if all[index].owesOpened {
        all[index].owesOpened = false
        return .opened(connection: index, role: all[index].role, peer: all[index].peer)
      }
      if all[index].life == .open, all[index].wantsReady,
        all[index].data.count < OutgoingPayloads.capacity
      {
        all[index].wantsReady = false
        return .ready(connection: index)
      }
      if all[index].life == .closed, !hasPayloads {
        all[index].life = .free
        return .closed(connection: index, reason: all[index].reason)
      }
      index &+= 1
    }
    return nil
  }

  /// Removes and returns the next result of a control procedure. The results of a connection that has ended
  /// are not reported.
  mutating func takeResult() -> LinkLayerResult? {
    var index = 0
    while index < connections {
      if all[index].life == .open, !all[index].owesOpened {
        if all[index].timing.isChanged {
          all[index].timing.isChanged = false
          let timing = all[index].timing
          return .updated(
            connection: index, interval: timing.intervalUnits, latency: timing.latency,
            timeout: timing.timeoutUnits)
        }
        if all[index].own.finished.contains(.features) {
          all[index].own.finished.remove(.features)
          return features(index)
        }
        if all[index].own.finished.contains(.version) {
          all[index].own.finished.remove(.version)
          return .version(connection: index, all[index].own.version)
        }
      }
      index &+= 1
    }
    return nil
  }

  private mutating func features(_ index: Int) -> LinkLayerResult {
    var low = UInt32(0)
    var high = UInt32(0)
    var byte = 4
    while byte > 0 {
      byte &-= 1
      low = low &<< 8 | UInt32(all[index].own.features[byte])
      high = high &<< 8 | UInt32(all[index].own.features[byte &+ 4])
    }
    return .features(
      connection: index, status: all[index].own.status, features: UInt64(high: high, low: low))
  }
}
