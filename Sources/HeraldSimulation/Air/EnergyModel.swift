import HeraldEmbedded

/// The charge used by a device's radio: an estimate from the times the radio was on, and the processor's time
/// for received advertisements. Flash operations are not included.
///
/// Sources: product specifications of the nRF52833 and the nRF52840, chapter "Current consumption", 3 V with
/// the DC/DC converter: radio transmitting at 0 dBm, 1 Mbit/s (I_RADIO_TX1), and receiving at 1 Mbit/s
/// (I_RADIO_RX0). A running processor increases the receiver's current from 6.26 mA to 8.6 mA (nRF52840,
/// compounded, CoreMark from flash). With only RAM and the 32 kHz clock on, the current is about 2 µA.
public struct EnergyModel: Sendable {
  /// Current while transmitting, in mA.
  public var transmitting = 6.0
  /// Current while receiving or listening, in mA.
  public var receiving = 6.0
  /// Additional current while the processor runs, in mA.
  public var processing = 2.34
  /// Sleep current, in mA.
  public var sleeping = 0.002
  /// Ramp-up time of the radio before it transmits or receives, in microseconds, at full current (fast
  /// ramp-up, product specification, RADIO).
  public var rampUp = 40.0
  /// Processor time for each received advertisement, in microseconds: at most 3,000 instructions of two
  /// cycles each, at 64 MHz.
  public var perAdvertisement = 94.0

  /// Creates the model of the nRF52833.
  public init() {}

  /// The model of the nRF52840.
  public static var nRF52840: EnergyModel {
    var model = EnergyModel()
    model.transmitting = 6.4
    model.receiving = 6.26
    return model
  }

  /// The charge of one connectable advertising event of 29 bytes at 0 dBm, in microcoulombs: measured on an
  /// nRF52832 (Laird, BL652 user guide, table 10). `charge` gives about the same value from the radio's
  /// times.
  public static var measuredAdvertisingEvent: Double { 10.64 }

  /// The mean current in mA (mAh per hour) for the use of a radio over `microseconds`, and for the
  /// advertisements that it reported.
  public func charge(_ use: RadioUse, over microseconds: UInt64, advertisements: UInt64 = 0) -> Double {
    guard microseconds > 0 else { return 0 }
    let on =
      transmitting * (Double(use.transmitting) + rampUp * Double(use.turns))
      + receiving * (Double(use.scanning) + Double(use.receiving) + rampUp * Double(use.turns))
      + processing * perAdvertisement * Double(advertisements)
    return sleeping + on / Double(microseconds)
  }

  /// The mean current in mA of a schedule without peers: advertising events as measured, scan windows, sleep.
  public func charge(scheduled configuration: HeraldConfiguration) -> Double {
    // The interval plus the mean random delay of 5 ms.
    let events = 1000 / (Double(configuration.advertisingInterval.milliseconds) + 5)
    let timing = configuration.scanTiming
    let share = Double(timing.window.milliseconds) / Double(timing.interval.milliseconds)
    return sleeping + events * Self.measuredAdvertisingEvent / 1000 + share * receiving
  }
}

/// The times a radio has spent in each state, in microseconds.
public struct RadioUse: Sendable {
  /// Transmitting: advertisements, and its packets in connection events.
  public internal(set) var transmitting: UInt64 = 0
  /// Receiving in connection events, and listening for responses to advertisements.
  public internal(set) var receiving: UInt64 = 0
  /// Scan windows, for scanning or initiating.
  public internal(set) var scanning: UInt64 = 0
  /// The part of `transmitting` and `receiving` that was spent in connections.
  public internal(set) var connections: UInt64 = 0
  /// The number of changes from transmitting to receiving.
  public internal(set) var turns: UInt64 = 0
}
