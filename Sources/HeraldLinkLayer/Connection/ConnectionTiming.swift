import HeraldHAL

/// When and where the events of a connection take place (Core Specification, Vol 6, Part B, 4.5).
struct ConnectionTiming: BitwiseCopyable {
  /// One unit of intervals and windows, in microseconds.
  static var unit: UInt32 { 1250 }
  /// How far the moment of a packet may be off besides the drift of the clocks, as sleep clocks have ticks
  /// (4.2.2).
  static var jitter: UInt32 { 16 }
  /// How much earlier the first window is opened: there are centrals that count ticks of 32,768 Hz and begin one
  /// too early.
  static var tick: UInt32 { 31 }

  /// connInterval in microseconds.
  private(set) var interval: UInt32
  /// connPeripheralLatency.
  private(set) var latency: UInt16
  /// connSupervisionTimeout in microseconds.
  private(set) var timeout: UInt32
  /// connEventCounter of the event that comes next.
  private(set) var counter: UInt16
  /// When the event that comes next begins, if both clocks are right: its anchor, or the start of the window in
  /// which that comes.
  private(set) var nominal: RadioTime
  /// How long that window is, in microseconds; 0 once an anchor is known.
  private(set) var window: UInt32
  /// When a packet last showed where the peer's clock is.
  private(set) var synchronized: RadioTime
  /// When a packet with a correct CRC last came.
  private(set) var heard: RadioTime
  /// Whether one has come at all.
  private(set) var isEstablished: Bool
  /// The sum of what both clocks may be off, in ppm.
  let deviation: UInt16
  /// How many events before the one that comes next were passed over, and can be had after all.
  private var rested: UInt16
  private var selection: ChannelSelection
  private var map: ChannelMap
  private var hasUpdate: Bool
  private var hasMap: Bool
  private var update: ConnectionTimes
  private var updateInstant: UInt16
  private var nextMap: ChannelMap
  private var mapInstant: UInt16

  /// That of a connection whose CONNECT_IND ended at `end`. Both clocks together may be `deviation` ppm off; for a
  /// central, whose own clock says when events are, that is 0.
  init(_ request: ConnectRequest, end: RadioTime, deviation: UInt16) {
    let times = request.times
    interval = UInt32(times.interval) &* Self.unit
    latency = times.latency
    timeout = UInt32(times.timeout) &* 10_000
    counter = 0
    // transmitWindowDelay is one unit.
    nominal = end + (UInt32(times.windowOffset) &+ 1) &* Self.unit
    window = UInt32(times.windowSize) &* Self.unit
    synchronized = end
    heard = end
    isEstablished = false
    self.deviation = deviation
    rested = 0
    selection = ChannelSelection(hop: request.hop)
    selection.advance(by: 1)
    map = request.channels
    hasUpdate = false
    hasMap = false
    update = times
    updateInstant = 0
    nextMap = map
    mapInstant = 0
  }

  /// The channel of the event that comes next.
  var channel: UInt8 { selection.channel(in: map) }
  /// Whether an instant is ahead. Until then no event may be passed over.
  var awaitsInstant: Bool { hasUpdate || hasMap }

  /// How much earlier or later than `nominal` a packet may come: computed from the last that came, not event by
  /// event, so that no rounding adds up.
  var widening: UInt32 {
    let elapsed = (nominal + window).since(synchronized)
    // In whole milliseconds, rounded up: 32 s and more times 1,000 ppm fit in 32 bits.
    let drift = ((elapsed / 1000 &+ 1) &* UInt32(deviation)) / 1000
    return drift &+ Self.jitter &+ (isEstablished ? 0 : Self.tick)
  }

  /// Whether the peer can no longer be found: the clocks may have drifted apart by half an interval (4.2.4), or
  /// the event that comes next is later than the supervision timeout. Before the first packet it is six intervals
  /// (4.5.2).
  var isLost: Bool {
    guard isEstablished else { return counter >= 6 }
    return nominal.since(heard) >= timeout || widening >= interval / 2 &- 150
  }

  /// The first packet of the current event began at `anchor`.
  mutating func synchronize(at anchor: RadioTime) {
    nominal = anchor
    window = 0
    synchronized = anchor
  }

  /// A packet with a correct CRC ended at `end`.
  mutating func hear(at end: RadioTime) {
    heard = end
    isEstablished = true
  }

  /// Goes on to the event that is `events` later, 1…500. It is 1 while an instant is awaited.
  mutating func advance(by events: UInt16) {
    rested = events &- 1
    counter = counter &+ events
    nominal = nominal + UInt32(events) &* interval
    selection.advance(by: events)
    if hasUpdate, counter == updateInstant {
      hasUpdate = false
      // The window is counted from where the event would have been by the old times (5.1.1).
      nominal = nominal + UInt32(update.windowOffset) &* Self.unit
      window = UInt32(update.windowSize) &* Self.unit
      apply(update)
    }
    if hasMap, counter == mapInstant {
      hasMap = false
      map = nextMap
    }
  }

  /// Goes back to the first of the events passed over that begins after `soonest`, as there is something to say.
  mutating func recall(after soonest: RadioTime) {
    let events = min(UInt32(rested), nominal.since(soonest + widening) / interval)
    guard events > 0 else { return }
    let back = UInt16(truncatingIfNeeded: events)
    rested &-= back
    counter = counter &- back
    nominal = nominal - events &* interval
    // 37 events on it is the same channel again.
    selection.advance(by: 37 &- back % 37)
  }

  private mutating func apply(_ times: ConnectionTimes) {
    interval = UInt32(times.interval) &* Self.unit
    latency = times.latency
    timeout = UInt32(times.timeout) &* 10_000
  }

  /// Takes other times from `instant` on, told in the current event. Returns `false` if the instant has passed.
  /// One that is the current event is taken from the next on. A second update takes the place of one that has
  /// not come to its instant.
  mutating func plan(_ times: ConnectionTimes, instant: UInt16) -> Bool {
    guard instant &- counter < 0x7FFF else { return false }
    guard instant != counter else {
      apply(times)
      return true
    }
    update = times
    updateInstant = instant
    hasUpdate = true
    return true
  }

  /// Takes other channels from `instant` on; see `plan(_:instant:)` above.
  mutating func plan(_ channels: ChannelMap, instant: UInt16) -> Bool {
    guard instant &- counter < 0x7FFF else { return false }
    guard instant != counter else {
      map = channels
      return true
    }
    nextMap = channels
    mapInstant = instant
    hasMap = true
    return true
  }
}
