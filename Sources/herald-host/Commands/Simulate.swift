import ArgumentParser
import Foundation
import HeraldConsole
import HeraldEnergy
import HeraldHostLink
import HeraldSimulation

extension CrowdScenario: ExpressibleByArgument {}
extension EnergySetting: ExpressibleByArgument {}
extension CrowdFlood.Kind: ExpressibleByArgument {}

/// `herald-host simulate`
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lets many simulated devices meet and says what they saw of each other.",
    discussion: """
      The devices are the real thing: the code of a wearable on a simulated radio, among others on the same channels. \
      SCENARIO is one of
        room   everybody has a seat within range of everybody
        crowd  people stroll and stop, in a place three times the range across
        walk   the same place, and nobody stops
      --flood adds made-up addresses at which there is no device: requests to connect to them are \
        unanswered  not answered, and fail
        silent      answered, and nothing is said on the connection
      The same is simulated without them then, to compare the charge. \
      The same seed gives the same result. No device is needed. CONTRIBUTING.md says what is modelled.

      Example: `herald-host simulate --devices 20 --hours 2 --scenario crowd`
      """)

  @Option(help: ArgumentHelp("How many devices, 2 to 2000.", valueName: "number"))
  var devices = 10

  @Option(
    help: ArgumentHelp(
      "How many phones stroll in and out among them, up to 500. They advertise once a second; half of them change their address every seven seconds.",
      valueName: "number"))
  var phones = 0

  @Option(help: "What the devices were configured with.")
  var setting = EnergySetting.usual

  @Option(help: ArgumentHelp("How long, in simulated hours.", valueName: "hours"))
  var hours = 1.0

  @Option(help: ArgumentHelp("Another number, another history.", valueName: "number"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Up to how far apart devices count as in range, 1 to 50.", valueName: "metres"))
  var range = 10.0

  @Option(help: "Where people are and how they move.")
  var scenario = CrowdScenario.room

  @Option(help: "Made-up addresses in the middle of the place: what becomes of requests to connect to them.")
  var flood: CrowdFlood.Kind?

  @Option(
    help: ArgumentHelp("With --flood: how many new addresses a second, 1 to 100.", valueName: "number"))
  var floodRate: Int?

  @OptionGroup var display: DisplayOptions

  mutating func validate() throws {
    guard (2...2000).contains(devices) else { throw ValidationError("--devices takes 2 to 2000.") }
    guard (0...500).contains(phones) else { throw ValidationError("--phones takes 0 to 500.") }
    guard hours > 0, hours <= 500 else {
      throw ValidationError("--hours takes more than 0 and at most 500.")
    }
    guard (1...100).contains(floodRate ?? 1) else { throw ValidationError("--flood-rate takes 1 to 100.") }
    guard flood != nil || floodRate == nil else {
      throw ValidationError("--flood-rate belongs to --flood.")
    }
    guard (1...50).contains(range) else { throw ValidationError("--range takes 1 to 50 metres.") }
  }

  /// The report with the resources used by the run.
  private struct Row: Encodable {
    let report: CrowdReport
    let scenario: String
    let seed: UInt64
    let flood: FloodRow?
    let batteryDays: [BatteryDays]
    let wallSeconds: Double
    let deviceHoursPerSecond: Double
    let advertisementsPerSecond: Double

    func encode(to encoder: any Encoder) throws {
      try report.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(scenario, forKey: .scenario)
      try container.encode(seed, forKey: .seed)
      try container.encodeIfPresent(flood, forKey: .flood)
      try container.encode(batteryDays, forKey: .batteryDays)
      try container.encode(wallSeconds, forKey: .wallSeconds)
      try container.encode(deviceHoursPerSecond, forKey: .deviceHoursPerSecond)
      try container.encode(advertisementsPerSecond, forKey: .advertisementsPerSecond)
    }

    enum Key: String, CodingKey {
      case scenario, seed, flood, batteryDays, wallSeconds, deviceHoursPerSecond, advertisementsPerSecond
    }
  }

  /// The results with the flood and, for comparison, of the same history without it.
  private struct FloodRow: Encodable {
    let kind: String
    let addressesPerSecond: Int
    let chargePerHourWithout: Double
  }

  /// How long cells last with the currents of a chip.
  private struct BatteryDays: Encodable {
    let chip: String
    let capacityMah: Double
    let days: Double
  }

  /// The cells on each chip.
  private static func batteryDays(_ report: CrowdReport) -> [BatteryDays] {
    [
      ("nRF52833", report.chargePerHour), ("nRF52840", report.chargePerHourNRF52840),
      ("nRF51822", report.chargePerHourNRF51822),
    ].flatMap { chip, current in
      BatteryLife.usualCells.map { cell in
        BatteryDays(
          chip: chip, capacityMah: cell.capacity,
          days: BatteryLife.days(capacity: cell.capacity, current: current))
      }
    }
  }

  private var configuration: CrowdConfiguration {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    configuration.phones = phones
    configuration.node = setting.configuration
    configuration.seed = seed
    configuration.range = Float(range)
    configuration.scenario = scenario
    configuration.flood = flood.map { CrowdFlood($0, addressesPerSecond: floodRate ?? Self.usualFloodRate) }
    return configuration
  }

  /// The default number of new addresses per second.
  private static let usualFloodRate = 10

  func run() throws {
    let total = max(1, Int((hours * 3600).rounded()))
    let bar = ProgressLine(isQuiet: display.quiet)
    let begun = ContinuousClock.now
    let crowd = Crowd(configuration)
    let runs = configuration.flood == nil ? 1 : 2
    func run(_ crowd: Crowd, after before: Int) {
      crowd.run(seconds: total) { second in
        bar.update(
          done: before + second, of: runs * total,
          text:
            "\(DurationText.of(seconds: before + second)) of \(DurationText.of(seconds: runs * total)) simulated"
        )
      }
    }
    run(crowd, after: 0)
    let took = begun.duration(to: .now)
    let flood = configuration.flood.map { flood in
      var quiet = configuration
      quiet.flood = nil
      let crowd = Crowd(quiet)
      run(crowd, after: total)
      return FloodRow(
        kind: flood.kind.rawValue, addressesPerSecond: flood.addressesPerSecond,
        chargePerHourWithout: crowd.report().chargePerHour)
    }
    bar.finish()
    let wall = max(1e-6, Double(took.components.seconds) + Double(took.components.attoseconds) * 1e-18)
    let report = crowd.report()
    let row = Row(
      report: report, scenario: scenario.rawValue, seed: seed, flood: flood,
      batteryDays: Self.batteryDays(report), wallSeconds: wall,
      deviceHoursPerSecond: report.hours * Double(devices) / wall,
      advertisementsPerSecond: Double(report.advertisementsDelivered) / wall)
    try display.show(row) { show(row) }
  }

  private func show(_ row: Row) {
    let report = row.report
    func number(_ value: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }
    var facts = Facts()
    facts.add("Devices", "\(report.devices), \(scenario.rawValue), range \(number(range, 0)) m, seed \(seed)")
    facts.add("Simulated", DurationText.of(seconds: Int((report.hours * 3600).rounded())))
    facts.add("Detection rate", "\(number(report.detectionPercent, 2)) % of \(report.encounters) encounters")
    facts.add("… within 30 s", "\(number(report.detectionWithin30sPercent, 2)) %")
    facts.add(
      "Until the payload is read",
      "\(number(report.secondsUntilRead99)) s for 99 %, \(number(report.longestSecondsUntilRead)) s at most")
    facts.add("Continuity", "\(number(report.continuityPercent, 3)) % of 30 s windows have a reading")
    facts.add("Readings per window", number(report.readingsPerWindow))
    facts.add(
      "Payloads read", "\(report.reads), of which \(report.rereads) were known (an address had changed)")
    facts.add(
      "Advertisements",
      "\(report.advertisementsSent) packets sent, \(report.advertisementsDelivered) delivered")
    facts.add(
      "Readings", "\(report.readingsLogged) logged, \(report.readingsLost) of those delivered were lost")
    facts.add(
      "Connections",
      "\(report.attempts) attempts, \(report.attemptsTimedOut) too long; \(report.connections) made, \(report.connectionRequestsLost) requests unheard; \(report.exchangesFailed) exchanges failed"
    )
    facts.add(
      "Estimated charge",
      "\(number(report.chargePerHour, 2)) mAh an hour, \(number(report.chargeScanningPercent, 0)) % of it for scanning"
    )
    let days = row.batteryDays.prefix(BatteryLife.usualCells.count)
    facts.add(
      "A battery lasts",
      zip(BatteryLife.usualCells, days).map { "\(number($1.days)) days (\($0.name))" }.joined(separator: ", ")
    )
    if let flood = row.flood {
      facts.add(
        "… without the flood",
        "\(number(flood.chargePerHourWithout, 2)) mAh an hour; with \(flood.addressesPerSecond) new addresses a second, \(flood.kind), it is \(number(report.chargePerHour / max(flood.chargePerHourWithout, 1e-9), 2)) times as much"
      )
    }
    if let phones = report.phones {
      facts.add(
        "Phones",
        "\(phones.phones): \(number(phones.detectionPercent, 2)) % of \(phones.encounters) encounters read, \(number(phones.detectionWithin30sPercent, 2)) % within 30 s"
      )
      facts.add(
        "… continuity",
        "\(number(phones.continuityPercent, 3)) %, \(number(phones.readingsPerWindow)) readings a window; \(phones.rereads) payloads read again"
      )
    }
    facts.add("Memory", "\(Console.size(report.bytesPerDevice)) a device")
    facts.add(
      "This took",
      "\(number(row.wallSeconds)) s: \(number(row.deviceHoursPerSecond, 2)) device-hours and \(number(row.advertisementsPerSecond, 0)) advertisements a second"
    )
    facts.print()
  }
}
