import Foundation
import HeraldEnergy
import HeraldSimulation

/// What a setting costs in charge, and what it brings: the current of simulated devices, by its use, against
/// how soon and how often they receive each other. The sources of the currents are at `EnergyModel`.
enum EnergyBenchmark {
  /// A room, and how it is simulated.
  private struct Room {
    /// The part of the keys of its figures.
    let key: String
    let devices: Int
    var phones = 0
    var windowSeconds = 30
    /// Simulated minutes and seeds, in short and with `--full`.
    let short: (minutes: Int, seeds: Int)
    var full = (minutes: 480, seeds: 20)
  }

  private static let rooms = [
    Room(key: "2", devices: 2, short: (120, 2)),
    Room(key: "10", devices: 10, short: (60, 2)),
    Room(key: "50", devices: 50, short: (20, 1)),
    Room(key: "200", devices: 200, short: (4, 1), full: (60, 5)),
    Room(key: "phones", devices: 10, phones: 10, short: (30, 1)),
    Room(key: "20s", devices: 50, windowSeconds: 20, short: (10, 1)),
  ]
  /// The first seed: the schedule was made with others.
  private static var firstSeed: UInt64 { UInt64(option("first-seed") ?? "") ?? 101 }

  /// The value of `--name=value` on the command line.
  private static func option(_ name: String) -> String? {
    let start = "--\(name)="
    return CommandLine.arguments.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
  }

  /// Whether the option is this, or not given.
  private static func option(_ name: String, is value: String) -> Bool {
    option(name).map { $0 == value } ?? true
  }

  static func run(_ figures: inout Figures, isFull: Bool) {
    let models: [(String, EnergyModel)] = [
      ("nRF51822", .nRF51822), ("nRF52833", EnergyModel()), ("nRF52840", .nRF52840),
    ]
    print(
      "    least current for mutual discovery within 30 s, 2·√(Q·I/L): "
        + models.map { "\($0.0) \(number($0.1.bound(seconds: 30), "%.3f")) mA" }.joined(separator: ", "))
    print(
      """
          a room in which every device has the setting: mean mA at 3 V of the worst seed, by its use on the nRF52840 (transmitting, receiving, ramp-ups, crystal, processor, flash), and that
          of each chip; the share of the bound; windows with a reading in the worst seed, of devices and phones; seconds until payloads are read; readings a window

          setting  room     hours   tx     rx     ramp   crystal cpu   flash   nRF51822 52833  52840  bound  continuity  phones     99 % read  all read  readings
      """)
    // The defaults are those of `balanced`.
    for setting in EnergySetting.allCases where setting != .usual {
      let isMain = setting == .balanced
      var most = 0.0
      for room in rooms where isMain || ["2", "10", "50"].contains(room.key) {
        guard option("room", is: room.key), option("setting", is: setting.rawValue) else { continue }
        var form = isFull ? room.full : room.short
        if !isMain, !isFull { form.minutes = max(4, form.minutes / 4) }
        form.minutes = Int(option("minutes") ?? "") ?? form.minutes
        form.seeds = Int(option("seeds") ?? "") ?? form.seeds
        let prefix = isMain ? "" : setting.rawValue + "_"
        let current = measure(setting, room, minutes: form.minutes, seeds: form.seeds, prefix, &figures)
        if ["2", "10", "50"].contains(room.key) { most = max(most, current) }
      }
      // None of its rooms may be selected.
      if most > 0 { figures.add("energy_\(setting.rawValue)_ma", most, "mA") }
    }
  }

  private static func measure(
    _ setting: EnergySetting, _ room: Room, minutes: Int, seeds: Int, _ prefix: String,
    _ figures: inout Figures
  ) -> Double {
    var worst: (current: Double, line: String, report: CrowdReport)?
    var continuity = 100.0
    var phones = 100.0
    var slowest = 0.0
    var slowest99 = 0.0
    for seed in 0..<UInt64(seeds) {
      var configuration = CrowdConfiguration()
      configuration.devices = room.devices
      configuration.phones = room.phones
      configuration.windowSeconds = room.windowSeconds
      configuration.seed = firstSeed + seed
      configuration.node = setting.configuration
      if setting == .balanced {
        configuration.node.scanTiming.latency = .seconds(UInt32(room.windowSeconds))
      }
      let crowd = Crowd(configuration)
      crowd.run(seconds: minutes * 60)
      let report = crowd.report()
      let parts = crowd.energy(.nRF52840)
      continuity = min(continuity, report.continuityPercent)
      phones = min(phones, report.phones?.continuityPercent ?? 100)
      slowest = max(slowest, report.longestSecondsUntilRead)
      slowest99 = max(slowest99, report.secondsUntilRead99)
      guard report.chargePerHourNRF52840 > worst?.current ?? 0 else { continue }
      let line = [
        parts.transmitting, parts.receiving, parts.ramp, parts.crystal, parts.processor, parts.flash,
      ].map { number($0, "%7.3f") }.joined()
      worst = (report.chargePerHourNRF52840, line, report)
    }
    guard let worst else { return 0 }
    let share = EnergyModel.nRF52840.bound(seconds: Double(room.windowSeconds)) / worst.current
    print(
      "    "
        + [
          pad(setting.rawValue, 9), pad(room.key, 8), number(Double(minutes * seeds) / 60, "%6.1f"),
          worst.line,
          number(worst.report.chargePerHourNRF51822, "%10.3f"), number(worst.report.chargePerHour, "%7.3f"),
          number(worst.current, "%7.3f"), number(100 * share, "%5.0f %%"), number(continuity, "%10.3f %%"),
          room.phones > 0 ? number(phones, "%8.3f %%") : "          ", number(slowest99, "%9.1f s"),
          number(slowest, "%8.1f s"), number(worst.report.readingsPerWindow, "%10.1f"),
        ].joined())
    figures.add("energy_\(prefix)\(room.key)_ma", worst.current, "mA")
    figures.add(
      "continuity_\(prefix.isEmpty ? "balanced_" : prefix)\(room.key)", min(continuity, phones), "%")
    figures.add("bound_share_\(prefix)\(room.key)", share, "")
    return worst.current
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func number(_ value: Double, _ format: String) -> String { String(format: format, value) }
}
