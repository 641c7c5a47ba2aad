import Foundation
import HeraldSimulation

/// How soon devices that are switched on one after another have read, and are read by, those that are there
/// already and scan in rounds; and how soon all have read all when they are switched on together.
enum NewcomerBenchmark {
  static func run(_ figures: inout Figures, isFull: Bool) {
    for (devices, minutes) in [(10, 20), (50, 10)] {
      var worst = 100.0
      for seed in 101..<UInt64(isFull ? 121 : 103) {
        worst = min(worst, report(devices, seconds: minutes * 60, seed).detectionWithin30sPercent)
      }
      print("    newcomers, \(devices) devices: \(String(format: "%.2f", worst)) % read within 30 s")
      figures.add("newcomer_share_\(devices)", worst, "%")
    }
    var slowest = 0.0
    for seed in 101..<UInt64(isFull ? 121 : 103) {
      slowest = max(slowest, report(50, seconds: 10, seed).longestSecondsUntilRead)
    }
    print("    50 devices, switched on together: all read within \(String(format: "%.1f", slowest)) s")
    figures.add("first_reads_50_s", slowest, "s")
  }

  /// Devices that are switched on at random times within this many seconds, until all have been on for some
  /// time.
  private static func report(_ devices: Int, seconds: Int, _ seed: UInt64) -> CrowdReport {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    configuration.switchOnSeconds = seconds
    configuration.seed = seed
    let crowd = Crowd(configuration)
    crowd.run(seconds: seconds + 100)
    return crowd.report()
  }
}
