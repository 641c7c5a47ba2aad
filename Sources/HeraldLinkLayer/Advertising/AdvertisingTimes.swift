import HeraldBluetooth
import HeraldHAL

/// When advertising events are due.
///
/// The delays are those of the address (`AdvertisingRhythm`), counted from the times that the events would
/// have without others of the radio. After an event that was delayed, the next ones are earlier by as much as
/// their delays permit, until they are at these times again. If that would take too many, the times are
/// counted from the delayed event on.
struct AdvertisingTimes: BitwiseCopyable {
  /// The time from which the next event is due.
  var due: RadioTime
  /// When it, or the one in progress, would be due if none had been delayed.
  private var nominal: RadioTime
  /// The end of high duty cycle advertising.
  private(set) var end: RadioTime
  private var rhythm: AdvertisingRhythm

  /// Nothing is due.
  init() {
    due = RadioTime(microseconds: 0)
    nominal = due
    end = due
    rhythm = AdvertisingRhythm()
  }

  /// How late events may be and catch up, in microseconds.
  private static var longestLag: UInt32 { 60_000 }

  /// Advertising begins under an address, or continues with other settings. `chance`: random bits.
  mutating func start(_ address: DeviceAddress, continues: Bool, chance: UInt32, at now: RadioTime) {
    rhythm.follow(address, chance: chance)
    if !continues {
      due = now
      nominal = now
    }
    end = now + 1_280_000
  }

  /// An event began at `start`: the next one is due the interval and a delay of 0…10 ms later (Core
  /// Specification, Vol 6, Part B, 4.4.2.2.1). `interval`: in microseconds.
  mutating func plan(after start: RadioTime, interval: UInt32, isHighDuty: Bool) {
    let soonest = start + interval
    let delay = isHighDuty ? 0 : rhythm.next(interval: interval / 1000)
    nominal = nominal + (interval &+ delay)
    due = nominal.isBefore(soonest) ? soonest : nominal
    guard soonest.since(nominal) > Self.longestLag || nominal.since(soonest) > 10_000 else { return }
    due = soonest + delay
    nominal = due
  }
}
