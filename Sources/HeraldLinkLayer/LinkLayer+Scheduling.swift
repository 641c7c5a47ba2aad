import HeraldBluetooth
import HeraldHAL

// Selection of the next radio event. docs/link-layer.md states the rules and their reasons.
extension LinkLayer where Peripheral: ~Copyable {
  /// The time in microseconds for which an advertising event may be delayed by connection events; after it a
  /// connection event is skipped.
  static var advertisingPatience: UInt32 { 50_000 }

  /// Selects the next event and starts it. No event is in progress.
  mutating func schedule() {
    guard exchange.activity == .none, !exchange.isDone, reservation.state != .granted else { return }
    defer { exchange.table.countSkipped(&counters) }
    let now = exchange.radio.now()
    let soonest = now + exchange.radio.startUpLeft() + Self.gap
    exchange.table.passMissed(before: soonest)
    var due = exchange.table.next(gap: Self.gap)
    if isAdvertising, advertising.isHighDuty, advertisingTimes.end.isBefore(soonest) {
      isAdvertising = false
      owesDirectedTimeout = true
    }
    var next = soonest
    var advertises = false
    if isAdvertising {
      next = advertisingTimes.due.isBefore(soonest) ? soonest : advertisingTimes.due
      makeRoomForAdvertising(at: next, &due)
      advertises =
        due.first < 0 || !exchange.table.start(due.first).isBefore(next + Self.advertisingTime + Self.gap)
    }
    if reservation.state == .waiting, !advertises || next != soonest || reservation.isOverdue(at: now),
      reservation.grant(at: now, &exchange.table)
    {
      exchange.isPauseRequested = false
      return
    }
    if !advertises, due.first >= 0 { next = exchange.table.start(due.first) }
    if scans(before: next, isBounded: advertises || due.first >= 0, soonest: soonest) { return }
    if advertises {
      beginAdvertising(
        at: next, limit: due.first < 0 ? next + 10_000 : exchange.table.start(due.first) - Self.gap)
    } else if due.first >= 0 {
      beginConnectionEvent(due.first, limit: limit(due))
    }
  }

  /// The time that the radio requires between two events.
  static var gap: UInt32 { Peripheral.leadTime &+ Peripheral.planningTime }

  /// Skips connection events if an advertising event has been delayed for longer than `advertisingPatience`.
  private mutating func makeRoomForAdvertising(at start: RadioTime, _ due: inout (first: Int, second: Int)) {
    // At most one event of each connection is skipped.
    var rounds = 0
    while due.first >= 0, rounds < connections, start.since(advertisingTimes.due) > Self.advertisingPatience,
      !exchange.table.isUrgent(due.first),
      exchange.table.start(due.first).isBefore(start + Self.advertisingTime + Self.gap)
    {
      exchange.table.skip(due.first)
      due = exchange.table.next(gap: Self.gap)
      rounds &+= 1
    }
  }

  /// The time at which the next connection event must have ended: before the event that follows, and early
  /// enough for advertising that is due by then, and for scanning. The first exchange is not shortened.
  private mutating func limit(_ due: (first: Int, second: Int)) -> RadioTime {
    let start = exchange.table.start(due.first)
    var limit = exchange.table.limit(due.first, before: due.second, gap: Self.gap)
    if isAdvertising {
      let last = limit - Self.advertisingTime
      if !last.isBefore(advertisingTimes.due), !last.isBefore(exchange.table.end(due.first) + Self.gap) {
        limit = last - Self.gap
      }
    }
    if scanning.isOn || initiating.isOn {
      let soonest = start + Self.sharedTime
      var interval = scanInterval
      let part =
        initiating.isOn
        ? soonest
        : interval.part(from: soonest, interval: scanning.interval, window: scanning.window).start
      if part.isBefore(limit), soonest.isBefore(limit) { limit = soonest }
    }
    return limit
  }

  /// The duration in microseconds of a connection event during a scan window, and while a connection is
  /// initiated: two exchanges with a payload.
  private static var sharedTime: UInt32 { 2000 }

  /// Starts scanning if there is sufficient time before `next`.
  private mutating func scans(before next: RadioTime, isBounded: Bool, soonest: RadioTime) -> Bool {
    guard scanning.isOn || initiating.isOn else { return false }
    let isTimed = scanning.isOn && !initiating.isOn
    var part = scanInterval.part(
      from: soonest, interval: isTimed ? scanning.interval : Self.initiatingInterval,
      window: isTimed ? scanning.window : Self.initiatingInterval)
    if isBounded { part.length = min(part.length, (next - (Self.gap &+ scanTail)).since(part.start)) }
    guard part.length >= ScanInterval.shortestPart else {
      counters.count(.skipped, initiating.isOn ? .initiator : .scanner)
      return false
    }
    beginScanning(at: part.start, window: part.length, channel: part.channel)
    return true
  }

  /// Selects the position of the anchor points of a connection to be created: the first of a few positions
  /// that has the required distance from those of the other connections.
  mutating func chooseAnchorPhase() {
    let other = exchange.table.earliest().first
    guard other >= 0 else { return }
    exchange.scanningEvent.interval = UInt32(initiating.request.times.interval) &* EventTiming.unit
    var anchor = exchange.table[other].timing.nominal
    // The position is moved to shortly before the start of scanning, so that the radio interrupt has few
    // intervals to add.
    let behind = eventStart.since(anchor)
    anchor = anchor + (behind &- behind % exchange.scanningEvent.interval)
    var tries = 0
    repeat {
      anchor = anchor + LinkLayerConnectionTable<connections>.anchorDistance
      tries &+= 1
    } while tries < 8 && exchange.table.collides(anchor, interval: exchange.scanningEvent.interval)
    // WinOffset is at most one interval (2.3.3.1): the position is the first one after the start of scanning.
    let ahead = anchor.since(eventStart)
    exchange.scanningEvent.phaseTime = anchor - (ahead &- ahead % exchange.scanningEvent.interval)
  }
}
