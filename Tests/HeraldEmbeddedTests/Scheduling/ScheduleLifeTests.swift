import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldEmbedded

@Suite("The life of schedules")
struct ScheduleLifeTests {
  private typealias Scheduler = AdvertisingScheduler<3>

  /// A radio that accepts commands.
  private static func readyRadio() -> MockRadio {
    var radio = MockRadio()
    var nobody = IgnoringHandler()
    radio.happen(.state(.ready))
    _ = radio.poll(at: .start, into: &nobody)
    return radio
  }

  /// One step of a history with advertising sets, and the plan that follows. The radio does what a plan
  /// demands.
  private static func step(
    _ sets: inout Scheduler, _ radio: inout MockRadio, _ random: inout SplitMix64, at now: Instant
  ) -> String {
    let set = Int(random.next() % 3)
    switch random.next() % 10 {
    case 0, 1:
      sets.setTiming(
        set, interval: .milliseconds([10, 100, 250][Int(random.next() % 3)]),
        share: UInt8(random.next() % 4), connectable: random.next() % 2 == 0)
    case 2, 3:
      let data = (0..<Int(random.next() % 34)).map { UInt8($0) }
      let response = [UInt8](repeating: UInt8(random.next() % 9), count: Int(random.next() % 9))
      sets.setData(set, data.span, scanResponse: response.span)
    case 4: sets.remove(set)
    case 5: sets.rotate(to: DeviceAddress(high: 0x4AAA, low: UInt32(random.next() % 9), kind: .random))
    case 6 where random.next() % 4 == 0: sets.radioForgot()
    default: break
    }
    let isAny = random.next() % 9 > 0
    let plan = sets.next(at: now, allowed: .init(connectable: random.next() % 3 > 0, any: isAny))
    if plan.changed, case .set(let number, let parameters) = plan.wish {
      try? sets.start(number, parameters, on: &radio)
    }
    return "\(plan) \(radio.takeCommands())"
  }

  @Test("an advertising scheduler whose sets were all removed is as one that never had any")
  func advertising() {
    for seed in 0..<120 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = Scheduler()
      var radio = Self.readyRadio()
      var now = Instant(milliseconds: 1000)
      for _ in 0..<(random.next() % 60) {
        now = now + .milliseconds(UInt32(random.next() % 1500))
        _ = Self.step(&used, &radio, &random, at: now)
      }
      for set in [0, 1, 2].shuffled(using: &random) { used.remove(set) }
      if random.next() % 2 == 0 { used.radioForgot() }
      _ = used.next(at: now, allowed: .init(connectable: true, any: true))
      var fresh = Scheduler()
      var freshRadio = Self.readyRadio()
      fresh.rotate(to: used.address)
      for number in 0..<60 {
        now = now + .milliseconds(UInt32(random.next() % 1500))
        var copy = random
        let seen = Self.step(&used, &radio, &random, at: now)
        let expected = Self.step(&fresh, &freshRadio, &copy, at: now)
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }

  @Test("a set that is removed and defined again while it is on the air is shown as it is defined then")
  func definedAgain() {
    var sets = Scheduler()
    var radio = Self.readyRadio()
    let (data, none) = ([1, 2, 3] as [UInt8], [] as [UInt8])
    for _ in 0..<2 {
      sets.remove(1)
      sets.setTiming(1, interval: .milliseconds(250), share: 1, connectable: true)
      let plan = sets.next(at: .start, allowed: .init(connectable: true, any: true))
      guard plan.changed, case .set(1, let parameters) = plan.wish else {
        Issue.record("\(plan)")
        return
      }
      try? sets.start(1, parameters, on: &radio)
      #expect(radio.takeCommands() == [.startAdvertising(parameters, data: [], scanResponse: [])])
      sets.setData(1, data.span, scanResponse: none.span)
      _ = sets.next(at: .start, allowed: .init(connectable: true, any: true))
    }
  }

  /// What is seen of rounds. What was noted in a window is not used before the next one.
  private static func shown(_ rounds: ScanRounds, at now: Instant) -> String {
    let window = Interval.milliseconds(263)
    let isSurveyed = rounds.needsSurvey(at: now, window: window)
    let inWindow =
      isSurveyed
      ? "\(rounds.isFirstSurvey) \(rounds.roundAt) \(rounds.expectations(at: now, window: window, latency: .seconds(30)))"
      : ""
    return "\(rounds.isSparing) \(rounds.isRepeated) \(isSurveyed) \(inWindow)"
  }

  /// One step of a history of rounds, and the plan that follows.
  private static func step(_ rounds: inout ScanRounds, _ random: inout SplitMix64, at now: Instant) -> String
  {
    if random.next() % 12 == 0 { rounds.note(isLying: random.next() % 2 == 0, at: now) }
    var survey = PeerSurvey()
    survey.missing = [.none, .frequent, .rare][Int(random.next() % 3)]
    survey.awaits = random.next() % 3 == 0
    survey.isChanging = random.next() % 5 == 0
    if random.next() % 2 == 0 { survey.expect(in: UInt32(random.next() % 300)) }
    let before = shown(rounds, at: now)
    let plan = rounds.next(
      at: now, latency: .seconds(30), window: .milliseconds(263), survey: survey,
      chance: UInt32(truncatingIfNeeded: random.next()))
    return "\(before) \(plan) \(shown(rounds, at: now))"
  }

  /// A time in rounds: within a window, or until the next one.
  private static func wait(_ random: inout SplitMix64) -> Interval {
    .milliseconds(UInt32(random.next() % (random.next() % 4 == 0 ? 40_000 : 300)))
  }

  @Test("rounds of scanning that are started again are as those of a device that has not scanned yet")
  func rounds() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = ScanRounds()
      var now = Instant(milliseconds: 1000)
      for _ in 0..<(random.next() % 80) {
        now = now + Self.wait(&random)
        _ = Self.step(&used, &random, at: now)
      }
      // A device that is picked up starts again.
      if random.next() % 2 == 0 {
        used.note(isLying: true, at: now)
        used.note(isLying: false, at: now)
      } else {
        used.note(isLying: false, at: now)
        used.start(at: now)
      }
      var fresh = ScanRounds()
      for number in 0..<80 {
        var copy = random
        let seen = Self.step(&used, &random, at: now)
        let expected = Self.step(&fresh, &copy, at: now)
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
        now = now + (number == 0 ? .seconds(60) : Self.wait(&random))
      }
    }
  }
}
