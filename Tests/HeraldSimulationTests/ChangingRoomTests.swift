import HeraldEmbedded
import HeraldEnergy
import Testing

@testable import HeraldSimulation

/// Rooms in which addresses change at different times: those of devices that were not switched on together.
@Suite("Rooms in which addresses change at different times")
struct ChangingRoomTests {
  private func crowd(_ devices: Int, seed: UInt64) -> Crowd {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    configuration.seed = seed
    configuration.switchOnSeconds = 240
    configuration.node.addressPeriod = .minutes(4)
    return Crowd(configuration)
  }

  @Test(
    "32 devices that change their addresses one after the other are received, and read with few attempts",
    arguments: [101, 102] as [UInt64])
  func oneAfterTheOther(seed: UInt64) {
    let crowd = crowd(32, seed: seed)
    crowd.run(seconds: 480)
    let before = crowd.record.amongDevices
    let reads = crowd.total(.reads)
    let attempts = crowd.total(.attempts)
    let charge = crowd.report().chargePerHourNRF52840 * 480
    crowd.run(seconds: 240)
    let after = crowd.record.amongDevices
    let current = (crowd.report().chargePerHourNRF52840 * 720 - charge) / 240
    let found =
      Double(after.windowsWithReading - before.windowsWithReading) / Double(after.windows - before.windows)
    // Each has read the other 31 at their new addresses.
    #expect(crowd.total(.reads) - reads >= 32 * 28)
    #expect(found > 0.998)
    let each = Double(crowd.total(.attempts) - attempts) / Double(crowd.total(.reads) - reads)
    #expect(current < 0.41)
    #expect(each < 1.6)
  }
}
