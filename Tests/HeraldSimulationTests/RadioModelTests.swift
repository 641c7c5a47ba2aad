import Testing

@testable import HeraldSimulation

/// docs/simulation.md, "The radio model and the link layer".
@Suite("The radio model and the link layer")
struct RadioModelTests {
  /// A room like that of the medium: all packets are received, except those that overlap.
  private func crowd(_ seed: UInt64) -> Crowd {
    var configuration = CrowdConfiguration()
    configuration.seed = seed
    configuration.radius = 1
    configuration.model.dataLoss = 0
    configuration.model.captureThreshold = 100
    // The times of `MediumRadio`.
    configuration.model.channelPause = 250
    configuration.model.scanPause = 350
    return Crowd(configuration)
  }

  @Test("Ten devices in a room, after their first minutes: the radios are on for the same times, within 3 %")
  func times() {
    var model = RadioTimes()
    var layer = RadioTimes()
    for seed in [101] as [UInt64] {
      let crowd = crowd(seed)
      crowd.run(seconds: 120)
      let before = crowd.radioTimes
      crowd.run(seconds: 600)
      model.add(crowd.radioTimes.since(before))
      let room = MediumRoom(10, seed: seed)
      room.run(seconds: 120)
      #expect(room.total(.reads) == 90)
      let start = room.use
      room.run(seconds: 600)
      layer.add(room.use.since(start))
    }
    for (name, left, right) in [
      ("receiving", model.receiving, layer.receiving),
      ("transmitting", model.transmitting, layer.transmitting),
      ("ramping", model.ramping, layer.ramping), ("crystal", model.crystal, layer.crystal),
    ] {
      let ratio = Double(left) / Double(right)
      #expect((0.97...1.03).contains(ratio), "\(name): \(left) µs, \(right) µs")
    }
  }
}
