import HeraldBluetooth
import HeraldHAL

/// The kind of a `LiveEvent`.
public enum LiveKind: UInt8, BitwiseCopyable, Sendable {
  /// A peer was received for the first time.
  case detected = 1
  /// An RSSI was measured; `level` is its value in dBm.
  case measured = 2
  /// The payload of a peer was read; `count` is its length.
  case read = 3
  /// A peer shared payloads of others, `count` bytes of them.
  case shared = 4
  /// A peer counts as gone.
  case lost = 5
  /// A peer advertises another transmit power; `level` is it.
  case txPower = 6
  /// A peer sent a message of `count` bytes.
  case received = 7
  /// A peer's model was read, `count` bytes.
  case model = 8
  /// A code of an additional service was observed, of `count` bytes; `level` has the bits of its number.
  case observed = 9
  /// A stay near a venue beacon ended; `count` is the seconds from first to last reception.
  case visited = 10
  /// The sensor's state changed; `level` is the `SensorState`. No peer.
  case state = 11
}

/// One event for live display. All zero bits when there is none.
public struct LiveEvent: Equatable, BitwiseCopyable, Sendable {
  /// The time: the lower half of the milliseconds since start-up.
  public var at: UInt32 = 0
  var low: UInt32 = 0
  var high: UInt16 = 0
  /// How many bytes or seconds, by the kind; at most 65,535.
  public var count: UInt16 = 0
  var kindNumber: UInt8 = 0
  var targetKind: UInt8 = 0
  /// RSSI or power in dBm, or a number, depending on the kind.
  public var level: Int8 = 0
  /// Padding: keeps the idle state zero bits.
  var spare: UInt8 = 0

  public init() {}

  init(_ kind: LiveKind, _ target: TargetIdentity, level: Int8, count: Int, at now: Instant) {
    at = now.milliseconds.low32
    kindNumber = kind.rawValue
    targetKind = target.kind.rawValue
    high = target.high
    low = target.low
    self.level = level
    self.count = UInt16(truncatingIfNeeded: min(max(count, 0), 0xFFFF))
  }

  /// The kind; `nil` for an unknown value.
  public var kind: LiveKind? { LiveKind(rawValue: kindNumber) }
  /// The target that it concerns.
  public var target: TargetIdentity {
    TargetIdentity(
      kind: TargetIdentity.Kind(rawValue: targetKind) ?? .publicAddress, high: high, low: low)
  }
}

/// The source of live events.
public protocol LiveSource: ~Copyable {
  /// Whether there are live events. A device without them contains no code for them.
  static var hasLive: Bool { get }
  /// A host watches: from now on events are kept, for ten seconds. Returns how many are pending.
  mutating func watch(at now: Instant) -> Int
  /// Removes and returns the oldest pending event.
  mutating func nextLive() -> LiveEvent?
  /// Returns and clears the number of events dropped since the last call while the tap was in use.
  mutating func takeLost() -> UInt32
}

extension LiveSource where Self: ~Copyable {
  @inline(__always) public static var hasLive: Bool { false }
  /// No events are pending.
  @inline(__always) public mutating func watch(at now: Instant) -> Int { 0 }
  @inline(__always) public mutating func nextLive() -> LiveEvent? { nil }
  @inline(__always) public mutating func takeLost() -> UInt32 { 0 }
}

/// A delegate that keeps the last events for a host that watches over the management link, in 248 bytes; used
/// in a `SensorDelegates` with any other.
///
/// It gets the same events as the log. Without a watching host the cost is a call and a comparison for each
/// event. Dropped events are counted: the oldest stay, so that the sequence has no gaps up to there.
public struct LiveTap: SensorDelegate, BitwiseCopyable, Sendable {
  /// Fourteen events of 16 bytes.
  static var capacity: Int { 14 }
  /// For how long events are kept without a request.
  static var timeout: Interval { .seconds(10) }

  var events: [14 of LiveEvent] = .init(repeating: LiveEvent())
  var watchedUntil = Instant.start
  var lost: UInt32 = 0
  var first: UInt16 = 0
  var count: UInt16 = 0

  /// An unused tap.
  public init() {}

  @inline(never)
  mutating func keep(
    _ kind: LiveKind, _ target: TargetIdentity, level: Int8 = 0, count bytes: Int = 0, at now: Instant
  ) {
    guard now < watchedUntil else { return }
    guard Int(count) < Self.capacity else {
      lost &+= 1
      return
    }
    let index = (Int(first) &+ Int(count)) % Self.capacity
    events[index] = LiveEvent(kind, target, level: level, count: bytes, at: now)
    count &+= 1
  }

  @inline(__always) public static var hasLive: Bool { true }

  /// Marks the tap as in use. After a time out of use the earlier events are discarded.
  public mutating func watch(at now: Instant) -> Int {
    if now >= watchedUntil {
      count = 0
      lost = 0
    }
    watchedUntil = now + Self.timeout
    return Int(count)
  }

  /// Removes and returns the oldest pending event.
  public mutating func nextLive() -> LiveEvent? {
    guard count > 0 else { return nil }
    let event = events[Int(first)]
    first = (first &+ 1) % UInt16(truncatingIfNeeded: Self.capacity)
    count &-= 1
    return event
  }

  /// Returns the number of events dropped because the buffer was full.
  public mutating func takeLost() -> UInt32 {
    defer { lost = 0 }
    return lost
  }

  public mutating func didDetect(_ target: TargetIdentity, at now: Instant) {
    keep(.detected, target, at: now)
  }
  public mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    keep(.measured, target, level: rssi.rawValue, at: now)
  }
  public mutating func didRead(_ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant)
  {
    keep(.read, target, count: payload.count, at: now)
  }
  public mutating func didShare(_ sharer: TargetIdentity, _ payloads: Span<UInt8>, at now: Instant) {
    keep(.shared, sharer, count: payloads.count, at: now)
  }
  public mutating func didReceive(_ sender: TargetIdentity, _ message: Span<UInt8>, at now: Instant) {
    keep(.received, sender, count: message.count, at: now)
  }
  public mutating func didVisit(_ visit: Visit, at now: Instant) {
    keep(
      .visited, visit.venue, count: Int(clamping: visit.end.since(visit.begin).milliseconds / 1000), at: now)
  }
  public mutating func didReadModel(_ target: TargetIdentity, _ model: Span<UInt8>, at now: Instant) {
    keep(.model, target, count: model.count, at: now)
  }
  public mutating func didObserve(
    _ target: TargetIdentity, _ service: ServiceNumber, _ code: Span<UInt8>, at now: Instant
  ) {
    keep(.observed, target, level: Int8(truncatingIfNeeded: service.rawValue), count: code.count, at: now)
  }
  public mutating func didChangeTxPower(_ target: TargetIdentity, _ dBm: Int8, at now: Instant) {
    keep(.txPower, target, level: dBm, at: now)
  }
  public mutating func didLose(_ target: TargetIdentity, at now: Instant) { keep(.lost, target, at: now) }
  public mutating func didUpdateState(_ state: SensorState, at now: Instant) {
    let nobody = TargetIdentity(kind: .publicAddress, high: 0, low: 0)
    keep(.state, nobody, level: Int8(truncatingIfNeeded: state.rawValue), at: now)
  }
}
