import HeraldHAL

// Peers that have not been heard for too long.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Forgets whoever has been silent for too long, and says when to look for such again: no peer's time comes
  /// before. One that is held or waits for a message may be let go at any moment: then once a second.
  @inlinable @inline(never)
  mutating func ageOut() {
    ageAt = after(configuration.expiry)
    for place in 0..<table.placesUsed where table.isTaken(place) {
      let silence = table[place].silence(at: now)
      if silence < configuration.expiry {
        let left = Interval(milliseconds: configuration.expiry.milliseconds &- silence.milliseconds)
        ageAt = earlier(ageAt, after(left))
      } else if table[place].isHeld || table[place].has(Target.awaitsMessageFlag) {
        ageAt = earlier(ageAt, after(.seconds(1)))
      } else {
        let identity = table[place].identity
        table.remove(place)
        counters.count(.losses)
        record(.lost, of: identity)
        delegate.didLose(identity, at: now)
      }
    }
  }
}
