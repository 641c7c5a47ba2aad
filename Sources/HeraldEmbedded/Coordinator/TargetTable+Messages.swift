import HeraldBluetooth
import HeraldHAL

// Messages of the application: which peers can receive one, and for which one is pending (HP-30…HP-32).

extension TargetTable {
  /// Whether a peer accepts messages and was heard within the last minute.
  @inlinable
  mutating func canBeSent(to place: Int, at now: Instant) -> Bool {
    self[place].isConnectable && !self[place].isReceiveOnly && self[place].state != .ignored
      && self[place].silence(at: now) <= Outbox.messageLife
  }

  /// A message is pending for a peer from now on.
  @inlinable
  mutating func queueMessage(for place: Int) {
    self[place].set(Target.awaitsMessageFlag, true)
    self[place].retryAt = .start
    setOwesWork(place, true)
  }

  /// How many peers are known to have a Herald service and were heard within the last minute (HP-32). If
  /// `queueing`, a message is pending for each from now on.
  @inlinable
  mutating func reachable(queueing: Bool, at now: Instant) -> Int {
    var count = 0
    var place = 0
    while place < placesUsed {
      if canBeSent(to: place, at: now), self[place].state == .confirmed || self[place].state == .read {
        count &+= 1
        if queueing { queueMessage(for: place) }
      }
      place &+= 1
    }
    return count
  }
}
