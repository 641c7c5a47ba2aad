import Testing

@testable import HeraldSimulation

/// The radio model of the simulation against the link layer on its medium (CONTRIBUTING.md, "Simulation").
@Suite("The radio model and the link layer")
struct RadioModelTests {
  @Test("Ten devices in a room, after their first minutes: the radios are on for the same times, within 3 %")
  func times() {
    let crowd = Crowd(.likeMedium(seed: 101))
    crowd.run(seconds: 120)
    let before = crowd.radioTimes
    crowd.run(seconds: 600)
    let model = crowd.radioTimes.since(before)
    let room = MediumRoom(10, seed: 101)
    room.run(seconds: 120)
    #expect(room.total(.reads) == 90)
    let start = room.use
    room.run(seconds: 600)
    let layer = room.use.since(start)
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
