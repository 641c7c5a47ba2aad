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
      switch context.sink.delegate.nextWork(at: context.now) {
      case .none(let until):
        context.wake(by: until)
        return
      case .log(let event): context.sink.record(event)
      case .visited(let visit):
        context.sink.record(
          .visited(
            visit.venue, firstHeard: context.now.since(visit.begin).milliseconds / 1000,
            lastHeard: context.now.since(visit.end).milliseconds / 1000))
        context.sink.delegate.didVisit(visit, at: context.now)
      case .date(let unixMilliseconds):
        if context.configuration.takesTimeFromBeacons, !context.sink.clock.isSet {
          _ = setClock(unixMilliseconds: unixMilliseconds, at: context.now, source: .beacon)
        }
      }
    }
    context.wake(by: context.now)
  }
}
