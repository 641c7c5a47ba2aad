import HeraldEmbedded
import HeraldEnergy
import Testing

@testable import HeraldSimulation

@Suite("Crowds of real nodes")
struct CrowdTests {
  private func report(
    _ devices: Int, seconds: Int, _ change: (inout CrowdConfiguration) -> Void = { _ in }
  ) -> CrowdReport {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    configuration.node = .steady
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
    // One that is connected to reads over the same connection, if it has received the other.
    #expect((1...2).contains(report.connections))
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
    configuration.node = .steady
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
    configuration.node = .steady
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
    "Scanning in rounds: ten devices receive each other in each 30 s for a fourth of the current of fixed windows",
    arguments: [21, 22] as [UInt64])
  func rounds(seed: UInt64) {
    let rounds = report(10, seconds: 1200) {
      $0.seed = seed
      $0.node = HeraldConfiguration()
    }
    // The first of 20 minutes costs 0.03 mA, the change of addresses in the sixteenth as much.
    #expect(rounds.continuityPercent >= 99.9)
    #expect(rounds.chargePerHourNRF52840 < 0.2, "\(rounds.chargePerHourNRF52840) mA")
    #expect(rounds.readingsLost == 0)
    #expect(rounds.readingsPerWindow > 1 && rounds.readingsPerWindow < 3)
    let fixed = report(10, seconds: 300) { $0.seed = seed }
    #expect(fixed.chargePerHourNRF52840 > 0.65)
  }

  @Test(
    "A device that arrives where others scan in rounds is read within 30 s, and reads them, by one connection"
  )
  func newcomers() {
    let report = report(8, seconds: 640) {
      $0.switchOnSeconds = 600
      $0.node = HeraldConfiguration()
    }
    #expect(report.encounters == 56)
    #expect(report.detectionWithin30sPercent == 100)
    #expect(report.connections < 40)
  }

  @Test("Devices with radios of other makers, whose delays are random, receive each other as before")
  func randomDelays() {
    let report = report(10, seconds: 1200) {
      $0.seed = 21
      $0.node = .balanced
      $0.hasRandomDelays = true
    }
    #expect(report.continuityPercent >= 99.9)
    #expect(report.chargePerHourNRF52840 < 0.2, "\(report.chargePerHourNRF52840) mA")
  }

  @Test("Two devices that are switched on in the same second receive each other in each 30 s for an hour")
  func step() {
    let report = report(2, seconds: 3600) {
      $0.switchOnSeconds = 1
      $0.node = HeraldConfiguration()
    }
    #expect(report.continuityPercent >= 99)
    #expect(report.chargePerHourNRF52840 < 0.15, "\(report.chargePerHourNRF52840) mA")
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
    use.events = 4
    use.scans = 1
    use.pauses = 1600
    use.parts = 9
    use.interrupted = 2_000
    var whole = DeviceUse(use)
    whole.advertisements = 5
    whole.words = 100
    whole.erasures = 1
    let parts = EnergyModel().parts(whole, over: 1_000_000)
    #expect(abs(parts.transmitting - 0.006) < 1e-9)
    // 6·(500,000 − 2,000 + 500), in mA and µs
    #expect(abs(parts.receiving - 2.991) < 1e-9)
    // 40·(12·10 + 6·(1 + 9))
    #expect(abs(parts.ramp - 0.007_2) < 1e-9)
    // 0.646·(600·5 + 1600 − 40·(20 − 4 + 9))
    #expect(abs(parts.crystal - 0.002_325_6) < 1e-9)
    // 2.34·(94·5 + 360·5)
    #expect(abs(parts.processor - 0.005_311_8) < 1e-9)
    // 2.34·(42.5·100 + 87,500)
    #expect(abs(parts.flash - 0.214_695) < 1e-9)
    #expect(parts.sleep == 0.002)
    let charge = EnergyModel().charge(whole, over: 1_000_000)
    #expect(abs(charge - 3.228_532_4) < 1e-9)
  }

  @Test("The bound of mutual discovery within 30 s: 2·√(10.64 µC · 6 mA / 30 s), and of the nRF52840")
  func bound() {
    #expect(abs(EnergyModel().bound(seconds: 30) - 0.092_260_5) < 1e-6)
    #expect(abs(EnergyModel.nRF52840.bound(seconds: 30) - 0.094_238_4) < 1e-6)
    // 13 mA on the nRF51822.
    #expect(EnergyModel.nRF51822.bound(seconds: 30) > 0.13)
  }
}
