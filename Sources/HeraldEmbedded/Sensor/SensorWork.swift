/// Something that a sensor beside the radio has to do (`SensorDelegate.nextWork`).
public enum SensorWork: Equatable, BitwiseCopyable, Sendable {
  /// Nothing before this moment.
  case none(until: Instant)
  /// An event for the log.
  case log(LogEvent)
  /// A stay near a venue beacon is over: an event for the log and for every delegate.
  case visited(Visit)
  /// A beacon told the date, milliseconds since 1970-01-01T00:00:00Z. It is believed if the configuration says so and nobody has
  /// told the date before; it counts as uncertain (`PayloadSupplier.dateWasSet`), and a host's takes its place.
  case date(unixMilliseconds: UInt64)
}

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// How much of the delegate's work is done in one poll; the rest waits for the next, which comes at once.
  @usableFromInline static var sensorRounds: Int { 16 }

  /// Does what the sensors beside the radio have to do, and returns when to ask them again at the latest.
  @inlinable
  mutating func runSensors(at now: Instant) -> Instant {
    var round = 0
    while round < Self.sensorRounds {
      round &+= 1
      switch delegate.nextWork(at: now) {
      case .none(let until): return until
      case .log(let event): record(event, at: now)
      case .visited(let visit):
        record(
          .visited(
            visit.venue, firstHeard: now.since(visit.begin).milliseconds / 1000,
            lastHeard: now.since(visit.end).milliseconds / 1000), at: now)
        delegate.didVisit(visit, at: now)
      case .date(let unixMilliseconds):
        if configuration.takesTimeFromBeacons, !clock.isSet {
          _ = setClock(unixMilliseconds: unixMilliseconds, at: now, source: .beacon)
        }
      }
    }
    return now
  }
}
