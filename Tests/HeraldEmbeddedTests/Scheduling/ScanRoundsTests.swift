import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("Scanning in rounds")
struct ScanRoundsTests {
  private func at(_ milliseconds: UInt64) -> Instant { Instant(milliseconds: milliseconds) }

  /// What the rounds say with a latency of 30 s and windows of 263 ms: 0 the fixed windows, 1 always, 2
  /// nothing; and until when, in milliseconds.
  private func next(
    _ rounds: inout ScanRounds, _ milliseconds: UInt64, _ missing: MissingPeers = .none, wait: UInt32 = 0,
    chance: UInt32 = 0, awaits: Bool = false, hold: UInt32 = 16
  ) -> [UInt64] {
    var survey = PeerSurvey()
    survey.missing = missing
    survey.awaits = awaits
    survey.hold = hold
    if missing != .none || awaits { survey.wait = wait }
    let plan = rounds.next(
      at: at(milliseconds), latency: .seconds(30), window: .milliseconds(263), survey: survey,
      chance: chance)
    return [UInt64(plan.scanning.rawValue), plan.deadline.milliseconds]
  }

  @Test("After a minute of fixed windows: a window of 263 ms every 27 s, less up to 0.94 s at random")
  func usual() {
    var rounds = ScanRounds()
    #expect(next(&rounds, 100) == [0, 60_100])
    #expect(!rounds.isSparing)
    #expect(next(&rounds, 60_099) == [0, 60_100])
    #expect(next(&rounds, 60_100) == [1, 60_363])
    #expect(rounds.isSparing && rounds.isFirstSurvey)
    #expect(!rounds.needsSurvey(at: at(60_362), window: .milliseconds(263)))
    #expect(rounds.needsSurvey(at: at(60_363), window: .milliseconds(263)))
    #expect(next(&rounds, 60_363) == [2, 87_100])
    #expect(next(&rounds, 87_099) == [2, 87_100])
    #expect(next(&rounds, 87_100) == [1, 87_363])
    // 30,000 / 32 + 1 = 938: 937 is the largest remainder.
    #expect(next(&rounds, 87_363, chance: 937) == [2, 113_163])
    #expect(next(&rounds, 113_163) == [1, 113_426])
    #expect(next(&rounds, 113_426, chance: 938) == [2, 140_163])
  }

  @Test("Frequent peers that are missing double the window; a second later they are looked for once more")
  func frequent() {
    var rounds = ScanRounds()
    _ = next(&rounds, 0)
    #expect(next(&rounds, 60_000) == [1, 60_263])
    #expect(next(&rounds, 60_263, .frequent) == [1, 60_279])
    #expect(!rounds.isFirstSurvey)
    #expect(next(&rounds, 60_515, .frequent) == [1, 60_526])
    #expect(next(&rounds, 60_526, .frequent) == [2, 61_526])
    #expect(next(&rounds, 61_526) == [1, 61_789])
    #expect(rounds.roundAt == at(60_000))
    // At most 1,050 ms, and once only; the round still takes 27 s.
    #expect(next(&rounds, 61_789, .frequent) == [1, 61_805])
    #expect(next(&rounds, 62_570, .frequent) == [1, 62_576])
    #expect(next(&rounds, 62_576, .frequent) == [2, 87_000])
    // It ends when all have been received.
    #expect(next(&rounds, 87_000) == [1, 87_263])
    #expect(next(&rounds, 87_263, .frequent) == [1, 87_279])
    #expect(next(&rounds, 87_279) == [2, 114_000])
  }

  @Test("Rare peers are awaited when they can be expected, for 2.3 s, and for 1.05 s in the repetition")
  func rare() {
    var rounds = ScanRounds()
    _ = next(&rounds, 0)
    _ = next(&rounds, 60_000)
    #expect(next(&rounds, 60_263, .rare, wait: 300) == [2, 60_563])
    #expect(next(&rounds, 60_563, .rare, wait: 0) == [1, 60_579])
    #expect(next(&rounds, 60_579, .rare, wait: 5000) == [2, 62_300])
    #expect(next(&rounds, 62_300, .rare, wait: 0) == [2, 63_300])
    _ = next(&rounds, 63_300)
    #expect(rounds.isRepeated)
    #expect(next(&rounds, 63_563, .rare, wait: 300) == [2, 63_863])
    #expect(next(&rounds, 63_863, .rare, wait: 0) == [1, 63_879])
    #expect(next(&rounds, 64_350, .rare, wait: 300) == [2, 87_000])
  }

  @Test("Peers whose events repeat are awaited in short windows for 7.5 s, and not looked for again")
  func awaited() {
    var rounds = ScanRounds()
    _ = next(&rounds, 0)
    _ = next(&rounds, 60_000)
    #expect(next(&rounds, 60_263, wait: 300, awaits: true) == [2, 60_563])
    #expect(next(&rounds, 60_563, wait: 0, awaits: true, hold: 2) == [1, 60_565])
    #expect(next(&rounds, 60_565, wait: 20_000, awaits: true) == [2, 67_500])
    let early = rounds.expectations(at: at(60_525), window: .milliseconds(263), latency: .seconds(30))
    #expect(early.frequent && early.rare && early.awaited)
    let later = rounds.expectations(at: at(62_300), window: .milliseconds(263), latency: .seconds(30))
    #expect(!later.frequent && !later.rare && later.awaited)
    let late = rounds.expectations(at: at(67_500), window: .milliseconds(263), latency: .seconds(30))
    #expect(!late.frequent && !late.rare && !late.awaited)
    #expect(next(&rounds, 67_500) == [2, 87_000])
    // Others that are missing are looked for once more, and these with them, at any time.
    _ = next(&rounds, 87_000)
    #expect(next(&rounds, 87_263, .rare, wait: 0, awaits: true) == [1, 87_279])
    #expect(next(&rounds, 94_500, .rare, wait: 0) == [2, 95_500])
    _ = next(&rounds, 95_500)
    let again = rounds.expectations(at: at(95_763), window: .milliseconds(263), latency: .seconds(30))
    #expect(again.frequent && again.rare && !again.awaited)
  }

  @Test("A device that lies does not look for missing peers, and begins anew when it is picked up")
  func lying() {
    var rounds = ScanRounds()
    rounds.note(isLying: true, at: at(0))
    _ = next(&rounds, 0)
    _ = next(&rounds, 60_000)
    #expect(next(&rounds, 60_263, .rare, awaits: true) == [2, 87_000])
    rounds.note(isLying: true, at: at(70_000))
    #expect(next(&rounds, 70_000) == [2, 87_000])
    rounds.note(isLying: false, at: at(71_000))
    #expect(next(&rounds, 71_000) == [0, 131_000])
  }

  @Test(
    "The time until a phone can be expected: every 1,005 ms, 6 ms sooner, and 1 ms for each of its events")
  func expected() {
    // One event later: from 998 to 1,012 ms after the last.
    #expect(Target.wait(silence: 0, period: 1005) == 999)
    #expect(Target.wait(silence: 998, period: 1005) == 1)
    #expect(Target.wait(silence: 999, period: 1005) == 0)
    #expect(Target.wait(silence: 1005, period: 1005) == 0)
    #expect(Target.wait(silence: 1012, period: 1005) == 0)
    #expect(Target.wait(silence: 1013, period: 1005) == 990)
    // 27 events and half a period later.
    #expect(Target.wait(silence: 27 * 1005 + 500, period: 1005) == 472)
    #expect(Target.wait(silence: 27 * 1005 + 33, period: 1005) == 0)
    #expect(Target.wait(silence: 27 * 1005 + 34, period: 1005) == 938)
    #expect(Target.wait(silence: .max, period: 255) == 0)
  }
}
