// Peers that have not been heard for too long.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Forgets whoever has been silent for too long, and says when to look for such again: no peer's time comes
  /// before. One that is held or waits for a message may be let go at any moment: then once a second.
  @inlinable @inline(never)
  mutating func ageOut() {
    ageAt = context.after(context.configuration.expiry)
    for place in 0..<table.placesUsed where table.isTaken(place) {
      let silence = table[place].silence(at: context.now)
      if silence < context.configuration.expiry {
        let left = Interval(milliseconds: context.configuration.expiry.milliseconds &- silence.milliseconds)
        ageAt = context.earlier(ageAt, context.after(left))
      } else if table[place].isHeld || table[place].has(Target.awaitsMessageFlag) {
        ageAt = context.earlier(ageAt, context.after(.seconds(1)))
      } else {
        let identity = table[place].identity
        table.remove(place)
        context.sink.count(.losses)
        context.sink.record(.lost, of: identity)
        context.sink.delegate.didLose(identity, at: context.now)
      }
    }
  }
}
