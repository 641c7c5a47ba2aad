import HeraldHAL

// What the sensors beside the radio have to do.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// How much of the delegate's work is done in one poll; the rest waits for the next, which comes at once.
  @usableFromInline static var sensorRounds: Int { 16 }

  /// Does what the sensors beside the radio have to do, and says when to ask them again at the latest.
  @inlinable
  mutating func runSensors() {
    var round = 0
    while round < Self.sensorRounds {
      round &+= 1
      switch delegate.nextWork(at: now) {
      case .none(let until):
        wake(by: until)
        return
      case .log(let event): record(event)
      case .visited(let visit):
        record(
          .visited(
            visit.venue, firstHeard: now.since(visit.begin).milliseconds / 1000,
            lastHeard: now.since(visit.end).milliseconds / 1000))
        delegate.didVisit(visit, at: now)
      case .date(let unixMilliseconds):
        if configuration.takesTimeFromBeacons, !clock.isSet {
          _ = setClock(unixMilliseconds: unixMilliseconds, at: now, source: .beacon)
        }
      }
    }
    wake(by: now)
  }
}
