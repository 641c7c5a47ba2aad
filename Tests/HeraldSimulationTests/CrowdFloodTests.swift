import Testing

@testable import HeraldSimulation

@Suite("Crowds in a flood of made-up addresses")
struct CrowdFloodTests {
  /// An hour without a flood.
  private static let quiet = report(nil, devices: 2, seconds: 3600)

  private static func report(
    _ kind: CrowdFlood.Kind?, devices: Int, seconds: Int, switchOn: Int = 10, senders: Int = 10
  )
    -> CrowdReport
  {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    configuration.switchOnSeconds = switchOn
    configuration.flood = kind.map(CrowdFlood.init)
    configuration.flood?.senders = senders
    let crowd = Crowd(configuration)
    crowd.run(seconds: seconds)
    return crowd.report()
  }

  @Test(
    "Ten new addresses a second raise the mean current of the first hour by no more than a fifth",
    arguments: CrowdFlood.Kind.allCases)
  func charge(_ kind: CrowdFlood.Kind) {
    let quiet = Self.quiet
    let flooded = Self.report(kind, devices: 2, seconds: 3600)
    #expect(flooded.attempts > 20)
    #expect(flooded.chargePerHour < 1.2 * quiet.chargePerHour, "\(flooded.chargePerHour) mA")
    #expect(flooded.continuityPercent > 99, "\(flooded.continuityPercent) %")
  }

  @Test(
    "Devices that arrive in the midst of it are read within 30 s, and read others, whether addresses live for one second or for five",
    arguments: CrowdFlood.Kind.allCases, [10, 50])
  func arrivals(_ kind: CrowdFlood.Kind, senders: Int) {
    let report = Self.report(kind, devices: 4, seconds: 240, switchOn: 180, senders: senders)
    // Of 480 pairs of 40 other seeds, two at most were later, by up to 10 s.
    #expect(report.encounters == 12)
    #expect(report.detectionWithin30sPercent > 90)
    #expect(report.detectionPercent == 100)
  }
}
