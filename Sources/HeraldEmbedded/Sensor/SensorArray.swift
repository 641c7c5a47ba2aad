/// The sensors beside the radio's, and the delegate of all of them, to be a node's delegate (HP-44). The node polls them;
/// `HeraldNode.start` and `stop` switch the radio's sensor on and off.
///
/// ```swift
/// SensorArray(battery: BatterySensor(MyPower()), visits: VisitSensor<4>(), delegate: MyDelegate())
/// ```
///
/// `NoDelegate` stands for a sensor that is not wanted, and costs nothing. Any delegate that has work of its own (`nextWork`) can stand in the
/// place of a sensor, and several delegates in the place of one (`SensorDelegates`). Sensors hear of an event before the delegate does.
public struct SensorArray<
  Battery: SensorDelegate & ~Copyable, Visits: SensorDelegate & ~Copyable,
  Delegate: SensorDelegate & ~Copyable
>: SensorDelegate, ~Copyable {
  /// The sensor of the power.
  public var battery: Battery
  /// The sensor of venues.
  public var visits: Visits
  /// Who hears of everything.
  public var delegate: Delegate

  /// All of them.
  @inlinable
  public init(battery: consuming Battery, visits: consuming Visits, delegate: consuming Delegate) {
    self.battery = battery
    self.visits = visits
    self.delegate = delegate
  }

  /// Tells all of them.
  @inlinable
  public mutating func didDetect(_ target: TargetIdentity, at now: Instant) {
    battery.didDetect(target, at: now)
    visits.didDetect(target, at: now)
    delegate.didDetect(target, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    battery.didMeasure(target, rssi, at: now)
    visits.didMeasure(target, rssi, at: now)
    delegate.didMeasure(target, rssi, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didRead(
    _ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant
  ) {
    battery.didRead(target, payload, known: known, at: now)
    visits.didRead(target, payload, known: known, at: now)
    delegate.didRead(target, payload, known: known, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didMeasureWithPayload(
    _ target: TargetIdentity, _ rssi: RSSI, payloadDigest: UInt64, at now: Instant
  ) {
    battery.didMeasureWithPayload(target, rssi, payloadDigest: payloadDigest, at: now)
    visits.didMeasureWithPayload(target, rssi, payloadDigest: payloadDigest, at: now)
    delegate.didMeasureWithPayload(target, rssi, payloadDigest: payloadDigest, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didShare(_ sharer: TargetIdentity, _ payloads: Span<UInt8>, at now: Instant) {
    battery.didShare(sharer, payloads, at: now)
    visits.didShare(sharer, payloads, at: now)
    delegate.didShare(sharer, payloads, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didReceive(_ sender: TargetIdentity, _ message: Span<UInt8>, at now: Instant) {
    battery.didReceive(sender, message, at: now)
    visits.didReceive(sender, message, at: now)
    delegate.didReceive(sender, message, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didVisit(_ visit: Visit, at now: Instant) {
    battery.didVisit(visit, at: now)
    visits.didVisit(visit, at: now)
    delegate.didVisit(visit, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didReadModel(_ target: TargetIdentity, _ model: Span<UInt8>, at now: Instant) {
    battery.didReadModel(target, model, at: now)
    visits.didReadModel(target, model, at: now)
    delegate.didReadModel(target, model, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didObserve(
    _ target: TargetIdentity, _ system: NeighbourSystem, _ code: Span<UInt8>, at now: Instant
  ) {
    battery.didObserve(target, system, code, at: now)
    visits.didObserve(target, system, code, at: now)
    delegate.didObserve(target, system, code, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didChangeTxPower(_ target: TargetIdentity, _ dBm: Int8, at now: Instant) {
    battery.didChangeTxPower(target, dBm, at: now)
    visits.didChangeTxPower(target, dBm, at: now)
    delegate.didChangeTxPower(target, dBm, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didLose(_ target: TargetIdentity, at now: Instant) {
    battery.didLose(target, at: now)
    visits.didLose(target, at: now)
    delegate.didLose(target, at: now)
  }

  /// Tells all of them.
  @inlinable
  public mutating func didUpdateState(_ state: SensorState, at now: Instant) {
    battery.didUpdateState(state, at: now)
    visits.didUpdateState(state, at: now)
    delegate.didUpdateState(state, at: now)
  }

  /// The work of the first that has some.
  @inlinable
  public mutating func nextWork(at now: Instant) -> SensorWork {
    let first = battery.nextWork(at: now)
    guard case .none(let firstUntil) = first else { return first }
    let second = visits.nextWork(at: now)
    guard case .none(let secondUntil) = second else { return second }
    let third = delegate.nextWork(at: now)
    guard case .none(let thirdUntil) = third else { return third }
    let earlier = firstUntil < secondUntil ? firstUntil : secondUntil
    return .none(until: earlier < thirdUntil ? earlier : thirdUntil)
  }

  /// That of the delegate.
  @inlinable @inline(__always)
  public static var debugLevel: DebugLevel { Delegate.debugLevel }

  /// Tells the delegate.
  @inlinable @inline(__always)
  public mutating func note(
    _ level: DebugLevel, _ text: StaticString, _ first: Int32, _ second: Int32, at now: Instant
  ) {
    delegate.tell(level, text, first, second, at: now)
  }
}
