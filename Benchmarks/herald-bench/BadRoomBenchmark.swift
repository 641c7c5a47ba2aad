import Foundation
import HeraldEmbedded
import HeraldSimulation

/// Rooms that are bad for the schedule: one that fills and empties, controllers that take 50 ms for a scan
/// command, addresses that change at different times, and a cell that is to last for a number of days.
enum BadRoomBenchmark {
  static func run(_ figures: inout Figures, isFull: Bool) {
    surge(&figures, devices: isFull ? 200 : 100)
    changing(&figures, rooms: isFull ? [50, 100, 200] : [50], minutes: isFull ? 45 : 15)
    delays(&figures, minutes: isFull ? 240 : 60)
    lifetimes(&figures)
  }

  /// A room of two that fills within a minute and empties again: continuity by minutes.
  private static func surge(_ figures: inout Figures, devices: Int) {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    configuration.seed = 101
    // The devices are in rounds when they come.
    configuration.surge = CrowdSurge(residents: 2, begin: 120, length: 60, stay: 180)
    let crowd = Crowd(configuration)
    crowd.run(seconds: 120)
    var least = 100.0
    for minute in 0..<6 {
      let found = continuity(crowd, seconds: 60)
      least = min(least, found)
      print(
        "    2 to \(devices) devices within a minute, and back after three: minute \(minute + 1): "
          + String(format: "%.2f %%", found))
    }
    figures.add("surge_continuity", least, "%")
  }

  /// Rooms of devices that were switched on within 15 minutes, so that their addresses change one after the
  /// other, from the 15th minute on.
  private static func changing(_ figures: inout Figures, rooms: [Int], minutes: Int) {
    for devices in rooms {
      var configuration = CrowdConfiguration()
      configuration.devices = devices
      configuration.seed = 101
      configuration.switchOnSeconds = 900
      let crowd = Crowd(configuration)
      crowd.run(seconds: 900)
      let first = crowd.energy(.nRF52840).total * 900
      let found = continuity(crowd, seconds: minutes * 60)
      let length = Double(minutes * 60)
      let current = (crowd.energy(.nRF52840).total * (900 + length) - first) / length
      print(
        "    \(devices) devices that change their addresses at different times: "
          + String(format: "%.3f mA, %.3f %%", current, found))
      figures.add("changing_\(devices)_ma", current, "mA")
      figures.add("continuity_changing_\(devices)", found, "%")
    }
  }

  /// The continuity between devices in the next seconds.
  private static func continuity(_ crowd: Crowd, seconds: Int) -> Double {
    let before = crowd.record.amongDevices
    crowd.run(seconds: seconds)
    let after = crowd.record.amongDevices
    let windows = after.windows - before.windows
    return windows == 0
      ? 100 : 100 * Double(after.windowsWithReading - before.windowsWithReading) / Double(windows)
  }

  /// Ten devices with random advertising delays, as over HCI controllers of other makers, and scan commands
  /// that take 50 ms.
  private static func delays(_ figures: inout Figures, minutes: Int) {
    for (key, isRandom, delay) in [
      ("", false, 0), ("random_", true, 0), ("delayed_", false, 50), ("hci_", true, 50),
    ] {
      var continuity = 100.0
      var current = 0.0
      for seed in [101, 102] as [UInt64] {
        var configuration = CrowdConfiguration()
        configuration.seed = seed
        configuration.hasRandomDelays = isRandom
        configuration.scanDelay = delay
        let crowd = Crowd(configuration)
        crowd.run(seconds: minutes * 60)
        let report = crowd.report()
        continuity = min(continuity, report.continuityPercent)
        current = max(current, report.chargePerHourNRF52840)
      }
      print(
        "    10 devices, \(isRandom ? "random" : "repeated") delays, scan commands after \(delay) ms: "
          + String(format: "%.3f mA, %.3f %%", current, continuity))
      guard !key.isEmpty else { continue }
      figures.add("\(key)10_ma", current, "mA")
      figures.add("continuity_\(key)10", continuity, "%")
    }
  }

  /// What the devices of a room take of the current that a cell of 220 mAh has for a number of days, from the
  /// third to the eighth hour.
  private static func lifetimes(_ figures: inout Figures) {
    for (devices, days) in [(2, 75), (2, 120), (10, 75), (10, 100)] {
      var configuration = CrowdConfiguration()
      configuration.devices = devices
      configuration.seed = 101
      let crowd = Crowd(configuration)
      var values = SettingValues()
      values.set(.lifetimeDays, to: UInt32(days))
      for device in 0..<devices { crowd.withNode(device) { $0.core.take(values, at: .start) } }
      crowd.run(seconds: 7200)
      let first = crowd.energy(.nRF52840).total
      crowd.run(seconds: 6 * 3600)
      let current = (crowd.energy(.nRF52840).total * 8 - first * 2) / 6
      let wanted = 220 / (24 * Double(days))
      var latency = 0.0
      for device in 0..<devices {
        latency += crowd.withNode(device) { Double($0.core.inEffect(.latency)) } / Double(devices)
      }
      print(
        "    \(devices) devices, 220 mAh for \(days) days: "
          + String(format: "%.3f mA of %.3f, latency %.0f s", current, wanted, latency))
      figures.add("lifetime_share_\(devices)_\(days)", current / wanted, "")
    }
  }
}
