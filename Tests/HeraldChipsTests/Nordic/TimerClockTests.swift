import HeraldChips
import HeraldHAL
import Testing

private typealias Clock = NRF.TimerClock<ModelRegisters>

private func milliseconds(_ clock: inout Clock) -> UInt64 { clock.now().milliseconds }
private func wakeSoon(_ clock: inout Clock, _ wait: UInt32) -> Bool {
  let start = clock.beginSteps()
  return clock.wake(atCount: start &+ wait)
}
private func isDue(_ clock: inout Clock) -> Bool { clock.isDue }
private func wake(_ clock: inout Clock, _ deadline: Instant) -> Bool { clock.wake(at: deadline) }

@Suite("nRF TIMER as a clock")
struct TimerClockTests {
  @Test("milliseconds go on where the counter goes round")
  func goingRound() {
    let model = TimerModel()
    model.ticksPerAccess = 0
    var clock = NRF.TimerClock(ModelRegisters(model))
    clock.start()
    #expect(milliseconds(&clock) == 0)
    model.pass(microseconds: 1_999)
    #expect(milliseconds(&clock) == 1)
    model.pass(microseconds: 1)
    #expect(milliseconds(&clock) == 2)
    // 71 minutes at a time, so that the counter goes round each time but for a little; a year and more.
    var expected: UInt64 = 2_000
    for _ in 0..<8_000 {
      model.pass(microseconds: 4_294_967_000)
      expected += 4_294_967_000
      #expect(milliseconds(&clock) == expected / 1_000)
    }
    #expect(model.faults == [])
  }

  @Test(
    "the interrupt comes in the millisecond of the deadline, over the counter's end too")
  func wakingUp() {
    let model = TimerModel()
    var clock = NRF.TimerClock(ModelRegisters(model))
    clock.start()
    model.pass(microseconds: 4_294_900_000)
    for wait in [1, 2, 10, 60, 100, 5_000] as [UInt32] {
      let start = clock.now()
      #expect(wake(&clock, start + .milliseconds(wait)))
      var slept: UInt64 = 0
      while !model.interruptIsPending, slept < 10_000_000 {
        model.pass(microseconds: 1)
        slept += 1
      }
      let waited = clock.now().since(start).milliseconds
      #expect(waited == wait)
      clock.acknowledge()
      #expect(!model.interruptIsPending)
    }
    #expect(model.faults == [])
  }

  @Test("an interrupt that was not taken back is not taken for the next one")
  func leftOver() {
    let model = TimerModel()
    var clock = NRF.TimerClock(ModelRegisters(model))
    clock.start()
    #expect(wake(&clock, Instant(milliseconds: 2)))
    model.pass(microseconds: 2_500)
    #expect(model.interruptIsPending)
    #expect(wake(&clock, Instant(milliseconds: 10)))
    #expect(!model.interruptIsPending)
    model.pass(microseconds: 7_500)
    #expect(model.interruptIsPending)
  }

  @Test("a deadline that has come, or comes while it is being set, is nothing to sleep for")
  func deadlinesThatHaveCome() {
    let model = TimerModel()
    var clock = NRF.TimerClock(ModelRegisters(model))
    clock.start()
    model.pass(microseconds: 5_000)
    #expect(!wake(&clock, Instant(milliseconds: 5)))
    #expect(!wake(&clock, .start))
    // Each access takes 300 µs: the millisecond is over before it is set.
    model.ticksPerAccess = 4_800
    let next = clock.now() + .milliseconds(1)
    #expect(!wake(&clock, next))
  }

  @Test("no deadline is woken for before the counter has gone round")
  func never() {
    let model = TimerModel()
    var clock = NRF.TimerClock(ModelRegisters(model))
    clock.start()
    let before = clock.now()
    #expect(wake(&clock, .never))
    model.pass(microseconds: 2_147_483_000)
    #expect(model.interruptIsPending)
    let slept = clock.now().since(before).milliseconds
    #expect(slept == 2_147_483)
  }

  @Test("so many microseconds later it is due, and stays so when its interrupt is silenced")
  func microseconds() {
    let model = TimerModel()
    model.ticksPerAccess = 0
    var clock = NRF.TimerClock(ModelRegisters(model))
    clock.start()
    model.pass(microseconds: 4_294_967_280)
    for _ in 0..<2 {
      #expect(wakeSoon(&clock, 40))
      model.pass(microseconds: 39)
      #expect(isDue(&clock) == false)
      model.pass(microseconds: 1)
      #expect(isDue(&clock) == true)
      #expect(model.interruptIsPending)
    }
    // Each access takes 300 µs: they are over before that is said.
    model.ticksPerAccess = 4_800
    #expect(wakeSoon(&clock, 500) == false)
    model.ticksPerAccess = 0
    #expect(wakeSoon(&clock, 40))
    model.pass(microseconds: 40)
    clock.silence()
    #expect(!model.interruptIsPending)
    #expect(isDue(&clock) == true)
    clock.acknowledge()
    #expect(isDue(&clock) == false)
    #expect(model.faults == [])
  }
}
