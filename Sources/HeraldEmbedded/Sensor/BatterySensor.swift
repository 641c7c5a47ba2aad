import HeraldHAL

/// Asks for the power every 30 seconds, from the first poll on, and has the response logged (HP-49).
public struct BatterySensor<Source: PowerSource & ~Copyable>: SensorDelegate, ~Copyable {
  /// The source.
  public var source: Source
  /// The last response; `nil` before the first.
  public private(set) var last: PowerReading?
  private var due: Instant

  /// A sensor that has not asked yet.
  public init(_ source: consuming Source) {
    self.source = source
    last = nil
    due = .start
  }

  /// The polling interval.
  public static var period: Interval { .seconds(30) }

  /// Asks if it is time to. After a sleep over several periods it asks once.
  public mutating func nextWork(at now: Instant) -> SensorWork {
    guard now >= due else { return .none(until: due) }
    let next = due + Self.period
    due = next > now ? next : now + Self.period
    guard let reading = source.read() else { return .none(until: due) }
    last = reading
    return .log(.battery(level: reading.level, external: reading.isExternal))
  }
}
