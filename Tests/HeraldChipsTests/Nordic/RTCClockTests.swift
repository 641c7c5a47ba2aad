import HeraldChips
import HeraldHAL
import Testing

private typealias Clock = NRF.RTCClock<ModelRegisters>

private func milliseconds(_ clock: inout Clock) -> UInt64 { clock.now().milliseconds }
private func wake(_ clock: inout Clock, _ deadline: Instant) -> Bool { clock.wake(at: deadline) }

@Suite("nRF RTC as a clock")
struct RTCClockTests {
  @Test("milliseconds go on where the counter goes round, without drift")
  func goingRound() {
    let model = RTCModel()
    var clock = Clock(ModelRegisters(model))
    clock.start()
    var periods: UInt64 = 0
    var random = Seeded(5)
    for _ in 0..<20_000 {
      let step =
        UInt64.random(in: 0...134_217_000, using: &random) >> UInt64.random(in: 0...26, using: &random)
      model.pass(periods: step)
      periods += step
      let now = milliseconds(&clock)
      // A tick of 8 periods is what there is to see.
      #expect(now == periods / 8 * 1_000 / 4_096)
    }
    #expect(periods > 32_768 * 86_400 * 30)
    #expect(model.faults == [])
  }

  @Test(
    "the interrupt comes within a millisecond after the deadline, wherever the counter is", arguments: 1...8)
  func wakingUp(seed: UInt64) {
    let model = RTCModel()
    var clock = Clock(ModelRegisters(model))
    clock.start()
    var random = Seeded(seed)
    // Up to the end of the counter, and over it.
    model.pass(periods: (1 << 24) * 8 - UInt64.random(in: 0...60_000, using: &random))
    for _ in 0..<200 {
      model.periodsPerAccess = UInt64.random(in: 0...3, using: &random)
      let start = clock.now()
      let wait = UInt32.random(in: 1...40, using: &random)
      guard wake(&clock, start + .milliseconds(wait)) else {
        // So near that one polls instead of sleeping.
        #expect(wait <= 3)
        model.pass(periods: UInt64.random(in: 0...40, using: &random))
        continue
      }
      model.periodsPerAccess = 0
      var slept: UInt64 = 0
      while !model.interruptIsPending, slept < 32_768 * 3_600 {
        model.pass(periods: 1)
        slept += 1
      }
      let late = Int64(milliseconds(&clock)) - Int64(start.milliseconds) - Int64(wait)
      #expect((0...1).contains(late), "after \(slept) periods instead of \(wait) ms")
      clock.acknowledge()
      #expect(!model.interruptIsPending)
      model.pass(periods: UInt64.random(in: 0...40, using: &random))
    }
    #expect(model.faults == [])
  }

  @Test("a value that is too near would not be met for an hour: it is not slept for")
  func tooNear() {
    let model = RTCModel()
    var clock = Clock(ModelRegisters(model))
    clock.start()
    model.pass(periods: 32_768)
    #expect(!wake(&clock, Instant(milliseconds: 1_000)))
    #expect(!wake(&clock, .start))
    // The first tick but two of a millisecond: the compare value would be two ticks ahead, which the counter
    // may be by then.
    model.pass(periods: 3 * 8)
    #expect(!wake(&clock, Instant(milliseconds: 1_001)))
    // The counter advances by a tick with every access.
    model.periodsPerAccess = 8
    let next = clock.now() + .milliseconds(1)
    #expect(!wake(&clock, next))
    // Something takes 10 ms between two accesses.
    model.periodsPerAccess = 330
    let later = clock.now() + .milliseconds(15)
    #expect(!wake(&clock, later))
  }

  @Test("a deadline a turn of the counter away is woken for in between, and a clock that ran is started anew")
  func aTurnAway() {
    let model = RTCModel()
    var clock = Clock(ModelRegisters(model))
    clock.start()
    model.pass(periods: 100)
    clock.start()
    #expect(model.faults == [])
    #expect(wake(&clock, Instant(milliseconds: 4_096_000)))
    model.pass(periods: 2_048 * 32_768 + 800)
    #expect(model.interruptIsPending)
    #expect(milliseconds(&clock) >= 2_048_000)
  }

  @Test("without a deadline it wakes before the counter has gone round")
  func never() {
    let model = RTCModel()
    var clock = Clock(ModelRegisters(model))
    clock.start()
    #expect(wake(&clock, .never))
    model.pass(periods: 2_048 * 32_768)
    #expect(model.interruptIsPending)
    #expect(milliseconds(&clock) == 2_048_000)
  }
}
