import HeraldLinux
import Testing

@Suite("Steps of a machine's date")
struct ClockStepsTests {
  /// 2026-11-28T09:00:00Z.
  private let date: UInt64 = 1_795_856_400_000

  @Test("Time that passes is no step, however long")
  func passing() {
    var steps = ClockSteps(date: date, time: 5_000)
    #expect(steps.step(date: date, time: 5_000) == nil)
    #expect(steps.step(date: date + 864_000_000, time: 864_005_000) == nil)
  }

  @Test("A step is found once, in both directions, and said in words")
  func steps() {
    var steps = ClockSteps(date: date, time: 0)
    let forward = steps.step(date: date + 1_209_600_000 + 100, time: 100)
    #expect(forward?.milliseconds == 1_209_600_000)
    #expect(forward?.words == "the date of this machine was set forward by 14 d 0 h")
    #expect(steps.step(date: date + 1_209_600_000 + 200, time: 200) == nil)
    let back = steps.step(date: date, time: 200)
    #expect(back?.milliseconds == -1_209_600_200)
    #expect(back?.words == "the date of this machine was set back by 14 d 0 h")
    // A computer without a clock that is set.
    #expect(steps.step(date: 0, time: 300)?.words.contains("set back by 20785 d") == true)
  }

  @Test("Little corrections count when they amount to a second")
  func slewing() {
    var steps = ClockSteps(date: date, time: 0)
    #expect(steps.step(date: date + 1_000_400, time: 1_000_000) == nil)
    #expect(steps.step(date: date + 2_000_999, time: 2_000_000) == nil)
    #expect(
      steps.step(date: date + 3_001_000, time: 3_000_000)?.words
        == "the date of this machine was set forward by 1.0 s")
  }

  @Test("Extreme numbers are no trap")
  func extremes() {
    var steps = ClockSteps(date: .max, time: 0)
    _ = steps.step(date: 0, time: .max)
    _ = steps.step(date: .max, time: 0)
  }
}
