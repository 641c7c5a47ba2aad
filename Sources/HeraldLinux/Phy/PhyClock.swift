import HeraldHAL

/// The clock of a device of a phy: microseconds with a constant frequency deviation and an initial offset
/// from the simulated time.
struct PhyClock {
  /// The frequency deviation in ppm; positive values are too fast.
  let deviation: Int
  /// The value at the start of the simulation, in microseconds.
  let offset: UInt32

  /// The picoseconds of the clock in a microsecond of the simulation.
  private var rate: Int { 1_000_000 + deviation }

  /// The value at a simulated time in microseconds.
  func local(_ time: Int) -> RadioTime {
    RadioTime(microseconds: offset &+ UInt32(truncatingIfNeeded: time * rate / 1_000_000))
  }

  /// The time since the start of the simulation, at a simulated time in microseconds.
  func elapsed(_ time: Int) -> Instant { Instant(milliseconds: UInt64(time * rate / 1_000_000_000)) }

  /// The first simulated time, in microseconds, at which the clock has reached `local`, which is less than 35
  /// minutes from `now`.
  func simulated(_ local: RadioTime, near now: Int) -> Int {
    let elapsed = now * rate
    let shown = offset &+ UInt32(truncatingIfNeeded: elapsed / 1_000_000)
    let distance = Int(Int32(bitPattern: local.microseconds &- shown))
    let ahead = distance * 1_000_000 - elapsed % 1_000_000
    return now + (ahead > 0 ? ahead + rate - 1 : ahead) / rate
  }
}
