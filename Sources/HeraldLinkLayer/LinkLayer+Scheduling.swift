import HeraldBluetooth
import HeraldHAL

// What the radio does next. docs/link-layer.md has the rules and their reasons.
extension LinkLayer where Peripheral: ~Copyable {
  /// How many microseconds advertising gives way to connections; then a connection event gives way to it.
  static var advertisingPatience: UInt32 { 50_000 }
  /// How far anchors of our own connections are from each other at least.
  static var anchorDistance: UInt32 { 3750 }
  /// The first exchange of an event, at its longest.
  static var exchangeTime: UInt32 { 2 &* ConnectionEvent.longestPacket &+ ConnectionEvent.space }

  /// When the radio has to begin with the next event of a connection.
  private mutating func start(_ index: Int) -> RadioTime {
    exchange.links[index].role == .central
      ? exchange.links[index].timing.nominal
      : exchange.links[index].timing.nominal - exchange.links[index].timing.widening
  }

  /// By when the first exchange of that event is over.
  private mutating func end(_ index: Int) -> RadioTime {
    let width =
      exchange.links[index].role == .central
      ? 0 : exchange.links[index].timing.window &+ exchange.links[index].timing.widening
    return exchange.links[index].timing.nominal + width + Self.exchangeTime
  }

  /// Chooses what comes next and gives it to the exchange.radio. Nothing is under way.
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

  /// What the radio needs between two events.
  private static var gap: UInt32 { Peripheral.leadTime &+ Peripheral.planningTime }

  /// Passes over the events that can no longer be had.
  private mutating func passMissed(before soonest: RadioTime) {
    var index = 0
    while index < connections {
      while exchange.links[index].life == .open, start(index).isBefore(soonest) { skip(index) }
      index &+= 1
    }
  }

  /// Lets an event of a connection go by.
  private mutating func skip(_ index: Int) {
    counters.eventsSkipped &+= 1
    exchange.links[index].skipped =
      exchange.links[index].skipped == .max ? .max : exchange.links[index].skipped &+ 1
    exchange.links[index].goOn(by: 1)
  }

  /// The connection whose event comes first, when those that it cannot be had together with have given way,
  /// and the one after it; −1 if there is none. Each round one event is passed over, or it is the last.
  private mutating func nextLinks() -> (first: Int, second: Int) {
    while true {
      let next = earliest()
      guard next.second >= 0, start(next.second).isBefore(end(next.first) + Self.gap) else { return next }
      skip(yields(next.first, to: next.second) ? next.first : next.second)
    }
  }

  /// The two connections whose events begin first; −1 if there is none.
  private mutating func earliest() -> (first: Int, second: Int) {
    var first = -1
    var second = -1
    var firstStart = eventStart
    var secondStart = eventStart
    var index = 0
    while index < connections {
      if exchange.links[index].life == .open {
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

  /// Whether an event of the first connection gives way to one of the second: to one that is near its end, or
  /// awaits an instant, or gave way more often. So two that always collide alternate.
  private mutating func yields(_ first: Int, to second: Int) -> Bool {
    let isFirstUrgent = isUrgent(first)
    if isFirstUrgent != isUrgent(second) { return !isFirstUrgent }
    if exchange.links[first].timing.awaitsInstant != exchange.links[second].timing.awaitsInstant {
      return exchange.links[second].timing.awaitsInstant
    }
    return exchange.links[first].skipped < exchange.links[second].skipped
  }

  /// Whether a connection must not lose an event: it is not established, or half of its timeout has passed.
  private mutating func isUrgent(_ index: Int) -> Bool {
    !exchange.links[index].timing.isEstablished || exchange.links[index].timing.isHalfLost
  }

  /// Advertising gives way to connections, but not for ever.
  private mutating func makeRoomForAdvertising(at start: RadioTime, _ due: inout (first: Int, second: Int)) {
    // One event of each connection at most.
    var rounds = 0
    while due.first >= 0, rounds < connections, start.since(advertisingDue) > Self.advertisingPatience,
      !isUrgent(due.first), self.start(due.first).isBefore(start + Self.advertisingTime + Self.gap)
    {
      skip(due.first)
      due = nextLinks()
      rounds &+= 1
    }
  }

  /// Begins to scan if there is time for it before `next`.
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

  /// By when an event of a connection must be over: the start of its own next event, or of the next one's.
  private mutating func limit(_ index: Int, before next: Int) -> RadioTime {
    var limit = start(index) + exchange.links[index].timing.interval
    if next >= 0, start(next).isBefore(limit) { limit = start(next) }
    return limit - Self.gap
  }

  /// Where anchors of a connection that is about to be opened are to be: as far from the others' as they
  /// should be, for the first of a few places that is.
  mutating func placeAnchors() {
    let other = earliest().first
    guard other >= 0 else { return }
    exchange.scanningEvent.interval = UInt32(connecting.times.interval) &* ConnectionTiming.unit
    var place = exchange.links[other].timing.nominal
    // Not long before the scanning begins, so that the radio interrupt has few intervals to add.
    let behind = eventStart.since(place)
    place = place + (behind &- behind % exchange.scanningEvent.interval)
    var tries = 0
    repeat {
      place = place + Self.anchorDistance
      tries &+= 1
    } while tries < 8 && collides(place)
    exchange.scanningEvent.phaseTime = place
  }

  /// Whether an anchor there would be too near to another connection's, by the shorter of the two intervals.
  private mutating func collides(_ place: RadioTime) -> Bool {
    var index = 0
    while index < connections {
      if exchange.links[index].life == .open {
        let interval = min(exchange.links[index].timing.interval, exchange.scanningEvent.interval)
        let difference = Int32(
          bitPattern: place.microseconds &- exchange.links[index].timing.nominal.microseconds)
        let distance = difference.magnitude % interval
        if distance < Self.anchorDistance || interval &- distance < Self.anchorDistance { return true }
      }
      index &+= 1
    }
    return false
  }
}
