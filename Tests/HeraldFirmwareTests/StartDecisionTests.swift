import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import Testing

/// Words of memory that stay, as those of a chip do.
final class Words {
  let start: UnsafeMutablePointer<UInt32>

  init(filledWith word: UInt32 = 0) {
    start = .allocate(capacity: RetainedMemory.count)
    start.initialize(repeating: word, count: RetainedMemory.count)
  }

  deinit { start.deallocate() }

  var memory: RetainedMemory { RetainedMemory(start) }

  /// Writes what the fault handler in boards/startup writes, written down here again.
  func fail(_ cause: UInt32, pc: UInt32 = 0x8972) {
    let words: [UInt32] = [0x746C_6148, cause, pc, 0x33F, 0x2100_0003, 0x10, 0x1FFF_FFF8]
    var check: UInt32 = 0
    for (index, word) in words.enumerated() {
      start[index] = word
      check = (check << 1 | check >> 31) ^ word
    }
    start[7] = ~check
  }
}

@Suite("Start decision")
struct StartDecisionTests {
  private func start(_ words: Words, hint: RestartCause? = nil) -> StartDecision {
    var memory = words.memory
    return StartDecision(&memory, hint: hint)
  }

  /// Lets the run go on for so many seconds.
  private func live(_ words: Words, _ decision: StartDecision, seconds: UInt32, intent: RestartCause? = nil) {
    var memory = words.memory
    var run = decision.run
    run.uptime = seconds
    run.intent = intent
    memory.note(run)
  }

  @Test(arguments: [0, 0xFFFF_FFFF, 0xA5A5_A5A5] as [UInt32])
  func whateverMemoryHoldsAfterPowerCameOnMeansNothing(word: UInt32) {
    let decision = start(Words(filledWith: word))
    #expect(decision.report == RestartReport(cause: .powerOn))
  }

  @Test func aFaultIsToldOnceWithAllThatIsKnownOfIt() {
    let words = Words()
    live(words, start(words), seconds: 77)
    words.fail(3)
    let report = start(words).report
    #expect(report.cause == .stackOverflow)
    #expect(report.mode == .normal)
    #expect(report.lasted == 77)
    #expect(report.faults == 1)
    #expect(report.programCounter == 0x8972)
    #expect(report.linkRegister == 0x33F)
    #expect(report.programStatus == 0x2100_0003)
    #expect(report.faultStatus == 0x10)
    #expect(report.faultAddress == 0x1FFF_FFF8)
    #expect(start(words).report.cause == .resetLine)
  }

  @Test func eachCauseOfTheFaultHandlerHasItsName() {
    let names: [(UInt32, RestartCause)] = [(1, .fault), (2, .panic), (3, .stackOverflow), (4, .watchdog)]
    for (number, cause) in names {
      let words = Words()
      words.fail(number)
      #expect(start(words).report.cause == cause)
    }
  }

  @Test func aFaultOfWhichAnyBitIsWrongIsNone() {
    for word in 0..<8 {
      for bit in 0..<32 as Range<UInt32> {
        let words = Words()
        words.fail(1)
        words.start[word] ^= 1 << bit
        #expect(start(words).report.cause == .powerOn)
      }
    }
  }

  @Test func aRunOfWhichAnyBitIsWrongIsNone() {
    for word in 8..<16 {
      let words = Words()
      live(words, start(words), seconds: 5)
      words.start[word] ^= 0x10
      #expect(start(words).report.cause == .powerOn)
    }
  }

  @Test func threeFaultsOfShortRunsBringSafeModeAndOneMoreTheRest() {
    let words = Words()
    var decision = start(words)
    for (streak, mode) in [(1, .normal), (2, .normal), (3, .safe), (4, .bare), (5, .bare)]
      as [(UInt8, StartMode)]
    {
      live(words, decision, seconds: 4)
      words.fail(2, pc: UInt32(streak) * 2)
      decision = start(words)
      #expect(decision.report.streak == streak)
      #expect(decision.report.mode == mode)
    }
    #expect(decision.report.faults == 5)
  }

  @Test func faultsOfLongRunsBringNone() {
    let words = Words()
    var decision = start(words)
    for _ in 0..<10 {
      live(words, decision, seconds: StartDecision.shortRun)
      words.fail(2)
      decision = start(words)
      #expect(decision.report.mode == .normal)
      #expect(decision.report.streak == 1)
    }
  }

  @Test func afterSafeModeOneFaultIsEnoughAndALongRunMakesUp() {
    let words = Words()
    var decision = start(words)
    for _ in 0..<3 {
      live(words, decision, seconds: 4)
      words.fail(4)
      decision = start(words)
    }
    #expect(decision.run.safeStarts == 1)
    live(words, decision, seconds: 300, intent: .safeModeOver)
    decision = start(words)
    #expect(decision.report.cause == .safeModeOver)
    #expect(decision.report.mode == .normal)
    live(words, decision, seconds: 4)
    words.fail(4)
    decision = start(words)
    #expect(decision.report.mode == .safe)
    #expect(decision.run.safeStarts == 2)
    live(words, decision, seconds: 600, intent: .safeModeOver)
    decision = start(words)
    var forgiven = decision.run
    forgiven.streak = 0
    forgiven.safeStarts = 0
    var memory = words.memory
    memory.note(forgiven)
    words.fail(4)
    #expect(start(words).report.mode == .normal)
  }

  @Test func whoAskedForARestartOrPulledTheLineGetsADeviceThatWorks() {
    let words = Words()
    var decision = start(words)
    for _ in 0..<3 {
      live(words, decision, seconds: 4)
      words.fail(1)
      decision = start(words)
    }
    #expect(decision.report.mode == .safe)
    live(words, decision, seconds: 9, intent: .requested)
    decision = start(words)
    #expect(decision.report.cause == .requested)
    #expect(decision.report.mode == .normal)
    #expect(decision.report.streak == 0)
    live(words, decision, seconds: 9)
    #expect(start(words, hint: .resetLine).report.mode == .normal)
  }

  @Test func aChipsOwnWordStandsWhereTheHandlerLeftNone() {
    let words = Words()
    live(words, start(words), seconds: 4)
    let report = start(words, hint: .watchdog).report
    #expect(report.cause == .watchdog)
    #expect(report.streak == 1)
    // Power that came on makes nothing of what memory seems to hold.
    live(words, start(words), seconds: 4)
    #expect(start(words, hint: .powerOn).report == RestartReport(cause: .powerOn))
  }

  @Test func safeModeLastsLongerEachTimeUpToFourHours() {
    let minutes = (0...9).map { StartDecision.safeTime(UInt8($0)).milliseconds / 60_000 }
    #expect(minutes == [5, 5, 10, 20, 40, 80, 160, 240, 240, 240])
  }
}
