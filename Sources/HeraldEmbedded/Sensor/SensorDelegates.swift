import HeraldBluetooth
import HeraldHAL

/// Two delegates as one: both receive every event, `first` before `second` (HP-44). Either may be a pair,
/// too.
public struct SensorDelegates<
  First: SensorDelegate & ~Copyable, Second: SensorDelegate & ~Copyable
>: SensorDelegate, ~Copyable {
  /// Receives an event first.
  public var first: First
  /// Receives an event second.
  public var second: Second

  /// Calls `first`, then `second`, for every event.
  public init(_ first: consuming First, _ second: consuming Second) {
    self.first = first
    self.second = second
  }

  public mutating func didDetect(_ target: TargetIdentity, at now: Instant) {
    first.didDetect(target, at: now)
    second.didDetect(target, at: now)
  }

  public mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    first.didMeasure(target, rssi, at: now)
    second.didMeasure(target, rssi, at: now)
  }

  public mutating func didRead(
    _ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant
  ) {
    first.didRead(target, payload, known: known, at: now)
    second.didRead(target, payload, known: known, at: now)
  }

  public mutating func didMeasureWithPayload(
    _ target: TargetIdentity, _ rssi: RSSI, payloadDigest: UInt64, at now: Instant
  ) {
    first.didMeasureWithPayload(target, rssi, payloadDigest: payloadDigest, at: now)
    second.didMeasureWithPayload(target, rssi, payloadDigest: payloadDigest, at: now)
  }

  public mutating func didShare(_ sharer: TargetIdentity, _ payloads: Span<UInt8>, at now: Instant) {
    first.didShare(sharer, payloads, at: now)
    second.didShare(sharer, payloads, at: now)
  }

  public mutating func didReceive(_ sender: TargetIdentity, _ message: Span<UInt8>, at now: Instant) {
    first.didReceive(sender, message, at: now)
    second.didReceive(sender, message, at: now)
  }

  public mutating func didVisit(_ visit: Visit, at now: Instant) {
    first.didVisit(visit, at: now)
    second.didVisit(visit, at: now)
  }

  public mutating func didReadModel(_ target: TargetIdentity, _ model: Span<UInt8>, at now: Instant) {
    first.didReadModel(target, model, at: now)
    second.didReadModel(target, model, at: now)
  }

  public mutating func didObserve(
    _ target: TargetIdentity, _ service: ServiceNumber, _ code: Span<UInt8>, at now: Instant
  ) {
    first.didObserve(target, service, code, at: now)
    second.didObserve(target, service, code, at: now)
  }

  public mutating func didChangeTxPower(_ target: TargetIdentity, _ dBm: Int8, at now: Instant) {
    first.didChangeTxPower(target, dBm, at: now)
    second.didChangeTxPower(target, dBm, at: now)
  }

  public mutating func didLose(_ target: TargetIdentity, at now: Instant) {
    first.didLose(target, at: now)
    second.didLose(target, at: now)
  }

  public mutating func didUpdateState(_ state: SensorState, at now: Instant) {
    first.didUpdateState(state, at: now)
    second.didUpdateState(state, at: now)
  }

  /// The work of the first, or if it has none that of the second.
  public mutating func nextWork(at now: Instant) -> SensorWork {
    let work = first.nextWork(at: now)
    guard case .none(let until) = work else { return work }
    let other = second.nextWork(at: now)
    guard case .none(let otherUntil) = other, until < otherUntil else { return other }
    return work
  }

  /// Whether either has it.
  @inline(__always) public static var hasLive: Bool { First.hasLive || Second.hasLive }
  /// The budget of the delegate that has one; of the first if both do.
  @inline(__always)
  public mutating func watch(at now: Instant) -> Int {
    First.hasLive ? first.watch(at: now) : second.watch(at: now)
  }
  /// The result of the delegate that has a live view.
  @inline(__always)
  public mutating func nextLive() -> LiveEvent? { First.hasLive ? first.nextLive() : second.nextLive() }
  /// The result of the delegate that has a live view.
  @inline(__always)
  public mutating func takeLost() -> UInt32 { First.hasLive ? first.takeLost() : second.takeLost() }

  /// Whether either has a motion sensor.
  @inline(__always) public static var hasMotion: Bool { First.hasMotion || Second.hasMotion }
  /// The state of the delegate that has a sensor; of the first if both do.
  @inline(__always)
  public var motion: MotionState { First.hasMotion ? first.motion : second.motion }
  /// Switches the sensor of each delegate that has one.
  @inline(__always)
  public mutating func switchMotion(_ isOn: Bool) {
    first.switchMotion(isOn)
    second.switchMotion(isOn)
  }

  /// The more verbose of the two levels.
  @inline(__always)
  public static var debugLevel: DebugLevel {
    First.debugLevel.rawValue < Second.debugLevel.rawValue ? First.debugLevel : Second.debugLevel
  }

  /// Passes it to each delegate whose level includes it.
  @inline(__always)
  public mutating func note(
    _ level: DebugLevel, _ text: StaticString, _ one: Int32, _ other: Int32, at now: Instant
  ) {
    first.tell(level, text, one, other, at: now)
    second.tell(level, text, one, other, at: now)
  }
}
