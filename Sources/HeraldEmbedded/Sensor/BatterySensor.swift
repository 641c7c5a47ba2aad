import HeraldHAL

/// Reads the power state every 30 seconds, from the first poll on, and has it logged (HP-49).
public struct BatterySensor<Source: PowerSource & ~Copyable>: SensorDelegate, ~Copyable {
  /// The source.
  public var source: Source
  /// The last state; `nil` before the first.
  public private(set) var last: PowerReading?
  private var due: Instant

  /// A sensor that has not read yet.
  public init(_ source: consuming Source) {
    self.source = source
    last = nil
    due = .start
  }

  /// The polling interval.
  public static var period: Interval { .seconds(30) }

  /// Reads if the interval has passed. After a sleep over several intervals it reads once.
  public mutating func nextWork(at now: Instant) -> SensorWork {
    guard now >= due else { return .none(until: due) }
    let next = due + Self.period
    due = next > now ? next : now + Self.period
    guard let reading = source.read() else { return .none(until: due) }
    last = reading
    return .log(.battery(level: reading.level, external: reading.isExternal))
  }
}
