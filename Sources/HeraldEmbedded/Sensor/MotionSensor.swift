import HeraldHAL

/// Asks a motion sensor whether the device is worn or lies, and has changes logged. The core scans a lying
/// device by the schedule of `RadioSetting.saver`.
///
/// A device that has not been moved for five minutes lies. It is worn again when it is moved, which is
/// noticed within half a second and the sensor's own delay.
///
/// A sensor that does not respond at the start is absent: it is not asked again, and nothing is logged. One
/// that ceases to respond, or whose responses are invalid, makes the state unknown, with scanning as for a
/// worn device, and is configured again once a minute.
public struct MotionSensor<Source: MotionSource & ~Copyable>: SensorDelegate, ~Copyable {
  /// The sensor.
  public var source: Source
  /// The present state.
  public private(set) var motion: MotionState
  private var phase: Phase
  /// Consecutive attempts without a valid response.
  private var failures: UInt8
  private var due: Instant
  /// The last time at which the device was moved.
  private var movedAt: Instant

  private enum Phase: UInt8 {
    /// To be configured for the first time.
    case new
    /// To be configured again.
    case lost
    case active
    case absent
    /// The setting has been changed: to be switched off.
    case stopping
    case off
  }

  /// A sensor that is not configured yet.
  public init(_ source: consuming Source) {
    self.source = source
    motion = .unknown
    phase = .new
    failures = 0
    due = .start
    movedAt = .start
  }

  /// After how much time without motion the device lies.
  public static var patience: Interval { .minutes(5) }
  /// How often the sensor of a worn device is asked.
  public static var wornPeriod: Interval { .seconds(10) }
  /// How often the sensor of a lying device is asked, and one again that has failed to respond.
  public static var lyingPeriod: Interval { .milliseconds(500) }
  /// How often a sensor that has failed is configured.
  public static var retryPeriod: Interval { .seconds(60) }
  /// The number of failures after which a sensor is absent, or its state unknown.
  public static var failureLimit: UInt8 { 3 }

  /// There is a sensor.
  @inline(__always) public static var hasMotion: Bool { true }

  /// Switches the detection on or off from the next call of `nextWork` on.
  public mutating func switchMotion(_ isOn: Bool) {
    if isOn {
      guard phase == .off || phase == .stopping else { return }
      (phase, failures) = (.new, 0)
    } else {
      guard phase != .off else { return }
      phase = .stopping
    }
    due = .start
  }

  /// Asks the sensor if the time has come.
  public mutating func nextWork(at now: Instant) -> SensorWork {
    guard now >= due else { return .none(until: due) }
    switch phase {
    case .new, .lost: return start(at: now)
    case .active: return ask(at: now)
    case .stopping:
      source.stop()
      (phase, due) = (.off, .never)
      return change(to: .unknown)
    case .absent, .off:
      due = .never
      return .none(until: due)
    }
  }

  private mutating func start(at now: Instant) -> SensorWork {
    if source.start() {
      (phase, failures, movedAt) = (.active, 0, now)
      due = now + Self.wornPeriod
      return change(to: .worn)
    }
    failures = failures < Self.failureLimit ? failures &+ 1 : failures
    if phase == .lost {
      due = now + Self.retryPeriod
    } else if failures < Self.failureLimit {
      due = now + Self.lyingPeriod
    } else {
      source.stop()
      (phase, due) = (.absent, .never)
    }
    return .none(until: due)
  }

  private mutating func ask(at now: Instant) -> SensorWork {
    guard let wasMoved = source.wasMoved() else {
      failures &+= 1
      due = now + Self.lyingPeriod
      guard failures >= Self.failureLimit else { return .none(until: due) }
      (phase, failures) = (.lost, 0)
      return change(to: .unknown)
    }
    failures = 0
    if wasMoved { movedAt = now }
    let limit = movedAt + Self.patience
    guard now < limit else {
      due = now + Self.lyingPeriod
      return change(to: .lying)
    }
    let next = now + Self.wornPeriod
    due = next < limit ? next : limit
    return change(to: .worn)
  }

  /// Has a new state logged.
  private mutating func change(to state: MotionState) -> SensorWork {
    guard state != motion else { return .none(until: due) }
    motion = state
    return .log(.motion(state))
  }
}
