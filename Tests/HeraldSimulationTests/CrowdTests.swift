import Testing

@testable import HeraldSimulation

@Suite("Crowds of real nodes")
struct CrowdTests {
  private func report(
    _ devices: Int, seconds: Int, _ change: (inout CrowdConfiguration) -> Void = { _ in }
  ) -> CrowdReport {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    change(&configuration)
    let crowd = Crowd(configuration)
    crowd.run(seconds: seconds)
    return crowd.report()
  }

  @Test("The same seed gives the same history, another seed another one")
  func determinism() {
    let first = report(5, seconds: 40) { $0.scenario = .walk }
    #expect(first == report(5, seconds: 40) { $0.scenario = .walk })
    #expect(
      first
        != report(5, seconds: 40) {
          $0.scenario = .walk
          $0.seed = 2
        })
  }

  @Test("Two nodes read each other's payload over the air, once")
  func exchange() {
    let report = report(2, seconds: 60)
    #expect(report.encounters == 2)
    #expect(report.detectionWithin30sPercent == 100)
    #expect(report.reads == 2)
    #expect(report.rereads == 0)
    #expect(report.connections == 2)
  }

  @Test(
    "HP-26 ten nodes in a room: a reading of everybody in every 30 s, and none lost that the radio delivered")
  func continuity() {
    let report = report(10, seconds: 150)
    #expect(report.continuityPercent >= 99.9)
    #expect(report.readingsPerWindow > 9)
    #expect(report.advertisementsDelivered > 4_000)
    #expect(report.readingsLogged == report.advertisementsDelivered)
    #expect(report.readingsLost == 0)
    #expect(report.detectionPercent == 100)
  }

  @Test("HP-03 a payload read again under a new address is known, and nobody is counted twice")
  func rotation() {
    let report = report(2, seconds: 150) { $0.node.addressPeriod = .minutes(1) }
    #expect(report.reads >= 4)
    #expect(report.rereads == report.reads - 2)
    #expect(report.continuityPercent >= 99.9)
  }

  @Test(
    "HP-26 fifty nodes in a room, all of whose addresses change, are within every budget",
    arguments: [11, 12] as [UInt64])
  func budgets(seed: UInt64) {
    var configuration = CrowdConfiguration()
    configuration.devices = 50
    configuration.seed = seed
    configuration.node.addressPeriod = .minutes(1)
    let crowd = Crowd(configuration)
    crowd.run(seconds: 75)
    #expect(crowd.total(.rotations) >= 100)
    #expect(crowd.total(.strangersRefused) == 0 && crowd.total(.readingsRefused) == 0)
    #expect(crowd.report().readingsLost == 0)
  }

  @Test("HP-02 nodes go on when no connection is ever reported as lost")
  func silence() {
    var configuration = CrowdConfiguration()
    configuration.devices = 6
    configuration.scenario = .walk
    configuration.range = 20
    let crowd = Crowd(configuration)
    crowd.air.reportsLostConnections = false
    crowd.run(seconds: 240)
    let report = crowd.report()
    #expect(report.readingsLost == 0)
    #expect(report.encounters > 10)
    #expect(report.detectionPercent > 90)
  }

  @Test(
    "Fifty nodes in a room: everybody has read everybody within 30 s of entering range, for less than 1 mA")
  func fifty() {
    let report = report(50, seconds: 60)
    #expect(report.encounters == 2450)
    #expect(report.detectionWithin30sPercent == 100)
    #expect(report.readingsLost == 0)
    let quiet = self.report(10, seconds: 300)
    #expect(quiet.chargePerHour < 1)
  }

  @Test(
    "Phones that stroll in and out are read and heard; one whose address changes every seven seconds is the same for 15 minutes"
  )
  func phones() throws {
    let report = report(2, seconds: 900) {
      $0.phones = 6
      $0.seed = 4
    }
    let phones = try #require(report.phones)
    #expect(phones.phones == 6)
    #expect(phones.encounters >= 8)
    #expect(phones.detectionPercent >= 90)
    #expect(phones.continuityPercent >= 90)
    #expect(phones.rereads <= 24)
    #expect(report.readingsLost == 0)
    // They change nothing about who counts as a device.
    #expect(report.devices == 2)
    #expect(report.encounters == 2)
    #expect(report.detectionPercent == 100)
  }

  @Test("Who was not in range does not count")
  func outOfRange() {
    let record = CrowdRecord(devices: 2)
    record.now = 0
    record.set(0, 1, isInRange: true)
    record.now = 30_000
    record.endWindow()
    #expect(record.amongDevices.windows == 1)
    #expect(record.amongDevices.windowsWithReading == 0)
    record.sender = 1
    record.measured(by: 0)
    record.now = 45_000
    record.didRead(1, by: 0)
    record.now = 60_000
    record.endWindow()
    #expect(record.amongDevices.windows == 2)
    #expect(record.amongDevices.windowsWithReading == 1)
    record.set(0, 1, isInRange: false)
    record.now = 90_000
    record.endWindow()
    #expect(record.amongDevices.windows == 2)
    #expect(record.amongDevices.encounters == 1)
    #expect(record.amongDevices.readAtAll == 1)
    #expect(record.amongDevices.readInTime == 0)
    #expect(record.amongDevices.longestDelay == 45_000)
    #expect(record.amongDevices.delay(share: 0.99) == 45)
  }

  @Test("An encounter without a read counts against the detection rate if it lasted 30 s")
  func missed() {
    let record = CrowdRecord(devices: 2)
    record.set(0, 1, isInRange: true)
    record.now = 29_000
    record.set(0, 1, isInRange: false)
    #expect(record.amongDevices.encounters == 0)
    record.set(0, 1, isInRange: true)
    record.now = 59_000
    record.finish()
    #expect(record.amongDevices.encounters == 1)
    #expect(record.amongDevices.readAtAll == 0)
  }

  @Test("Charge: an hour's half in scan windows, some packets sent, sleep all the time")
  func energy() {
    var use = RadioUse()
    use.scanning = 500_000
    use.transmitting = 1_000
    use.receiving = 500
    use.turns = 10
    // 0.002 + (6·(1000 + 400) + 6·(500,000 + 500 + 400)) / 1,000,000
    let charge = EnergyModel().charge(use, over: 1_000_000)
    #expect(abs(charge - 3.0158) < 0.000_001)
  }
}
