import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI
import HeraldSimulation
import Testing

@Suite("The main loop")
struct RoundTests {
  private let events = Events()
  private let words = Words()
  private let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)
  private let kept = FlashImage(pageSize: 4096, pageCount: 2, wordSize: 4)

  private func device() -> TestNode {
    TestNode(
      radio: HCIRadio(transport: SilentTransport(events: events)), flash: MemoryFlash(image),
      random: CountedRandom(),
      supplier: FixedPayloadSupplier(country: 1, state: 2, clientIdentifier: 3), delegate: NoDelegate(),
      board: Firmware(
        hardware: TestHardware(events: events), memory: words.memory, settings: MemoryFlash(kept), hint: nil))
  }

  private func run(_ device: inout TestNode, until end: UInt64) -> Int {
    var links = NoLinks()
    var rounds = 0
    while events.now < end, rounds < 100_000 {
      device.round(serving: &links)
      rounds += 1
    }
    return rounds
  }

  /// The value of a counter of the group "firmware".
  private func counter(_ name: String, of device: inout TestNode) -> UInt32? {
    for index in 0..<TestNode.statisticsCount(group: 3)
    where "\(TestNode.statisticName(group: 3, index))" == name {
      return device.statistic(group: 3, index)
    }
    return nil
  }

  /// What the flash tells, as it is now.
  private func logged() -> [LogEvent] {
    var events: [LogEvent] = []
    for page in 0..<image.pageCount {
      let bytes = Array(image.bytes[(page * image.pageSize)..<((page + 1) * image.pageSize)])
      guard var decoder = LogPageDecoder(bytes.span) else { continue }
      var payload = [UInt8](repeating: 0, count: LogEvent.maximumBytes)
      var room = payload.mutableSpan
      while let record = decoder.next(payload: &room) { events.append(record.event) }
    }
    return events
  }

  @Test func sleepsToTheNextDeadlineAndNeverPastASecond() {
    var device = device()
    let rounds = run(&device, until: 60_000)
    #expect(rounds < 200)
    #expect(zip([0] + events.sleeps, events.sleeps).allSatisfy { $1 - $0 <= 1_000 })
    let share = counter("asleep_permille", of: &device)
    #expect(share == 1_000)
    let sleeps = counter("sleeps", of: &device)
    #expect(sleeps == UInt32(events.sleeps.count))
    #expect("\(TestNode.statisticsGroupName(3))" == "firmware")
  }

  @Test func aControllerThatDoesNotAnswerIsResetByItsLineAndTheWatchdogIsFed() {
    var device = device()
    _ = run(&device, until: 3_600_000)
    #expect(events.holds.count > 20)
    #expect(zip(events.holds, events.holds.dropFirst()).allSatisfy { $0 != $1 })
    #expect(events.holds.first == true)
    let withheld = counter("watchdog_withheld", of: &device)
    #expect(withheld == 0)
    #expect(events.feeds > 3_000)
  }

  @Test func aLoopThatNeverComesToRestIsNotFed() {
    var device = device()
    var links = BusyLinks()
    events.busy = 20
    while events.now < 59_000 { device.round(serving: &links) }
    let feeds = events.feeds
    #expect(feeds > 0)
    while events.now < 61_000 { device.round(serving: &links) }
    let last = events.feeds
    while events.now < 100_000 { device.round(serving: &links) }
    #expect(events.feeds == last)
  }

  @Test func aFaultIsLoggedAtOnceAndOnlyOnce() {
    words.fail(2)
    var device = device()
    var links = NoLinks()
    device.round(serving: &links)
    // As if power had gone: what is in flash by now is what is kept.
    #expect(logged() == [.started(reason: 4), .restarted])
    _ = run(&device, until: 100_000)
    #expect(logged().filter { $0 == .restarted }.count == 1)
    let cause = device.restartReport()?.cause
    #expect(cause == .panic)
    let faults = counter("faults", of: &device)
    #expect(faults == 1)
  }

  @Test func aStartWithoutFaultIsLoggedAsThat() {
    var device = device()
    _ = run(&device, until: 40_000)
    #expect(logged() == [.started(reason: 0), .ownPayload] || logged() == [.started(reason: 0)])
  }

  @Test func safeModeLeavesTheRadioAloneReadsTheLogAndEndsByItself() {
    for _ in 0..<2 {
      words.fail(1)
      events.now = 0
      var device = device()
      _ = run(&device, until: 4_000)
    }
    words.fail(1)
    events.now = 0
    events.written = 0
    var device = device()
    #expect(device.board.mode == .safe)
    _ = run(&device, until: 299_999)
    #expect(events.written == 0)
    #expect(events.restarts == 0)
    let newest = device.logStatus().newest
    #expect(newest == 1)
    let withheld = counter("watchdog_withheld", of: &device)
    #expect(withheld == 0)
    _ = run(&device, until: 300_500)
    #expect(events.restarts > 0)
    var memory = words.memory
    let next = StartDecision(&memory, hint: nil)
    #expect(next.report.cause == .safeModeOver)
    #expect(next.report.mode == .normal)
  }

  @Test func aFaultInSafeModeLeavesTheLogAloneToo() {
    for _ in 0..<3 {
      words.fail(1)
      events.now = 0
      var device = device()
      _ = run(&device, until: 4_000)
    }
    words.fail(1)
    events.now = 0
    let before = image.bytes
    var device = device()
    #expect(device.board.mode == .bare)
    _ = run(&device, until: 60_000)
    #expect(image.bytes == before)
    let mode = device.restartReport()?.mode
    #expect(mode == .bare)
  }

  @Test func tenMinutesOfANormalRunMakeUpForFaults() {
    var past = RetainedMemory.Run()
    past.safeStarts = 3
    var words = words.memory
    words.note(past)
    self.words.fail(1)
    var device = device()
    let before = device.restartReport()?.streak
    #expect(before == 1)
    _ = run(&device, until: 599_000)
    #expect(words.run()?.safeStarts == 3)
    _ = run(&device, until: 601_000)
    let run = words.run()
    #expect(run?.streak == 0 && run?.safeStarts == 0)
    #expect(run?.uptime ?? 0 >= 600)
  }

  @Test func theBootLoaderIsEnteredWhenTheAnswerIsOutAndTheLogCommitted() {
    var device = device()
    _ = run(&device, until: 5_000)
    device.enterBootLoader(at: Instant(milliseconds: events.now))
    // As if power had gone: what is in flash by now is what is kept.
    #expect(logged().first == .started(reason: 0))
    let asked = events.now
    _ = run(&device, until: asked + 249)
    #expect((events.entries, events.restarts) == (0, 0))
    _ = run(&device, until: asked + 400)
    #expect(events.entries > 0)
    #expect(events.restarts == 0)
    var memory = words.memory
    let cause = StartDecision(&memory, hint: nil).report.cause
    #expect(cause == .requested)
  }

  @Test func aRestartThatWasAskedForComesWhenTheAnswerIsOut() {
    var device = device()
    _ = run(&device, until: 5_000)
    device.restart(at: Instant(milliseconds: events.now))
    let asked = events.now
    _ = run(&device, until: asked + 249)
    #expect(events.restarts == 0)
    _ = run(&device, until: asked + 400)
    #expect(events.restarts > 0)
    #expect(events.entries == 0)
    var memory = words.memory
    let cause = StartDecision(&memory, hint: nil).report.cause
    #expect(cause == .requested)
  }
}

/// Links on which there is always more to do.
private struct BusyLinks: ManagementLinks {
  mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device) -> Instant {
    now
  }
}
