/// What a device's radio does costs charge. An estimate from the times the radio was on; the processor's work and flash are left out.
///
/// Currents are those of the nRF52833 at 3 V with its DC/DC converter (product specification, chapter "Current consumption"):
/// radio transmitting at 0 dBm, 1 Mbit/s, 6.0 mA (I_RADIO_TX1); radio receiving at 1 Mbit/s, 6.0 mA (I_RADIO_RX0). With everything off but
/// RAM and the 32 kHz clock it takes some 2 µA.
public struct EnergyModel: Sendable {
  /// Milliamperes while sending.
  public var transmitting = 6.0
  /// Milliamperes while receiving or listening.
  public var receiving = 6.0
  /// Milliamperes at all times.
  public var sleeping = 0.002
  /// Microseconds the radio takes to ramp up before it sends or receives, at full current (fast ramp-up, product specification, RADIO).
  public var rampUp = 40.0

  /// The nRF52833's.
  public init() {}

  /// Milliampere-hours per hour, which is to say the mean current in mA, for what a radio did in `microseconds`.
  public func charge(_ use: RadioUse, over microseconds: UInt64) -> Double {
    guard microseconds > 0 else { return 0 }
    let on =
      transmitting * (Double(use.transmitting) + rampUp * Double(use.turns))
      + receiving * (Double(use.scanning) + Double(use.receiving) + rampUp * Double(use.turns))
    return sleeping + on / Double(microseconds)
  }
}

/// How long a radio was at what, in microseconds.
public struct RadioUse: Sendable {
  /// Sending: advertisements, and its part of connection events.
  public internal(set) var transmitting: UInt64 = 0
  /// Receiving in connection events, and listening for answers to advertisements.
  public internal(set) var receiving: UInt64 = 0
  /// Scan windows, whether for advertisements or for the peer to connect to.
  public internal(set) var scanning: UInt64 = 0
  /// Of `transmitting` and `receiving`, what connections took.
  public internal(set) var connections: UInt64 = 0
  /// How often it turned from sending to receiving.
  public internal(set) var turns: UInt64 = 0
}
