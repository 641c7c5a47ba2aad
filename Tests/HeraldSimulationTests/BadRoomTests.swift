import HeraldEmbedded
import Testing

@testable import HeraldSimulation

/// "Bad input" of the schedule of rounds: what repeats, and what is late.
@Suite("Rooms that are bad for scanning in rounds")
struct BadRoomTests {
  private func crowd(_ devices: Int, seed: UInt64, _ change: (inout CrowdConfiguration) -> Void) -> Crowd {
    var configuration = CrowdConfiguration()
    configuration.devices = devices
    configuration.seed = seed
    change(&configuration)
    return Crowd(configuration)
  }

  /// The continuity in percent in the next seconds.
  private func continuity(_ crowd: Crowd, seconds: Int) -> Double {
    let before = crowd.record.amongDevices
    crowd.run(seconds: seconds)
    let after = crowd.record.amongDevices
    return 100 * Double(after.windowsWithReading - before.windowsWithReading)
      / Double(max(1, after.windows - before.windows))
  }

  @Test(
    "Badges with equal crystals that are switched on together, and whose events and rounds begin together, are received",
    arguments: [101, 102, 103] as [UInt64])
  func lockstep(seed: UInt64) {
    for devices in [2, 3] {
      let crowd = crowd(devices, seed: seed) {
        $0.switchOnSeconds = 0
        $0.deviation = 0
      }
      crowd.run(seconds: 90)
      // From now on their events begin at the same microsecond, until their delays separate them.
      for device in 1..<devices {
        crowd.air.stations[device].nominalAt = crowd.air.stations[0].nominalAt
        crowd.air.planAdvertising(device, at: crowd.air.stations[0].plannedAt)
      }
      let found = continuity(crowd, seconds: 1200)
      #expect(found >= 99)
    }
  }

  @Test("A controller that delays scan commands by 50 ms", arguments: [101, 102] as [UInt64])
  func delayed(seed: UInt64) {
    for isRandom in [false, true] {
      let crowd = crowd(10, seed: seed) {
        $0.scanDelay = 50
        $0.hasRandomDelays = isRandom
      }
      crowd.run(seconds: 90)
      let found = continuity(crowd, seconds: 900)
      #expect(found >= 99)
    }
  }

  @Test("In a room that fills within a minute and empties again, those present are received all the time")
  func surge() {
    let crowd = crowd(20, seed: 101) {
      $0.surge = CrowdSurge(residents: 2, begin: 120, length: 60, stay: 120)
    }
    crowd.run(seconds: 120)
    for _ in 0..<5 {
      let found = continuity(crowd, seconds: 60)
      #expect(found >= 99)
    }
  }
}
