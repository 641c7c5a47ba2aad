import HeraldFirmware
import HeraldHAL
import Testing

@Suite("The share of time asleep")
struct TimeAsleepTests {
  @Test func sumsSleepsAndComparesWithTheTimeSinceStart() {
    var asleep = TimeAsleep()
    asleep.slept(from: Instant(milliseconds: 100), to: Instant(milliseconds: 850))
    asleep.slept(from: Instant(milliseconds: 900), to: Instant(milliseconds: 900))
    #expect(asleep.milliseconds == 750)
    #expect(asleep.perMille(at: Instant(milliseconds: 1_000)) == 750)
    #expect(asleep.perMille(at: .start) == 0)
  }

  @Test func aClockThatIsReadBackwardsAddsNothing() {
    var asleep = TimeAsleep()
    asleep.slept(from: Instant(milliseconds: 900), to: Instant(milliseconds: 100))
    #expect(asleep.milliseconds == 0)
  }
}
