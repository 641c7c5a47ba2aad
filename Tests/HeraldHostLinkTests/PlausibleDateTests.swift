import HeraldHostLink
import Testing

@Suite("Dates that devices state")
struct PlausibleDateTests {
  /// 2026-11-22T06:00:00Z.
  let now: UInt64 = 1_795_327_200_000

  @Test("Before 2020 and more than a day ahead of this computer is not believed, and named")
  func beliefs() {
    #expect(PlausibleDate.believes(1_577_836_800_000, now: now))
    #expect(!PlausibleDate.believes(1_577_836_799_999, now: now))
    #expect(PlausibleDate.believes(now + 86_400_000, now: now))
    #expect(!PlausibleDate.believes(now + 86_400_001, now: now))
    #expect(PlausibleDate.complaint(about: now, now: now) == nil)
    // 2106-02-07, where 32 bits of seconds end.
    #expect(
      PlausibleDate.complaint(about: 4_294_967_295_000, now: now)?.what.contains("2106-02-07 06:28:15")
        == true)
    #expect(PlausibleDate.complaint(about: 1, now: now)?.what.contains("1970-01-01 00:00:00") == true)
    #expect(PlausibleDate.complaint(about: .max, now: now)?.what.contains("9999-12-31") == true)
  }

  @Test("A computer whose own clock was never set does not judge what is later")
  func unsetComputer() {
    #expect(PlausibleDate.believes(now, now: 1000))
    #expect(!PlausibleDate.believes(5000, now: 1000))
  }
}
