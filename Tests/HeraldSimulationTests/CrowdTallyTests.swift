import Testing

@testable import HeraldSimulation

@Suite("What a crowd comes to")
struct CrowdTallyTests {
  @Test("the time within which a share was read is never longer than the longest")
  func longest() {
    var tally = CrowdTally()
    tally.settle(after: 2210)
    #expect(tally.delay(share: 0.99) == 2.21)
    for _ in 0..<1000 { tally.settle(after: 150) }
    #expect(tally.delay(share: 0.99) == 0.2 && tally.longestDelay == 2210)
    tally.settle(after: 900_000)
    #expect(tally.delay(share: 1) == 600)
    #expect(CrowdTally().delay(share: 0.99) == 0)
  }
}
