import HeraldEmbedded

/// What a device's radio does costs charge. An estimate from the times the radio was on, and the processor's
/// time for what it hears; flash is left out.
///
/// Sources: product specifications of the nRF52833 and the nRF52840, chapter "Current consumption", 3 V with
/// the DC/DC converter: radio transmitting at 0 dBm, 1 Mbit/s (I_RADIO_TX1), and receiving at 1 Mbit/s
/// (I_RADIO_RX0). A processor at work beside the receiver makes 8.6 mA of 6.26 (nRF52840, compounded,
/// CoreMark from flash). With everything off but RAM and the 32 kHz clock it takes some 2 µA.
public struct EnergyModel: Sendable {
  /// Milliamperes while sending.
  public var transmitting = 6.0
  /// Milliamperes while receiving or listening.
  public var receiving = 6.0
  /// Milliamperes that the processor takes while it works.
  public var processing = 2.34
  /// Milliamperes at all times.
  public var sleeping = 0.002
  /// Microseconds the radio takes to ramp up before it sends or receives, at full current (fast ramp-up,
  /// product specification, RADIO).
  public var rampUp = 40.0
  /// Microseconds of the processor's for each advertisement heard: the 3,000 instructions it may take at
  /// most, two cycles each, at 64 MHz.
  public var perAdvertisement = 94.0

  /// The nRF52833's.
  public init() {}

  /// The nRF52840's.
  public static var nRF52840: EnergyModel {
    var model = EnergyModel()
    model.transmitting = 6.4
    model.receiving = 6.26
    return model
  }

  /// Microcoulombs for one connectable advertising event of 29 bytes at 0 dBm, all of it: measured on an
  /// nRF52832 (Laird, BL652 user guide, table 10). `charge` comes to about the same from the radio's times.
  public static var measuredAdvertisingEvent: Double { 10.64 }

  /// Milliampere-hours per hour, which is to say the mean current in mA, for what a radio did in
  /// `microseconds`, and for the advertisements that it reported.
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
    // The interval and 5 ms of chance on average.
    let events = 1000 / (Double(configuration.advertisingInterval.milliseconds) + 5)
    let timing = configuration.scanTiming
    let share = Double(timing.window.milliseconds) / Double(timing.interval.milliseconds)
    return sleeping + events * Self.measuredAdvertisingEvent / 1000 + share * receiving
  }
}

/// How long a radio was at what, in microseconds.
public struct RadioUse: Sendable {
  /// Sending: advertisements, and its part of connection events.
  public internal(set) var transmitting: UInt64 = 0
  /// Receiving in connection events, and listening for responses to advertisements.
  public internal(set) var receiving: UInt64 = 0
  /// Scan windows, whether for advertisements or for the peer to connect to.
  public internal(set) var scanning: UInt64 = 0
  /// Of `transmitting` and `receiving`, what connections took.
  public internal(set) var connections: UInt64 = 0
  /// How often it turned from sending to receiving.
  public internal(set) var turns: UInt64 = 0
}
