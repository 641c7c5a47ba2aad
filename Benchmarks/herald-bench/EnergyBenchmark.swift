import Foundation
import HeraldSimulation

/// What a setting costs in charge, and what it brings: the schedule's current and that of simulated devices,
/// against how soon and how often they hear each other. The sources of the currents are at `EnergyModel`.
enum EnergyBenchmark {
  /// Simulated minutes for so many devices.
  private static let crowds: [(devices: Int, minutes: Int)] = [(2, 480), (10, 480), (50, 30)]

  static func run(_ figures: inout Figures) {
    print(
      """
          mean mA at 3 V: the schedule alone (advertising, scanning, sleep; nRF52833), then simulated devices in a room with connections and
          the processor; every device has the setting. Against it: windows of 30 s with a reading, seconds until payloads are read, readings a window

          setting  scans    advertises  devices   schedule  nRF52833  nRF52840  continuity  99 % read  all read  readings
      """)
    for setting in EnergySetting.allCases {
      var worst = 0.0
      for crowd in crowds {
        let report = simulate(setting, crowd.devices, minutes: crowd.minutes)
        let configuration = setting.configuration
        let timing = configuration.scanTiming
        print(
          "    "
            + [
              pad(setting.rawValue, 9),
              pad("\(timing.window.milliseconds)/\(timing.interval.milliseconds)", 9),
              pad("\(configuration.advertisingInterval.milliseconds) ms", 12),
              pad("\(crowd.devices)", 8),
              number(EnergyModel().charge(scheduled: configuration), "%10.3f"),
              number(report.chargePerHour, "%10.3f"), number(report.chargePerHourNRF52840, "%10.3f"),
              number(report.continuityPercent, "%10.3f %%"), number(report.secondsUntilRead99, "%9.1f s"),
              number(report.longestSecondsUntilRead, "%8.1f s"), number(report.readingsPerWindow, "%10.1f"),
            ].joined())
        worst = max(worst, report.chargePerHourNRF52840)
      }
      switch setting {
      case .saver: figures.add("energy_saver_ma", worst, "mA")
      case .usual: figures.add("energy_default_ma", worst, "mA")
      case .dense: figures.add("energy_dense_ma", worst, "mA")
      }
    }
  }

  private static func simulate(_ setting: EnergySetting, _ devices: Int, minutes: Int) -> CrowdReport {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    configuration.node = setting.configuration
    let crowd = Crowd(configuration)
    crowd.run(seconds: minutes * 60)
    return crowd.report()
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func number(_ value: Double, _ format: String) -> String { String(format: format, value) }
}
