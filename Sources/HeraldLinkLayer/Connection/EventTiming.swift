import HeraldHAL

/// The times and channels of the events of a connection (Core Specification, Vol 6, Part B, 4.5).
struct EventTiming: BitwiseCopyable {
  /// The unit of connection intervals and transmit windows, in microseconds.
  static var unit: UInt32 { 1250 }
  /// The tolerance of packet times in addition to clock drift, caused by the resolution of sleep clocks
  /// (4.2.2).
  static var jitter: UInt32 { 16 }
  /// The additional time by which the first window is opened earlier: some centrals count ticks of 32,768 Hz
  /// and transmit one tick too early.
  static var tick: UInt32 { 31 }

  /// connInterval in microseconds.
  private(set) var interval: UInt32 = 0
  /// connPeripheralLatency.
  private(set) var latency: UInt16 = 0
  /// connSupervisionTimeout in microseconds.
  private(set) var timeout: UInt32 = 0
  /// connEventCounter of the next event.
  private(set) var counter: UInt16 = 0
  /// The start of the next event without clock drift: its anchor point, or the start of the transmit window
  /// that contains it.
  private(set) var nominal: RadioTime = RadioTime(microseconds: 0)
  /// The size of that transmit window in microseconds; 0 when an anchor point is known.
  private(set) var window: UInt32 = 0
  /// The time of the last packet from which the time of the peer's clock is known.
  private(set) var synchronized: RadioTime = RadioTime(microseconds: 0)
  /// The time of the last packet with a correct CRC.
  private(set) var receivedAt: RadioTime = RadioTime(microseconds: 0)
  /// Whether a packet has been received in this connection.
  private(set) var isEstablished: Bool = false
  /// The window widening: the time in microseconds by which a packet may be earlier or later than `nominal`.
  private(set) var widening: UInt32 = 0
  /// The sum of the maximum deviations of both clocks, in ppm.
  private(set) var deviation: UInt16 = 0
  /// The number of events before the next one that were skipped and can still be used.
  private var rested: UInt16 = 0
  private var selection: ChannelSelection = ChannelSelection(hop: 0)
  /// The channel map in use.
  private(set) var map: ChannelMap = ChannelMap(low: 0, high: 0)
  /// The host has been promised an update by this device, as central, that has not taken effect.
  private(set) var hasProposal: Bool = false
  /// The parameters have changed, or an update by this device has taken effect, and the host has not been
  /// notified.
  var isChanged: Bool = false
  private var hasUpdate: Bool = false
  private var hasMap: Bool = false
  /// The parameters of the next update, from its proposal on.
  private(set) var update: ConnectionTimes = .none
  private var updateInstant: UInt16 = 0
  private var nextMap: ChannelMap = ChannelMap(low: 0, high: 0)
  private var mapInstant: UInt16 = 0

  /// The timing of an unused connection: all bits are zero.
  init() {}

  /// Begins a connection whose CONNECT_IND ended at `end`. `deviation` is the sum of the maximum
  /// deviations of both clocks in ppm; for a central, whose own clock determines the events, it is 0.
  @inline(never)
  mutating func begin(_ request: ConnectRequest, end: RadioTime, deviation: UInt16) {
    let times = request.times
    interval = UInt32(times.interval) &* Self.unit
    latency = times.latency
    timeout = UInt32(times.timeout) &* 10_000
    // transmitWindowDelay is one unit.
    nominal = end + (UInt32(times.windowOffset) &+ 1) &* Self.unit
    window = UInt32(times.windowSize) &* Self.unit
    synchronized = end
    receivedAt = end
    self.deviation = deviation
    selection = ChannelSelection(hop: request.hop)
    selection.advance(by: 1)
    map = request.channels
    widen()
  }

  /// The channel of the next event.
  var channel: UInt8 { selection.channel(in: map) }
  /// Whether an instant is pending. No event may be skipped until then.
  var awaitsInstant: Bool { hasUpdate || hasMap }

  /// Whether the connection is lost: the clocks may have drifted apart by half an interval (4.2.4), or the
  /// next event is later than the supervision timeout, which is six intervals before the first packet
  /// (4.5.2).
  var isLost: Bool {
    guard isEstablished else { return counter >= 6 }
    return nominal.since(receivedAt) >= timeout || widening >= interval &>> 1 &- 150
  }

  /// Whether half of the supervision timeout will have passed at the start of the next event.
  var isHalfLost: Bool { nominal.since(receivedAt) >= timeout &>> 1 }

  /// Sets the anchor point: the start of the first packet of the current event.
  mutating func synchronize(at anchor: RadioTime) {
    nominal = anchor
    window = 0
    synchronized = anchor
  }

  /// Records that a packet with a correct CRC ended at `end`.
  mutating func noteReception(at end: RadioTime) {
    receivedAt = end
    isEstablished = true
  }

  /// Advances by `events` events, 1…500. While an instant is pending, `events` is 1.
  mutating func advance(by events: UInt16) {
    rested = events &- 1
    counter = counter &+ events
    nominal = nominal + UInt32(events) &* interval
    selection.advance(by: events)
    if hasUpdate, counter == updateInstant {
      hasUpdate = false
      // The transmit window is counted from the anchor point that the event would have had with the old
      // interval (5.1.1).
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

  /// Returns to the first skipped event that begins after `soonest`, because a payload is waiting to be
  /// transmitted.
  mutating func recall(after soonest: RadioTime) {
    let events = min(UInt32(rested), nominal.since(soonest + widening) / interval)
    guard events > 0 else { return }
    let back = UInt16(truncatingIfNeeded: events)
    rested &-= back
    counter = counter &- back
    nominal = nominal - events &* interval
    // After 37 events the channel is the same again.
    selection.advance(by: 37 &- back % 37)
    widen()
  }

  private mutating func apply(_ times: ConnectionTimes) {
    let before = (interval, latency, timeout)
    interval = UInt32(times.interval) &* Self.unit
    latency = times.latency
    timeout = UInt32(times.timeout) &* 10_000
    if hasProposal || before != (interval, latency, timeout) { isChanged = true }
    hasProposal = false
  }

  /// Computes the window widening from the last packet received, and not event by event, so that rounding
  /// errors do not accumulate.
  private mutating func widen() {
    let elapsed = (nominal + window).since(synchronized)
    // In whole milliseconds, rounded up: the product of 32 s, or more, and 1,000 ppm fits in 32 bits.
    let drift = ((elapsed.thousandth &+ 1) &* UInt32(deviation)).thousandth
    widening = drift &+ Self.jitter &+ (isEstablished ? 0 : Self.tick)
  }

  /// Applies new timing parameters from `instant` on; they were received in the current event. Returns
  /// `false` if the instant has passed. If it is the current event, they apply from the next event. A second
  /// update replaces one whose instant is still pending.
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

  /// Stores the parameters of an update by this device, until its instant is known.
  mutating func propose(_ times: ConnectionTimes) {
    update = times
    hasProposal = true
  }

  /// Applies the proposed parameters from `instant` on, which is later than the next event.
  mutating func planProposal(instant: UInt16) {
    updateInstant = instant
    hasUpdate = true
  }

  /// The connection interval in units of 1.25 ms, and the supervision timeout in units of 10 ms.
  var intervalUnits: UInt16 { UInt16(truncatingIfNeeded: interval / Self.unit) }
  var timeoutUnits: UInt16 { UInt16(truncatingIfNeeded: timeout / 10_000) }

  /// Applies a new channel map from `instant` on; see `plan(_:instant:)` above.
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
