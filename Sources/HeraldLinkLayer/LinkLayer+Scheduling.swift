import HeraldBluetooth
import HeraldHAL

// Selection of the next radio event. docs/link-layer.md states the rules and their reasons.
extension LinkLayer where Peripheral: ~Copyable {
  /// The time in microseconds for which an advertising event may be delayed by connection events; after it a
  /// connection event is skipped.
  static var advertisingPatience: UInt32 { 50_000 }
  /// The minimum distance between anchor points of connections in which this device is the central.
  static var anchorDistance: UInt32 { 3750 }
  /// The maximum duration of the first exchange of a connection event.
  static var exchangeTime: UInt32 { 2 &* ConnectionEvent.longestPacket &+ ConnectionEvent.space }

  /// The time at which the radio has to start the next event of a connection.
  private mutating func start(_ index: Int) -> RadioTime {
    exchange.table[index].role == .central
      ? exchange.table[index].timing.nominal
      : exchange.table[index].timing.nominal - exchange.table[index].timing.widening
  }

  /// The time at which the first exchange of that event has ended at the latest.
  private mutating func end(_ index: Int) -> RadioTime {
    let width =
      exchange.table[index].role == .central
      ? 0 : exchange.table[index].timing.window &+ exchange.table[index].timing.widening
    return exchange.table[index].timing.nominal + width + Self.exchangeTime
  }

  /// Selects the next event and starts it. No event is in progress.
  mutating func schedule() {
    guard exchange.activity == .none, !exchange.isDone else { return }
    let soonest = exchange.radio.now() + Peripheral.leadTime + Peripheral.planningTime
    passMissed(before: soonest)
    var due = nextLinks()
    if isAdvertising, advertising.isHighDuty, advertisingEnd.isBefore(soonest) {
      isAdvertising = false
      owesDirectedTimeout = true
    }
    var next = soonest
    var advertises = false
    if isAdvertising {
      next = advertisingDue.isBefore(soonest) ? soonest : advertisingDue
      makeRoomForAdvertising(at: next, &due)
      advertises = due.first < 0 || !start(due.first).isBefore(next + Self.advertisingTime + Self.gap)
    }
    if !advertises, due.first >= 0 { next = start(due.first) }
    if scans(before: next, isBounded: advertises || due.first >= 0, soonest: soonest) { return }
    if advertises {
      beginAdvertising(at: next, limit: due.first < 0 ? next + 10_000 : start(due.first) - Self.gap)
    } else if due.first >= 0 {
      beginConnectionEvent(due.first, limit: limit(due.first, before: due.second))
    }
  }

  /// The time that the radio requires between two events.
  private static var gap: UInt32 { Peripheral.leadTime &+ Peripheral.planningTime }

  /// Skips the events that can no longer be started in time.
  private mutating func passMissed(before soonest: RadioTime) {
    var index = 0
    while index < connections {
      while exchange.table[index].life == .open, start(index).isBefore(soonest) { skip(index) }
      index &+= 1
    }
  }

  /// Skips an event of a connection.
  private mutating func skip(_ index: Int) {
    counters.eventsSkipped &+= 1
    exchange.table[index].skipped =
      exchange.table[index].skipped == .max ? .max : exchange.table[index].skipped &+ 1
    exchange.table[index].goOn(by: 1)
  }

  /// The connection with the earliest event after conflicting events have been skipped, and the connection
  /// with the following event; −1 if there is none. Each iteration skips one event or is the last.
  private mutating func nextLinks() -> (first: Int, second: Int) {
    while true {
      let next = earliest()
      guard next.second >= 0, start(next.second).isBefore(end(next.first) + Self.gap) else { return next }
      skip(yields(next.first, to: next.second) ? next.first : next.second)
    }
  }

  /// The two connections with the earliest events; −1 if there is none.
  private mutating func earliest() -> (first: Int, second: Int) {
    var first = -1
    var second = -1
    var firstStart = eventStart
    var secondStart = eventStart
    var index = 0
    while index < connections {
      if exchange.table[index].life == .open {
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
  private mutating func yields(_ first: Int, to second: Int) -> Bool {
    let isFirstUrgent = isUrgent(first)
    if isFirstUrgent != isUrgent(second) { return !isFirstUrgent }
    if exchange.table[first].timing.awaitsInstant != exchange.table[second].timing.awaitsInstant {
      return exchange.table[second].timing.awaitsInstant
    }
    return exchange.table[first].skipped < exchange.table[second].skipped
  }

  /// Whether a connection must not lose an event: it is not established, or half of its supervision timeout
  /// has passed.
  private mutating func isUrgent(_ index: Int) -> Bool {
    !exchange.table[index].timing.isEstablished || exchange.table[index].timing.isHalfLost
  }

  /// Skips connection events if an advertising event has been delayed for longer than `advertisingPatience`.
  private mutating func makeRoomForAdvertising(at start: RadioTime, _ due: inout (first: Int, second: Int)) {
    // At most one event of each connection is skipped.
    var rounds = 0
    while due.first >= 0, rounds < connections, start.since(advertisingDue) > Self.advertisingPatience,
      !isUrgent(due.first), self.start(due.first).isBefore(start + Self.advertisingTime + Self.gap)
    {
      skip(due.first)
      due = nextLinks()
      rounds &+= 1
    }
  }

  /// Starts scanning if there is sufficient time before `next`.
  private mutating func scans(before next: RadioTime, isBounded: Bool, soonest: RadioTime) -> Bool {
    guard scanning.isOn || isConnecting else { return false }
    let slot = scanSlot(soonest)
    var length = slot.length
    if isBounded {
      let room = (next - (Self.gap &+ scanTail)).since(slot.start)
      length = min(length, room)
    }
    guard length >= Self.shortestScan else { return false }
    beginScanning(at: slot.start, window: length)
    return true
  }

  /// The time at which an event of a connection must have ended: the start of its own next event, or of the
  /// next connection's event.
  private mutating func limit(_ index: Int, before next: Int) -> RadioTime {
    var limit = start(index) + exchange.table[index].timing.interval
    if next >= 0, start(next).isBefore(limit) { limit = start(next) }
    return limit - Self.gap
  }

  /// Selects the position of the anchor points of a connection to be created: the first of a few positions
  /// that has the required distance from those of the other connections.
  mutating func placeAnchors() {
    let other = earliest().first
    guard other >= 0 else { return }
    exchange.scanningEvent.interval = UInt32(connecting.times.interval) &* EventTiming.unit
    var place = exchange.table[other].timing.nominal
    // The position is moved to shortly before the start of scanning, so that the radio interrupt has few
    // intervals to add.
    let behind = eventStart.since(place)
    place = place + (behind &- behind % exchange.scanningEvent.interval)
    var tries = 0
    repeat {
      place = place + Self.anchorDistance
      tries &+= 1
    } while tries < 8 && collides(place)
    // WinOffset is at most one interval (2.3.3.1): the position is the first one after the start of scanning.
    let ahead = place.since(eventStart)
    exchange.scanningEvent.phaseTime = place - (ahead &- ahead % exchange.scanningEvent.interval)
  }

  /// Whether an anchor point at that position would be too close to one of another connection, by the shorter
  /// of the two intervals.
  private mutating func collides(_ place: RadioTime) -> Bool {
    var index = 0
    while index < connections {
      if exchange.table[index].life == .open {
        let interval = min(exchange.table[index].timing.interval, exchange.scanningEvent.interval)
        let difference = Int32(
          bitPattern: place.microseconds &- exchange.table[index].timing.nominal.microseconds)
        let distance = difference.magnitude % interval
        if distance < Self.anchorDistance || interval &- distance < Self.anchorDistance { return true }
      }
      index &+= 1
    }
    return false
  }
}
