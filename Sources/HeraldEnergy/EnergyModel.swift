/// The charge used by a device: an estimate from the times the radio and its crystal were on, the processor's
/// work, and flash operations. docs/energy.md has all constants of the three chips in one table.
///
/// Sources of the values here: product specifications (PS) of the nRF52833 and the nRF52840, chapter "Current
/// consumption", 3 V with the DC/DC converter. Radio currents are those of the whole chip, with the crystal.
package struct EnergyModel: Sendable {
  /// Current while transmitting at 0 dBm, 1 Mbit/s, in mA (I_RADIO_TX1).
  package var transmitting = 6.0
  /// Current while receiving or listening at 1 Mbit/s, in mA (I_RADIO_RX0).
  package var receiving = 6.0
  /// Additional current while the processor runs, in mA: it increases the receiver's current from 6.26 mA to
  /// 8.6 mA (PS of the nRF52840, compounded, CoreMark from flash).
  package var processing = 2.34
  /// Sleep current, in mA: RAM retained, 32 kHz clock on (System ON, about 2 µA).
  package var sleeping = 0.002
  /// Current of the crystal oscillator and a timer of 1 MHz while the radio is off, in mA (I_TIMER2).
  package var crystal = 0.646
  /// The time for which the crystal runs before an event, in microseconds: the time that the link layer's
  /// driver reserves (`RadioChip`).
  package var crystalStart = 600.0
  /// Ramp-up time of the radio before it transmits or receives, in microseconds, at full current (fast
  /// ramp-up, product specification, RADIO).
  package var rampUp = 40.0
  /// Processor time for each received advertisement, in microseconds: at most 3,000 instructions of two
  /// cycles each, at 64 MHz.
  package var perAdvertisement = 94.0
  /// Processor time for each event of the radio, in microseconds, with interrupts, planning and the loop:
  /// `script/emulated counters_account` counts 1.8 ms a second with 5 events a second, at two cycles each
  /// instruction.
  package var perEvent = 360.0
  /// Time to program a word of flash, in microseconds (PS, NVMC, t_WRITE), at the current of the processor.
  package var flashWord = 42.5
  /// Time to erase a page of flash, in microseconds (PS, NVMC, t_ERASEPAGE), at the same current.
  package var flashErasure = 87_500.0

  /// Creates the model of the nRF52833.
  package init() {}

  /// The model of a chip by its name, as in `linker/CHIP.ld`; `nil` if its currents are not known.
  package static func of(chip: String) -> EnergyModel? {
    switch chip {
    case "nrf51822": .nRF51822
    case "nrf52833": EnergyModel()
    case "nrf52840": .nRF52840
    default: nil
    }
  }

  /// The model of the nRF52840.
  package static var nRF52840: EnergyModel {
    var model = EnergyModel()
    model.transmitting = 6.4
    model.receiving = 6.26
    model.flashWord = 41.0
    model.flashErasure = 85_000.0
    return model
  }

  /// The charge of one connectable advertising event of 29 bytes at 0 dBm, in microcoulombs: measured on an
  /// nRF52832 (Laird, BL652 user guide, table 10). `charge` gives about the same value from the radio's
  /// times.
  package static var measuredAdvertisingEvent: Double { 10.64 }

  /// The mean current in mA (mAh per hour) for what a device did over `microseconds`.
  package func charge(_ use: DeviceUse, over microseconds: UInt64) -> Double {
    parts(use, over: microseconds).total
  }

  /// The same, by what it was used for.
  package func parts(_ use: DeviceUse, over microseconds: UInt64) -> EnergyParts {
    guard microseconds > 0 else { return EnergyParts() }
    let time = Double(microseconds)
    let radio = use.radio
    let scans = Double(radio.scans)
    var parts = EnergyParts()
    parts.transmitting = transmitting * Double(radio.transmitting) / time
    let listening = scans + Double(radio.parts)
    parts.receiving = receiving * Double(radio.listening + radio.receiving) / time
    parts.ramp = rampUp * ((transmitting + receiving) * Double(radio.turns) + receiving * listening) / time
    // The first ramp-up of an event is before it, the others are in its pauses.
    let ramps = 2 * Double(radio.turns) - Double(radio.events) + Double(radio.parts)
    let pauses = max(0, Double(radio.pauses) - rampUp * max(0, ramps))
    parts.crystal = crystal * (crystalStart * (Double(radio.events) + scans) + pauses) / time
    parts.processor =
      processing
      * (perAdvertisement * Double(use.advertisements) + perEvent * (Double(radio.events) + scans)) / time
    parts.flash =
      processing * (flashWord * Double(use.words) + flashErasure * Double(use.erasures)) / time
    parts.sleep = sleeping
    return parts
  }

  /// The least mean current in mA with which two devices can discover each other within `seconds`:
  /// 2·√(Q·I/L) (Kindt and Chakraborty 2019), of advertising events of charge Q and listening at current I.
  package func bound(seconds: Double) -> Double {
    2 * (Self.measuredAdvertisingEvent / 1000 * receiving / seconds).squareRoot()
  }
}

/// What a device did: its radio, the advertisements that were processed, and the operations of its flash.
package struct DeviceUse: Sendable {
  /// The times of the radio.
  package var radio: RadioUse
  /// Advertisements reported to the host.
  package var advertisements: UInt64 = 0
  /// Words of flash programmed.
  package var words: UInt64 = 0
  /// Pages of flash erased.
  package var erasures: UInt64 = 0

  /// A device with this use of its radio, which received nothing and changed no flash.
  package init(_ radio: RadioUse) { self.radio = radio }
}

/// A mean current in mA, by its use.
package struct EnergyParts: Sendable {
  /// Transmitting.
  package var transmitting = 0.0
  /// Receiving and scanning.
  package var receiving = 0.0
  /// Ramp-ups of transmitter and receiver.
  package var ramp = 0.0
  /// The crystal oscillator while the radio is off.
  package var crystal = 0.0
  /// The processor.
  package var processor = 0.0
  /// Operations of the flash.
  package var flash = 0.0
  /// Sleep.
  package var sleep = 0.0

  /// No current.
  package init() {}

  /// The sum.
  package var total: Double { transmitting + receiving + ramp + crystal + processor + flash + sleep }

  /// Adds the parts of another device.
  package mutating func add(_ other: EnergyParts) {
    transmitting += other.transmitting
    receiving += other.receiving
    ramp += other.ramp
    crystal += other.crystal
    processor += other.processor
    flash += other.flash
    sleep += other.sleep
  }

  /// The parts divided by a number of devices.
  package func divided(by devices: Int) -> EnergyParts {
    let count = Double(max(1, devices))
    var parts = self
    parts.transmitting /= count
    parts.receiving /= count
    parts.ramp /= count
    parts.crystal /= count
    parts.processor /= count
    parts.flash /= count
    parts.sleep /= count
    return parts
  }
}

/// The times a radio has spent in each state, in microseconds.
package struct RadioUse: Sendable {
  /// A radio that was not used.
  package init() {}

  /// Transmitting: advertisements, and its packets in connection events.
  package var transmitting: UInt64 = 0
  /// Receiving in connection events, and listening for responses to advertisements.
  package var receiving: UInt64 = 0
  /// Scan windows, for scanning or initiating.
  package var scanning: UInt64 = 0
  /// The part of `transmitting` and `receiving` that was spent in connections.
  package var connections: UInt64 = 0
  /// The number of changes from transmitting to receiving.
  package var turns: UInt64 = 0
  /// The number of advertising events and connection events.
  package var events: UInt64 = 0
  /// The number of scan windows.
  package var scans: UInt64 = 0
  /// The time between the packets of an event, and between the parts of a scan window, in which the radio is
  /// off, or ramps up, and its crystal is on.
  package var pauses: UInt64 = 0
  /// The number of times at which a scan window was continued, after a received advertisement or another
  /// event.
  package var parts: UInt64 = 0
  /// The part of `scanning` in which the radio did not receive because of that.
  package var interrupted: UInt64 = 0

  /// The time for which it received in scan windows.
  package var listening: UInt64 { scanning - min(scanning, interrupted) }
}
