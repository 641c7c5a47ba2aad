import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

/// A scripted run: what was appended, what was committed after which flash step, and the steps.
private struct Run {
  var appended: [PlainRecord] = []
  /// After so many steps, so many records were committed.
  var commits: [(steps: Int, records: Int)] = []
  /// Index of the first record of each page.
  var pageStarts: [UInt32: Int] = [:]
  /// After so many steps, this was the oldest page.
  var oldest: [(steps: Int, sequence: UInt32)] = []
  var image: FlashImage
}

private func scriptedRun(wordSize: Int, events: Int, seed: UInt64, isSealed: Bool) throws -> Run {
  // A sealed page has to have room for the same payloads.
  let image = FlashImage(pageSize: isSealed ? 640 : 512, pageCount: 3, wordSize: wordSize)
  image.journal = []
  var run = Run(image: image)
  var random = Seeded(seed)
  var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
  var now: UInt64 = 12340
  for index in 0..<events {
    now += UInt64.random(in: 0...400, using: &random) / 10 * 10
    let peer = target(UInt32.random(in: 0..<12, using: &random))
    let event: LogEvent
    var payload: [UInt8] = []
    switch UInt8.random(in: 0..<40, using: &random) {
    case 0:
      event = .read(peer)
      payload = (0..<Int.random(in: 0...200, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    case 1: event = .detected(peer)
    case 2: event = .battery(level: 57, external: true)
    default: event = .measured(peer, RSSI(Int8.random(in: -99 ... -40, using: &random)))
    }
    try log.add(event, payload, at: now)
    run.appended.append(PlainRecord(event: event, milliseconds: now, payload: payload))
    let status = log.standing
    if run.pageStarts[status.newest] == nil { run.pageStarts[status.newest] = index }
    if index % 17 == 16 {
      log.commit()
      run.commits.append((image.steps, index + 1))
    }
    if index % 5 == 0 { log.maintain() }
    run.oldest.append((image.steps, log.standing.oldest))
  }
  return run
}

@Suite("Log and loss of power")
struct FlashLogPowerTests {
  @Test(
    "HP-46 power cut at every flash step and inside it: what was committed is there, and every earlier page",
    arguments: [(1, false), (4, false), (8, false), (4, true), (8, true)])
  func everyStep(wordSize: Int, isSealed: Bool) throws {
    let run = try scriptedRun(wordSize: wordSize, events: 420, seed: UInt64(wordSize), isSealed: isSealed)
    let journal = try #require(run.image.journal)
    #expect(run.image.erasures.allSatisfy { $0 >= 1 })  // the ring has turned
    let contents = FlashImage(pageSize: run.image.pageSize, pageCount: 3, wordSize: wordSize)
    var commit = 0
    var committed = 0
    var era = 0
    var oldest: UInt32 = 1
    for step in journal.indices {
      while commit < run.commits.count, run.commits[commit].steps <= step {
        committed = run.commits[commit].records
        commit += 1
      }
      while era < run.oldest.count, run.oldest[era].steps <= step {
        oldest = run.oldest[era].sequence
        era += 1
      }
      // A word is a few bits, so that all its tearings look alike; with single bytes a sample is enough.
      let isSampled = wordSize > 1 || step % 4 == 0
      var tearings: [FlashImage.Tearing] = isSampled ? [.nothing, .some(seed: UInt64(step))] : []
      // Nothing says where in a page an erasure begins.
      if case .erasure = journal[step] {
        tearings += [.stretch(from: 0, to: 1), .stretch(from: 0, to: 7), .stretch(from: 1, to: 8)]
        tearings += [.stretch(from: 7, to: 8), .stretch(from: 3, to: 5)]
      }
      for tearing in tearings {
        let torn = contents.copy()
        torn.apply(journal[step], tearing: tearing)
        var log = FlashLog<MemoryFlash, 8>.mounted(
          on: torn, freshEpoch: 99, isSealed: isSealed && step % 8 == 0)
        let status = log.standing
        // The page that is being erased may be there or not; nothing else may be missing.
        let first = status.newest == 0 ? 0 : try #require(run.pageStarts[status.oldest])
        #expect(status.newest == 0 || status.oldest <= oldest + 1)
        let records = log.records()
        let end = first + records.count
        guard end >= committed, end <= run.appended.count, records == Array(run.appended[first..<end]) else {
          Issue.record("step \(step), \(tearing): \(records.count) from \(first), \(committed) committed")
          return
        }
        // And the log continues.
        guard step % 8 == 0 else { continue }
        try log.add(.lost(target(3)), at: 5)
        log.commit()
        var again = FlashLog<MemoryFlash, 8>.mounted(on: torn)
        let continued = again.records()
        #expect(again.pages().allSatisfy { $0.ending != .malformed })
        #expect(continued.last == PlainRecord(event: .lost(target(3)), milliseconds: 0, boot: status.boot))
      }
      contents.apply(journal[step])
    }
    #expect(contents.bytes == run.image.bytes)
  }

  @Test(
    "a log whose flash loses power says so, keeps what was committed, and works again after a restart",
    arguments: [false, true])
  func liveCut(isSealed: Bool) throws {
    for steps in stride(from: 0, to: 150, by: 3) {
      let image = FlashImage(pageSize: 512, pageCount: 4, wordSize: 4)
      var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
      image.cutPower(afterSteps: steps, tearing: .some(seed: UInt64(steps)))
      var committed = 0
      var appended: [PlainRecord] = []
      for index in 0..<1500 {
        let event = LogEvent.measured(target(UInt32(index % 5)), RSSI(Int8(-40 - index % 37)))
        do throws(LogError) {
          try log.add(event, at: UInt64(index) * 130)
        } catch {
          #expect(error == .flashFailed)
          break
        }
        guard image.hasPower else { break }
        appended.append(PlainRecord(event: event, milliseconds: UInt64(index) * 130))
        if index % 11 == 0 {
          log.commit()
          if image.hasPower { committed = appended.count }
        }
      }
      #expect(!image.hasPower)
      image.restorePower()
      var again = FlashLog<MemoryFlash, 8>.mounted(on: image)
      let records = again.records()
      #expect(again.pages().allSatisfy { $0.ending != .malformed })
      if again.standing.oldest == 1 {
        #expect(records.count >= committed)
        #expect(records == Array(appended.prefix(records.count)))
      } else {
        let first = appended.firstIndex { $0 == records.first } ?? 0
        #expect(records == Array(appended[first..<(first + records.count)]))
        #expect(first + records.count >= committed)
      }
    }
  }

  @Test(
    "restarts share a page: each gets a segment of its own, behind anything a cut may have left half programmed",
    arguments: [false, true])
  func restarts(isSealed: Bool) throws {
    let image = FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)
    for boot in 1...12 {
      var log = FlashLog<MemoryFlash, 16>.mounted(on: image, isSealed: isSealed)
      #expect(log.standing.boot == UInt32(boot))
      try log.add(.started(reason: UInt8(boot)), at: 20)
      try log.add(.measured(target(UInt32(boot)), RSSI(-50)), at: 1000)
      log.commit()
      try log.add(.measured(target(1), RSSI(-51)), at: 1100)  // never committed
    }
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image, isSealed: isSealed)
    #expect(log.standing.newest == 1)
    let expected = (1...12).flatMap { boot in
      [
        PlainRecord(event: .started(reason: UInt8(boot)), milliseconds: 20, boot: UInt32(boot)),
        PlainRecord(
          event: .measured(target(UInt32(boot)), RSSI(-50)), milliseconds: 1000, boot: UInt32(boot)),
      ]
    }
    #expect(log.records() == expected)
    // Twenty-one fit into a page, fewer if sealed; the page after takes the rest, and none is lost.
    for boot in 13...40 {
      var log = FlashLog<MemoryFlash, 16>.mounted(on: image, isSealed: isSealed)
      try log.add(.started(reason: UInt8(boot)), at: 20)
      log.commit()
    }
    log.mount(freshEpoch: 0)
    #expect(log.standing.newest == (isSealed ? 4 : 2))
    #expect(
      log.records().filter { if case .started = $0.event { true } else { false } }.map(\.boot)
        == Array(1...40))
    #expect(image.erasures == (isSealed ? [1, 1, 1, 1] : [1, 1, 0, 0]))
  }

  @Test("a restart that logs nothing writes nothing")
  func idleRestarts() throws {
    let image = FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
    try log.add(.started(reason: 0), at: 0)
    log.commit()
    let steps = image.steps
    for _ in 0..<100 { log.mount(freshEpoch: 1) }
    #expect(image.steps == steps)
    #expect(log.standing.newest == 1)
  }
}
