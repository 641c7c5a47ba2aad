import HeraldBluetooth
import Testing

/// The delays of these tests were computed with Python:
///
///     b = low ^ high * 0x9E3779B1 & 0xFFFFFFFF
///     b = (b ^ b >> 16) * 0x85EBCA6B & 0xFFFFFFFF
///     b = (b ^ b >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
///     b ^= b >> 16
///     [(b >> 8 * n & 255) * 36 for n in range(4)]
@Suite("The delays of advertising events")
struct AdvertisingRhythmTests {
  private func address(_ high: UInt16, _ low: UInt32) -> DeviceAddress {
    DeviceAddress(high: high, low: low, kind: .random)
  }

  private func delays(_ rhythm: inout AdvertisingRhythm, _ count: Int, every interval: UInt32 = 250)
    -> [UInt32]
  {
    (0..<count).map { _ in rhythm.next(interval: interval) }
  }

  @Test("Four delays that the address determines are repeated")
  func literal() {
    let cases: [(UInt16, UInt32, [UInt32])] = [
      (0xC000, 0, [7560, 2952, 5472, 6156]), (0xC000, 1, [1368, 612, 5220, 8676]),
      (0x5ABC, 0x1234_5678, [2520, 1872, 2988, 4968]), (0x5ABC, 0x1234_5679, [5436, 7020, 8748, 2772]),
    ]
    for (high, low, wanted) in cases {
      var rhythm = AdvertisingRhythm()
      rhythm.follow(address(high, low), chance: 0)
      let nine = delays(&rhythm, 9)
      #expect(Array(nine[0..<4]) == wanted && Array(nine[4..<8]) == wanted && nine[8] == wanted[0])
    }
  }

  @Test("Which comes first, and 0 to 80 ppm of the interval, are drawn for each address")
  func chance() {
    var rhythm = AdvertisingRhythm()
    // 0x2_0014 % 21 is 10: 10 · 4 ppm of 250 ms are 10 µs.
    rhythm.follow(address(0xC000, 0), chance: 0x2_0014)
    #expect(delays(&rhythm, 4) == [5482, 6166, 7570, 2962])
    // The same address: nothing changes.
    rhythm.follow(address(0xC000, 0), chance: 7)
    #expect(delays(&rhythm, 2) == [5482, 6166])
    rhythm.follow(address(0xC000, 1), chance: 20)
    #expect(delays(&rhythm, 2) == [1388, 632])
    #expect(delays(&rhythm, 2, every: 10_240) == [6039, 9495])
    #expect(delays(&rhythm, 1, every: 20) == [1369])
  }

  @Test("The period: four intervals, the four delays, and 40 ppm")
  func period() {
    #expect(AdvertisingRhythm.period(of: address(0xC000, 0), interval: 250) == 1_022_180)
    #expect(AdvertisingRhythm.period(of: address(0xC000, 1), interval: 250) == 1_015_916)
    #expect(AdvertisingRhythm.period(of: address(0x5ABC, 0x1234_5678), interval: 250) == 1_012_388)
    #expect(AdvertisingRhythm.period(of: address(0xC000, 0), interval: 10_240) == 40_983_776)
  }

  @Test("No delay is longer than 10 ms, they are evenly distributed, and sums are seldom equal")
  func distribution() {
    var sums: Set<UInt32> = []
    var total: UInt32 = 0
    for low in 0..<UInt32(1000) {
      var rhythm = AdvertisingRhythm()
      rhythm.follow(address(0x5000, low), chance: low)
      let four = delays(&rhythm, 4, every: 10_240)
      #expect(four.allSatisfy { $0 <= 9_999 })
      var plain = AdvertisingRhythm()
      plain.follow(address(0x5000, low), chance: 0)
      let sum = delays(&plain, 4).reduce(0, +)
      sums.insert(sum)
      total += sum
    }
    // 0…255 times 36 µs: 4,590 on average.
    #expect(total / 4000 > 4400 && total / 4000 < 4780)
    #expect(sums.count > 450)
  }
}
