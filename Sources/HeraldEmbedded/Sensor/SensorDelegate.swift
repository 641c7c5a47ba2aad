import HeraldBluetooth
import HeraldHAL

/// The events of the sensor for an application (HP-44). Calls are statically dispatched and made from within
/// `HeraldNode.poll`; bytes are borrowed for the duration of a call. Everything is optional.
///
/// For one peer the order is: `didDetect`, `didMeasure`, and once its payload has been read `didRead`; from
/// then on each `didMeasure` is followed by `didMeasureWithPayload`. The readings before that belong to the
/// same identity (HP-45).
public protocol SensorDelegate: DebugLog, LiveSource, MotionAware, ~Copyable {
  /// A peer was received for the first time.
  mutating func didDetect(_ target: TargetIdentity, at now: Instant)
  /// An RSSI was measured; once for each received advertisement (HP-26).
  mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant)
  /// A peer's payload was read, 1…510 bytes. `known`: another identity had shown the same payload before: it
  /// is the same peer under a new address (HP-03).
  mutating func didRead(_ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant)
  /// An RSSI was measured of a peer whose payload is known. The digest is the first eight bytes of the
  /// payload's SHA-256, little-endian.
  mutating func didMeasureWithPayload(
    _ target: TargetIdentity, _ rssi: RSSI, payloadDigest: UInt64, at now: Instant)
  /// A peer shared payloads of others, in sequence as it wrote them (HP-42). Those that count follow, each
  /// with `didRead`, `didMeasure` and `didMeasureWithPayload` (HP-43).
  mutating func didShare(_ sharer: TargetIdentity, _ payloads: Span<UInt8>, at now: Instant)
  /// A peer sent a message to the application, 0…510 bytes (HP-30).
  mutating func didReceive(_ sender: TargetIdentity, _ message: Span<UInt8>, at now: Instant)
  /// A stay near a venue beacon ended (HP-51).
  mutating func didVisit(_ visit: Visit, at now: Instant)
  /// A peer's model was read, UTF-8 (HP-28).
  mutating func didReadModel(_ target: TargetIdentity, _ model: Span<UInt8>, at now: Instant)
  /// A code of an additional service was observed of a peer.
  mutating func didObserve(
    _ target: TargetIdentity, _ service: ServiceNumber, _ code: Span<UInt8>, at now: Instant)
  /// A peer advertises another transmit power than before, in dBm (HP-27).
  mutating func didChangeTxPower(_ target: TargetIdentity, _ dBm: Int8, at now: Instant)
  /// A peer has not been received for so long that it counts as gone.
  mutating func didLose(_ target: TargetIdentity, at now: Instant)
  /// The sensor's state changed.
  mutating func didUpdateState(_ state: SensorState, at now: Instant)
  /// The delegate's own work, as for sensors besides the radio: called after the events of each poll,
  /// repeatedly until it returns `none`.
  mutating func nextWork(at now: Instant) -> SensorWork
}

extension SensorDelegate where Self: ~Copyable {
  public mutating func didDetect(_ target: TargetIdentity, at now: Instant) {}
  public mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {}
  public mutating func didRead(_ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant)
  {}
  public mutating func didMeasureWithPayload(
    _ target: TargetIdentity, _ rssi: RSSI, payloadDigest: UInt64, at now: Instant
  ) {}
  public mutating func didChangeTxPower(_ target: TargetIdentity, _ dBm: Int8, at now: Instant) {}
  public mutating func didShare(_ sharer: TargetIdentity, _ payloads: Span<UInt8>, at now: Instant) {}
  public mutating func didReceive(_ sender: TargetIdentity, _ message: Span<UInt8>, at now: Instant) {}
  public mutating func didVisit(_ visit: Visit, at now: Instant) {}
  public mutating func didReadModel(_ target: TargetIdentity, _ model: Span<UInt8>, at now: Instant) {}
  public mutating func didObserve(
    _ target: TargetIdentity, _ service: ServiceNumber, _ code: Span<UInt8>, at now: Instant
  ) {}
  public mutating func didLose(_ target: TargetIdentity, at now: Instant) {}
  public mutating func didUpdateState(_ state: SensorState, at now: Instant) {}
  /// No work.
  @inline(__always)
  public mutating func nextWork(at now: Instant) -> SensorWork { .none(until: .never) }
}

/// A delegate that ignores all events.
public struct NoDelegate: SensorDelegate, BitwiseCopyable, Sendable {
  public init() {}
}
