/// What a device has done since it started, by its own counters (docs/link-layer.md, "Statistics"). Times are
/// in milliseconds. The values are those that the device sent: nothing is assumed of them.
package struct MeasuredUse: Equatable, Sendable {
  /// The reason why no current can be computed from the counters of a device.
  package enum Defect: Error, Equatable, Sendable {
    /// There are no counters of a radio: a device over HCI has none.
    case noRadio
    /// The device started less than a minute ago.
    case justStarted
    /// The times are longer than the time since the start, or contradict each other.
    case contradictory
    /// Nothing is known of the currents of this board.
    case unknownBoard(String)
  }

  /// The time since the start.
  package var uptime: UInt64 = 0
  /// The time for which the receiver was on; `nil` if the device does not count it.
  package var receiving: UInt64?
  /// The time for which packets were transmitted.
  package var transmitting: UInt64 = 0
  /// The time of ramp-ups.
  package var ramping: UInt64 = 0
  /// The time for which the radio kept its crystal oscillator on, which includes the three others.
  package var crystal: UInt64 = 0
  /// Events of the radio.
  package var events: UInt64 = 0
  /// Received advertisements.
  package var advertisements: UInt64 = 0
  /// The time for which the processor slept, without its interrupts; `nil` if it is not counted.
  package var asleep: UInt64?
  /// Words of flash that were programmed.
  package var words: UInt64 = 0
  /// Pages of flash that were erased.
  package var erasures: UInt64 = 0

  /// A device that counted nothing.
  package init() {}

  /// The least uptime of which a mean is made, in milliseconds.
  package static let leastUptime: UInt64 = 60_000
  /// The number of milliseconds after which a counter of 32 bits may have overflowed: 49.7 days.
  package static let overflow: UInt64 = 1 << 32

  /// Whether a counter may have overflowed, so that the current is at least the computed one.
  package var mayHaveOverflowed: Bool { uptime >= Self.overflow }

  /// Adds the times of a role of the link layer.
  package mutating func add(
    receiving: UInt64, transmitting: UInt64, ramping: UInt64, crystal: UInt64, events: UInt64
  ) {
    self.receiving = Self.sum(self.receiving ?? 0, receiving)
    self.transmitting = Self.sum(self.transmitting, transmitting)
    self.ramping = Self.sum(self.ramping, ramping)
    self.crystal = Self.sum(self.crystal, crystal)
    self.events = Self.sum(self.events, events)
  }

  static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (sum, overflows) = one.addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  /// The milliseconds by which times may exceed those that contain them: they are read one after the other,
  /// and each is rounded down.
  private static let tolerance: UInt64 = 1_000

  /// The greatest sum of the five roles' counters of 32 bits.
  private static let most: UInt64 = 5 * UInt64(UInt32.max)

  /// The time with the receiver on, if the counters can be those of a device.
  func checkedReceiving() throws(Defect) -> UInt64 {
    guard let receiving else { throw .noRadio }
    guard uptime >= Self.leastUptime else { throw .justStarted }
    let used = Self.sum(Self.sum(receiving, transmitting), ramping)
    let limit = Self.sum(uptime, Self.tolerance)
    guard max(receiving, transmitting, ramping, crystal) <= Self.most else { throw .contradictory }
    guard used <= Self.sum(crystal, Self.tolerance) || mayHaveOverflowed, used <= limit, crystal <= limit,
      asleep ?? 0 <= limit || mayHaveOverflowed
    else { throw .contradictory }
    return receiving
  }
}

extension EnergyModel {
  /// The mean current in mA since the start of a device, by its use. `hasCrystalAlways`: the crystal also
  /// runs while the radio does not need it.
  /// - Throws: the reason why it is not known.
  package func parts(_ use: MeasuredUse, hasCrystalAlways: Bool = false) throws(MeasuredUse.Defect)
    -> EnergyParts
  {
    let receives = Double(try use.checkedReceiving())
    let time = Double(use.uptime)
    let transmits = Double(use.transmitting)
    let ramps = Double(use.ramping)
    var parts = EnergyParts()
    parts.transmitting = transmitting * transmits / time
    parts.receiving = receiving * receives / time
    parts.ramp = max(transmitting, receiving) * ramps / time
    let crystals = hasCrystalAlways ? time : Double(use.crystal)
    parts.crystal = crystal * max(0, crystals - transmits - receives - ramps) / time
    // Interrupts are in the model's times and not in the time awake; a loop that does not sleep is in the
    // time awake only.
    let events = (perAdvertisement * Double(use.advertisements) + perEvent * Double(use.events)) / 1000 / time
    var awake = 0.0
    if let asleep = use.asleep, !use.mayHaveOverflowed { awake = max(0, 1 - Double(asleep) / time) }
    parts.processor = processing * min(1, max(events, awake))
    let flash = (flashWord * Double(use.words) + flashErasure * Double(use.erasures)) / 1000 / time
    parts.flash = processing * min(1, flash)
    parts.sleep = sleeping
    return parts
  }
}
