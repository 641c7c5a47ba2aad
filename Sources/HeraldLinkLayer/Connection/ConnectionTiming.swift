import HeraldHAL

/// When and where the events of a connection take place (Core Specification, Vol 6, Part B, 4.5).
struct ConnectionTiming: BitwiseCopyable {
  /// One unit of intervals and windows, in microseconds.
  static var unit: UInt32 { 1250 }
  /// How far the moment of a packet may be off besides the drift of the clocks, as sleep clocks have ticks
  /// (4.2.2).
  static var jitter: UInt32 { 16 }
  /// How much earlier the first window is opened: there are centrals that count ticks of 32,768 Hz and begin
  /// one too early.
  static var tick: UInt32 { 31 }

  /// connInterval in microseconds.
  private(set) var interval: UInt32 = 0
  /// connPeripheralLatency.
  private(set) var latency: UInt16 = 0
  /// connSupervisionTimeout in microseconds.
  private(set) var timeout: UInt32 = 0
  /// connEventCounter of the event that comes next.
  private(set) var counter: UInt16 = 0
  /// When the event that comes next begins, if both clocks are right: its anchor, or the start of the window
  /// in which that comes.
  private(set) var nominal: RadioTime = RadioTime(microseconds: 0)
  /// How long that window is, in microseconds; 0 once an anchor is known.
  private(set) var window: UInt32 = 0
  /// When a packet last showed where the peer's clock is.
  private(set) var synchronized: RadioTime = RadioTime(microseconds: 0)
  /// When a packet with a correct CRC last came.
  private(set) var heard: RadioTime = RadioTime(microseconds: 0)
  /// Whether one has come at all.
  private(set) var isEstablished: Bool = false
  /// How much earlier or later than `nominal` a packet may come, in microseconds.
  private(set) var widening: UInt32 = 0
  /// The sum of what both clocks may be off, in ppm.
  private(set) var deviation: UInt16 = 0
  /// How many events before the one that comes next were passed over, and can be had after all.
  private var rested: UInt16 = 0
  private var selection: ChannelSelection = ChannelSelection(hop: 0)
  private var map: ChannelMap = ChannelMap(low: 0, high: 0)
  private var hasUpdate: Bool = false
  private var hasMap: Bool = false
  private var update: ConnectionTimes = .none
  private var updateInstant: UInt16 = 0
  private var nextMap: ChannelMap = ChannelMap(low: 0, high: 0)
  private var mapInstant: UInt16 = 0

  /// That of no connection: all zero bits.
  init() {}

  /// That of a connection whose CONNECT_IND ended at `end`. Both clocks together may be `deviation` ppm off;
  /// for a central, whose own clock says when events are, that is 0.
  init(_ request: ConnectRequest, end: RadioTime, deviation: UInt16) {
    let times = request.times
    interval = UInt32(times.interval) &* Self.unit
    latency = times.latency
    timeout = UInt32(times.timeout) &* 10_000
    // transmitWindowDelay is one unit.
    nominal = end + (UInt32(times.windowOffset) &+ 1) &* Self.unit
    window = UInt32(times.windowSize) &* Self.unit
    synchronized = end
    heard = end
    self.deviation = deviation
    selection = ChannelSelection(hop: request.hop)
    selection.advance(by: 1)
    map = request.channels
    widen()
  }

  /// The channel of the event that comes next.
  var channel: UInt8 { selection.channel(in: map) }
  /// Whether an instant is ahead. Until then no event may be passed over.
  var awaitsInstant: Bool { hasUpdate || hasMap }

  /// Whether the peer can no longer be found: the clocks may have drifted apart by half an interval (4.2.4),
  /// or the event that comes next is later than the supervision timeout. Before the first packet it is six
  /// intervals (4.5.2).
  var isLost: Bool {
    guard isEstablished else { return counter >= 6 }
    return nominal.since(heard) >= timeout || widening >= interval &>> 1 &- 150
  }

  /// Whether half of the supervision timeout will have passed when the next event begins.
  var isHalfLost: Bool { nominal.since(heard) >= timeout &>> 1 }

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
    widen()
  }

  /// Goes back to the first of the events passed over that begins after `soonest`, as there is something to
  /// say.
  mutating func recall(after soonest: RadioTime) {
    let events = min(UInt32(rested), nominal.since(soonest + widening) / interval)
    guard events > 0 else { return }
    let back = UInt16(truncatingIfNeeded: events)
    rested &-= back
    counter = counter &- back
    nominal = nominal - events &* interval
    // 37 events on it is the same channel again.
    selection.advance(by: 37 &- back % 37)
    widen()
  }

  private mutating func apply(_ times: ConnectionTimes) {
    interval = UInt32(times.interval) &* Self.unit
    latency = times.latency
    timeout = UInt32(times.timeout) &* 10_000
  }

  /// Computes the widening from the last packet that came, not event by event, so that no rounding adds up.
  private mutating func widen() {
    let elapsed = (nominal + window).since(synchronized)
    // In whole milliseconds, rounded up: 32 s and more times 1,000 ppm fit in 32 bits.
    let drift = ((elapsed.thousandth &+ 1) &* UInt32(deviation)).thousandth
    widening = drift &+ Self.jitter &+ (isEstablished ? 0 : Self.tick)
  }

  /// Takes other times from `instant` on, told in the current event. Returns `false` if the instant has
  /// passed. One that is the current event is taken from the next on. A second update takes the place of one
  /// that has not come to its instant.
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
