import Foundation
import HeraldSimulation

/// Crowds of whole nodes on one simulated air: how fast that goes, and what the nodes see of each other.
enum CrowdBenchmark {
  /// Simulated minutes for a number of devices. 8 hours are what is required; `--full` has all of them take
  /// so long, which is an hour of computing.
  static func minutes(devices: Int, isFull: Bool) -> Int {
    if isFull { return 480 }
    switch devices {
    case ...10: return 480
    case ...50: return 20
    default: return 3
    }
  }

  static func run(_ figures: inout Figures, isFull: Bool) {
    for devices in [2, 10, 50, 200] {
      let minutes = minutes(devices: devices, isFull: isFull)
      let (report, refused, seconds) = crowd(devices, seconds: minutes * 60)
      print(
        "    \(devices) devices for \(minutes) simulated minutes: \(Int(seconds.rounded())) s, "
          + "\(report.readingsLost) readings lost, \(refused) adverts refused by a budget, payloads read after \(report.longestSecondsUntilRead) s at most"
      )
      figures.add("continuity_\(devices)", report.continuityPercent, "%")
      if devices == 50 {
        figures.add("detection_50", report.detectionWithin30sPercent, "%")
        figures.add(
          "sim_adverts_per_second", Double(report.advertisementsDelivered) / seconds, "/s")
        figures.add("sim_device_hours_per_second", report.hours * Double(devices) / seconds, "/s")
      }
    }
    let (many, refused, seconds) = crowd(2000, seconds: 60) {
      // A person in 20 square metres.
      $0.scenario = .crowd
      $0.radius = 113
    }
    print(
      "    2000 devices for 1 simulated minute: \(Int(seconds.rounded())) s, \(many.advertisementsDelivered) readings, "
        + "\(refused) adverts refused by a budget, "
        + "\(many.bytesPerDevice) bytes a device")
    figures.add("continuity_2000", many.continuityPercent, "%")
  }

  private static func crowd(
    _ devices: Int, seconds: Int, _ change: (inout CrowdConfiguration) -> Void = { _ in }
  ) -> (CrowdReport, UInt64, Double) {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    change(&configuration)
    let crowd = Crowd(configuration)
    let start = DispatchTime.now().uptimeNanoseconds
    crowd.run(seconds: seconds)
    let refused = crowd.total(.strangersRefused) + crowd.total(.readingsRefused)
    return (crowd.report(), refused, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
  }
}
