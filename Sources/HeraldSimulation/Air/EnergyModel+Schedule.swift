import HeraldEmbedded
import HeraldEnergy

extension EnergyModel {
  /// The mean current in mA of a schedule without peers: advertising events as measured, scan windows, sleep.
  public func charge(scheduled configuration: HeraldConfiguration) -> Double {
    // The interval plus the mean random delay of 5 ms.
    let events = 1000 / (Double(configuration.advertisingInterval.milliseconds) + 5)
    let timing = configuration.scanTiming
    var share = Double(timing.window.milliseconds) / Double(timing.interval.milliseconds)
    if timing.latency > .zero {
      // A window in each round; a round takes the latency less 1/10, and up to 1/32, at random.
      let round = Double(timing.latency.milliseconds) * (1 - 1.0 / 10 - 1.0 / 64)
      share = (Double(configuration.advertisingInterval.milliseconds) + 13) / round
    }
    return sleeping + events * Self.measuredAdvertisingEvent / 1000 + share * receiving
  }
}
