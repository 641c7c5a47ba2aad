import HeraldBluetooth
import HeraldHAL

// Messages of the application: which peers can receive one, and for which one is pending (HP-30…HP-32).

extension TargetTable {
  /// Whether a peer accepts messages and was received within the last minute.
  mutating func canBeSent(to slot: Int, at now: Instant) -> Bool {
    self[slot].isConnectable && !self[slot].isReceiveOnly && self[slot].state != .ignored
      && self[slot].silence(at: now) <= Outbox.messageLife
  }

  /// A message is pending for a peer from now on.
  mutating func queueMessage(for slot: Int) {
    self[slot].set(Target.awaitsMessageFlag, true)
    self[slot].retryAt = .start
    setOwesWork(slot, true)
  }

  /// How many peers are known to have a Herald service and were received within the last minute (HP-32). If
  /// `queueing`, a message is pending for each from now on.
  mutating func reachable(queueing: Bool, at now: Instant) -> Int {
    var count = 0
    var slot = 0
    while slot < slotsUsed {
      if canBeSent(to: slot, at: now), self[slot].state == .confirmed || self[slot].state == .read {
        count &+= 1
        if queueing { queueMessage(for: slot) }
      }
      slot &+= 1
    }
    return count
  }
}
