import Foundation
import HeraldSimulation

/// The radio model of the simulation against the link layer: the same ten devices with the same schedule, for
/// the same time, and for how long their radios were on.
enum RadioModelBenchmark {
  static func run(_ figures: inout Figures, isFull: Bool) {
    let minutes = isFull ? 120 : 28
    var model = RadioTimes()
    var layer = RadioTimes()
    for seed in 101..<UInt64(isFull ? 105 : 103) {
      let crowd = Crowd(.likeMedium(seed: seed))
      crowd.run(seconds: 120)
      let before = crowd.radioTimes
      crowd.run(seconds: minutes * 60)
      model.add(crowd.radioTimes.since(before))
      let medium = MediumRoom(10, seed: seed)
      medium.run(seconds: 120)
      let start = medium.use
      medium.run(seconds: minutes * 60)
      layer.add(medium.use.since(start))
    }
    print("    radios of ten devices on: model and link layer on the medium")
    for (name, left, right) in [
      ("receive", model.receiving, layer.receiving), ("transmit", model.transmitting, layer.transmitting),
      ("ramp", model.ramping, layer.ramping), ("crystal", model.crystal, layer.crystal),
    ] {
      let ratio = Double(left) / Double(right)
      print(
        "    " + name.padding(toLength: 10, withPad: " ", startingAt: 0)
          + String(format: "%10.3f s %10.3f s %8.3f", Double(left) / 1e6, Double(right) / 1e6, ratio))
      figures.add("radio_model_\(name)", ratio, "")
    }
  }
}
