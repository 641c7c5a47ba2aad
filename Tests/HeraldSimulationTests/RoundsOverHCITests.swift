import HeraldEmbedded
import Testing

@testable import HeraldSimulation

/// docs/energy.md, "Over HCI".
@Suite("Rounds and awaited windows over HCI")
struct RoundsOverHCITests {
  /// A room after 40 minutes: peers that are awaited, the share of the time for which it scanned, in ms of a
  /// second, and the longest time for which a peer was not received, in s.
  private func result(isRandom: Bool, delay: Int, seed: UInt64) -> (Int, Double, Double) {
    let room = SlowRoom(peers: 9, isRandom: isRandom, delay: delay, seed: seed)
    room.run(seconds: 120)
    room.forget()
    let before = room.controller.scanned
    room.run(seconds: 1080)
    let reads = room.node.core.counter(.reads)
    #expect(reads == 9)
    return (room.awaited, Double(room.controller.scanned - before) / 1080, Double(room.longest) / 1000)
  }

  @Test("Peers with repeated delays are awaited, all of them, over a controller that follows at once")
  func prompt() {
    for seed in [101, 102] as [UInt64] {
      let (awaited, scanned, longest) = result(isRandom: false, delay: 0, seed: seed)
      #expect(awaited == 9 && scanned < 11 && longest < 32, "\(scanned) ms a second, \(longest) s")
    }
  }

  @Test(
    "With random delays, and with commands that take 50 ms, awaiting is given up, for up to two fifths more scanning",
    arguments: [(true, 0), (false, 50), (true, 50)])
  func fallback(isRandom: Bool, delay: Int) {
    for seed in [101, 102] as [UInt64] {
      let (awaited, scanned, longest) = result(isRandom: isRandom, delay: delay, seed: seed)
      #expect(
        awaited <= 4 && scanned < 15 && longest < 60, "\(awaited), \(scanned) ms a second, \(longest) s")
    }
  }
}
