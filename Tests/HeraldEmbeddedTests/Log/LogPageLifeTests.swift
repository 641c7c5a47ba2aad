import HeraldBluetooth
import HeraldCrypto
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldEmbedded
@testable import HeraldHAL

/// What happens to a log in a history: peers, payloads and times that come again.
private struct LogHistory {
  var random: SplitMix64
  var now: UInt64 = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  /// The time passes by a step that has been there before, or by another.
  mutating func pass() {
    now += [0, 10, 180, 270, 300, 700, 700, 5000, UInt64(below(20_000))][below(9)]
  }

  /// An event with its payload. Three payloads are so short that they are stored in their record.
  mutating func event(longest: Int) -> (event: LogEvent, payload: [UInt8]) {
    let peer = target(UInt32(below(12)))
    let payloads: [[UInt8]] = [
      [UInt8](1...21), [7, 8, 9], [UInt8](40...50), [UInt8](repeating: 3, count: longest), [],
    ]
    let payload = payloads[below(5)]
    switch below(12) {
    case 0, 1: return (.read(peer), payload)
    case 2: return (.ownPayload, payload)
    case 3: return (.detected(peer), [])
    case 4: return (.lost(peer), [])
    case 5: return (.battery(level: UInt8(below(100)), external: false), [])
    default: return (.measured(peer, RSSI(Int8(-40 - below(50)))), [])
    }
  }
}

/// A writer of pages with the rows of its targets.
private struct PageWriter: ~Copyable {
  var writer = LogPageWriter()
  var targets: [8 of LogTarget] = .init(repeating: LogTarget())
  var order: [8 of UInt8] = .init(repeating: 0)

  init() {
    writer.pageSize = 1024
    writer.word = 4
  }

  mutating func begin(at milliseconds: UInt64) {
    writer.recordsLeft = LogFormat.maximumRecords
    writer.begin(at: LogFormat.headerSize, uptime: Instant(milliseconds: milliseconds), crc: 0xC0DE)
  }

  private mutating func programmed(_ size: Int) -> [UInt8] { (0..<size).map { writer.encoder.buffer[$0] } }

  /// Ends the codeword. The bytes that are programmed; `nil` once the page accepts no more.
  mutating func commit() -> [UInt8]? {
    guard writer.pending > 0 else { return [] }
    var bytes: [UInt8] = []
    writer.endCodeword()
    if writer.needsAnotherBlock {
      guard writer.hasAnotherBlock else { return nil }
      bytes = full()
    }
    let size = writer.sealFinal(canSeal: false)
    bytes += programmed(size)
    writer.blockProgrammed(size: size)
    return bytes
  }

  private mutating func full() -> [UInt8] {
    let size = writer.sealFull(canSeal: false)
    defer { writer.fullBlockProgrammed(size: size) }
    return programmed(size)
  }

  /// Writes a record. The bytes that are programmed; `nil` once the page accepts no more.
  mutating func write(_ event: LogEvent, _ payload: [UInt8], at milliseconds: UInt64) -> [UInt8]? {
    var record = LogRecordFields(event)
    var rows = targets.mutableSpan
    var ranks = order.mutableSpan
    let outcome = writer.encode(
      &record, bytes: payload.span, at: Instant(milliseconds: milliseconds), targets: &rows, order: &ranks)
    switch outcome {
    case .stored: return []
    case .blockReady: return full()
    case .pageFull, .takenBack: return nil
    }
  }
}

@Suite("The life of a page of the log")
struct LogPageLifeTests {
  @Test("HP-46 a page is written as by a writer that never wrote one before, whatever that page held")
  func writer() {
    for seed in 0..<60 as Range<UInt64> {
      var history = LogHistory(seed: seed)
      var used = PageWriter()
      for _ in 0...history.below(3) {
        used.begin(at: history.now)
        var left = history.below(300)
        while left > 0 {
          left -= 1
          history.pass()
          let (event, payload) = history.event(longest: 21)
          guard used.write(event, payload, at: history.now) != nil,
            history.below(40) > 0 || used.commit() != nil
          else { break }
        }
      }
      var fresh = PageWriter()
      history.pass()
      used.begin(at: history.now)
      fresh.begin(at: history.now)
      for number in 0..<120 {
        history.pass()
        let (event, payload) = history.event(longest: 21)
        let isCommit = history.below(10) == 0
        let first = isCommit ? used.commit() : used.write(event, payload, at: history.now)
        let second = isCommit ? fresh.commit() : fresh.write(event, payload, at: history.now)
        let (pending, freshPending) = (used.writer.pending, fresh.writer.pending)
        guard first == second, pending == freshPending else {
          Issue.record("seed \(seed): record \(number)")
          return
        }
        if first == nil { break }
      }
    }
  }

  @Test(
    "HP-46 a log that is mounted again behaves as one that never was before, whatever happened to it",
    arguments: 0..<24 as Range<UInt64>)
  func mounted(seed: UInt64) throws {
    var history = LogHistory(seed: seed)
    let isSealed = seed % 4 == 3
    let image = FlashImage(
      pageSize: isSealed ? 1024 : 512, pageCount: 6, wordSize: [1, 2, 4, 8][history.below(4)])
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
    for _ in 0..<history.below(700) {
      let life = Deed(&history)
      _ = life.happen(to: &log, image)
    }
    image.brokenPages = []
    image.hasSufficientSupply = true
    // In every second case nothing is left of the log.
    if history.below(2) == 0 { image.bytes = .init(repeating: 0xFF, count: image.bytes.count) }
    let copy = image.copy()
    if isSealed { log.makeTestKeys() }
    log.mount(freshEpoch: 0x1234_5678)
    var fresh = FlashLog<MemoryFlash, 8>.mounted(on: copy, isSealed: isSealed)
    history.now = 0
    for number in 0..<400 {
      let deed = Deed(&history)
      let first = deed.happen(to: &log, image)
      let second = deed.happen(to: &fresh, copy)
      guard first == second, image.bytes == copy.bytes else {
        Issue.record("seed \(seed): deed \(number), \(deed)")
        return
      }
    }
  }

  /// What is done to a log.
  private struct Deed: CustomStringConvertible {
    var kind: Int
    var now: UInt64
    var event: LogEvent
    var payload: [UInt8]
    var days: UInt16
    var broken: Set<Int>

    init(_ history: inout LogHistory) {
      history.pass()
      kind = history.below(60)
      if kind == 0 { history.now += UInt64(history.below(40)) * 3_600_000 }
      now = history.now
      (event, payload) = history.event(longest: 90)
      days = UInt16(history.below(3))
      broken = history.below(3) == 0 ? [history.below(6)] : []
    }

    var description: String { "kind \(kind) at \(now)" }

    /// What is seen of it.
    func happen(to log: inout FlashLog<MemoryFlash, 8>, _ image: FlashImage) -> String {
      var seen = ""
      switch kind {
      case 0: log.retain(days: days, at: Instant(milliseconds: now))
      case 1...3: log.commit()
      case 4: log.maintain()
      case 5:
        let oldest = log.standing.oldest
        let bytes = log.pageBytes(oldest) ?? []
        let digest = SHA256.digest(of: bytes.span)
        seen = "\(log.acknowledge(oldest, digest: digest.span))"
      case 6: log.trim()
      case 7: image.brokenPages = broken
      case 8: image.hasSufficientSupply = days > 0
      default: seen = "\(String(describing: log.refusal(event, payload, at: now)))"
      }
      let status = log.standing
      let counters = (0..<11).map { log.statistic($0) }
      return
        "\(seen) \(status.oldest) \(status.newest) \(status.openBytes) \(status.boot) \(status.epoch) \(counters)"
    }
  }

  @Test("the age of a page does not depend on the pages whose age was determined before")
  func ages() throws {
    for seed in 0..<10 as Range<UInt64> {
      var history = LogHistory(seed: seed)
      let image = FlashImage(pageSize: 512, pageCount: 8, wordSize: 4)
      for _ in 0..<5 {
        var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
        history.now = UInt64(history.below(100_000))
        for _ in 0..<120 {
          history.now += UInt64(history.below(40_000))
          try log.add(.measured(target(UInt32(history.below(40))), RSSI(-50)), at: history.now)
        }
        log.commit()
        let status = log.standing
        for _ in 0..<20 where status.newest > status.oldest {
          let page = status.oldest + UInt32(history.below(Int(status.newest - status.oldest)))
          let age = log.ageOfEnd(of: page, at: Instant(milliseconds: history.now))
          let since = log.runTime(since: page + 1)
          #expect(age == since.map { $0 &+ history.now }, "seed \(seed): page \(page)")
        }
      }
    }
  }
}
