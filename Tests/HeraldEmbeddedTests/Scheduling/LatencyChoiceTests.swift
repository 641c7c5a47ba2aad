import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import Testing

@testable import HeraldEmbedded

@Suite("The latency that lets a cell last")
struct LatencyChoiceTests {
  private func allowance(_ capacity: UInt32, _ days: UInt32, _ interval: UInt32 = 250) -> UInt32 {
    LatencyChoice.allowance(capacity: capacity, days: days, interval: interval)
  }

  @Test("What is left for receiving: the mean current less that of advertising, 41 µA, and 5 µA")
  func allowances() {
    // 220 mAh in 90 days: 101 µA.
    #expect(allowance(220, 90) == 55)
    #expect(allowance(220, 60) == 106)
    #expect(allowance(500, 90) == 185)
    // 1 s: 10 µA.
    #expect(allowance(220, 90, 1000) == 86)
    #expect(allowance(220, 160) == 11 && allowance(220, 200) == 1)
    #expect(allowance(220, 3650) == 1 && allowance(10, 3650, 20) == 1)
    #expect(allowance(20_000, 1) == 6260)
  }

  /// The latencies in ms at comparisons half an hour apart: of a radio that receives for `perRound` ms in
  /// each round of 0.884 latencies, and `always` ms in an hour beside.
  private func latencies(
    _ allowed: UInt32, perRound: Double, always: Double = 0, count: Int = 12
  ) -> [UInt32] {
    var choice = LatencyChoice()
    var received = 0.0
    return (0..<count).map { number in
      choice.follow(
        allowed: allowed, interval: 250, received: UInt32(received), peers: 0,
        at: Instant(milliseconds: 70_000 + UInt64(number) * 1_800_000))
      let latency = choice.latency?.milliseconds ?? 0
      received += always / 2 + 1_800_000 / (0.884 * Double(latency)) * perRound
      return latency
    }
  }

  @Test("The first latency is that of one window a round; it stays if that is what the radio receives")
  func first() {
    // 263 ms · 6260 µA / (0.88 · 45 µA) = 41.6 s
    let found = latencies(45, perRound: 263)
    #expect(found[0] == 41_500)
    #expect(found.allSatisfy { (41_000...42_000).contains($0) })
  }

  @Test("A room in which each round takes twice as long doubles the latency, within two hours")
  func follows() {
    let found = latencies(45, perRound: 526)
    #expect((61_900...62_300).contains(found[1]))
    #expect((80_000...84_000).contains(found[5]) && (81_500...84_000).contains(found[11]))
  }

  @Test("What does not depend on the latency, as reading, is taken into account: the sum is what is allowed")
  func reading() throws {
    // 60 s an hour: 104 µA.
    let last = try #require(latencies(175, perRound: 263, always: 60_000, count: 40).last)
    let current = 6260 * (263 / (0.884 * Double(last)) + 60.0 / 3600)
    #expect(abs(current - 175) < 3, "\(last) ms, \(current) µA")
  }

  @Test("The limits are 20 s and 300 s")
  func limits() {
    #expect(latencies(1, perRound: 263).allSatisfy { $0 == 300_000 })
    #expect(latencies(6260, perRound: 263).allSatisfy { $0 == 20_000 })
    // Receiving all of the time: sixteen times as much counts.
    let flooded = latencies(100, perRound: 26_000)
    #expect(flooded[0] == 18_700 || flooded[0] == 20_000)
    #expect(flooded[1] > 150_000 && flooded.last ?? 0 > 299_000)
  }

  @Test("Another capacity or number of days begins anew; a pause of an hour is not compared")
  func anew() {
    var choice = LatencyChoice()
    #expect(choice.latency == nil)
    func follow(_ allowed: UInt32, _ received: UInt32, _ minute: UInt64) -> UInt32? {
      choice.follow(
        allowed: allowed, interval: 250, received: received, peers: 0,
        at: Instant(milliseconds: minute * 60_000))
      return choice.latency?.milliseconds
    }
    #expect(follow(45, 0, 2) == 41_500)
    #expect(follow(45, 500_000, 31) == 41_500)
    #expect(follow(90, 500_000, 31) == 20_700)
    #expect(follow(45, 500_000, 32) == 41_500)
    #expect(follow(45, 4_000_000, 92) == 41_500)
    #expect(follow(45, 4_000_000, 122) == 20_700)
  }

  @Test("Of a radio that does not count, each peer takes 4 µA")
  func uncounted() {
    var choice = LatencyChoice()
    for (peers, latency) in [(0, 18_700), (1, 19_400), (15, 46_700), (24, 300_000), (200, 300_000)]
      as [(UInt32, UInt32)]
    {
      var choice = LatencyChoice()
      choice.follow(allowed: 100, interval: 250, received: nil, peers: peers, at: .start)
      #expect(choice.latency?.milliseconds == max(20_000, latency), "\(peers)")
    }
    // The number is taken anew every half hour.
    choice.follow(allowed: 100, interval: 250, received: nil, peers: 15, at: .start)
    choice.follow(allowed: 100, interval: 250, received: nil, peers: 0, at: .start + .minutes(29))
    #expect(choice.latency?.milliseconds == 46_700)
    choice.follow(allowed: 100, interval: 250, received: nil, peers: 0, at: .start + .minutes(30))
    #expect(choice.latency?.milliseconds == 20_000)
  }
}
