import HeraldBluetooth
import HeraldHAL

extension HeraldCore {
  /// Chooses the latency that lets the cell last for as long as a host has set, while scanning is in rounds.
  mutating func chooseLatency<R: Radio & ~Copyable>(_ radio: inout R) {
    guard Parts.takesSettings, scanning.rounds.isSparing,
      let days = context.settings[.lifetimeDays]
    else {
      return
    }
    let received = radio.receivingTime()
    var present: UInt32 = 0
    if received == nil {
      present = peers.table.present(within: context.scanTiming.latency, at: context.now)
    }
    context.chooseLatency(days: UInt32(days), received: received, peers: present)
  }
}

extension CoreContext {
  /// See `LatencyChoice.follow`.
  mutating func chooseLatency(days: UInt32, received: UInt32?, peers: UInt32) {
    let interval = advertisingInterval.milliseconds
    // Not by `inEffect`: called here it would be given a copy of all of this, on the stack.
    latency.follow(
      allowed: LatencyChoice.allowance(capacity: cellCapacity, days: days, interval: interval),
      interval: interval, received: received, peers: peers, at: now)
  }
}

extension TargetTable {
  /// The number of peers whose payload is known and that were received within a latency.
  @inline(never)
  mutating func present(within latency: Interval, at now: Instant) -> UInt32 {
    var count: UInt32 = 0
    var slot = 0
    while slot < slotsUsed {
      if isTaken(slot), self[slot].state == .read, self[slot].silence(at: now) <= latency { count &+= 1 }
      slot &+= 1
    }
    return count
  }
}
