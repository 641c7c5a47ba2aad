import Foundation
import HeraldSimulation

/// What floods of made-up addresses cost in charge: two devices in a room for an hour, with a flood and
/// without.
enum FloodChargeBenchmark {
  static func run(_ figures: inout Figures) {
    let quiet = charge(nil)
    var worst = 0.0
    for kind in CrowdFlood.Kind.allCases {
      let flooded = charge(kind)
      print(
        "    ten new addresses a second, \(kind.rawValue): "
          + String(format: "%.3f mA, %.3f mA without, %.3f times as much", flooded, quiet, flooded / quiet))
      worst = max(worst, flooded / quiet)
    }
    figures.add("flood_charge_ratio", worst, "")
  }

  private static func charge(_ kind: CrowdFlood.Kind?) -> Double {
    var configuration = CrowdConfiguration()
    configuration.devices = 2
    configuration.flood = kind.map(CrowdFlood.init)
    let crowd = Crowd(configuration)
    crowd.run(seconds: 3600)
    return crowd.report().chargePerHour
  }
}
