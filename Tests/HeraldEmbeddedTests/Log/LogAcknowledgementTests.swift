import HeraldCrypto
import HeraldSimulation
import Testing

@testable import HeraldEmbedded

extension FlashLog where F == MemoryFlash {
  /// Whether pages wait to be erased, as a number of them: 0 or 1.
  fileprivate mutating func waiting() -> Int { wantsTrimming ? 1 : 0 }

  /// SHA-256 of a page as it can be read; of no bytes if there is none.
  fileprivate mutating func digest(_ sequence: UInt32) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: readableBytes(sequence: sequence) ?? 0)
    var span = page.mutableSpan
    let count = (try? read(sequence: sequence, offset: 0, into: &span)) ?? 0
    #expect(count == page.count)
    let digest = SHA256.digest(of: page.span)
    return digest.indices.map { digest[$0] }
  }

  /// Acknowledges a page with its digest, or with that digest with another bit.
  fileprivate mutating func acknowledge(_ sequence: UInt32, flipping bit: UInt8 = 0) -> LogAcknowledgement {
    var digest = digest(sequence)
    digest[31] ^= bit
    return acknowledge(sequence, with: digest)
  }

  /// The same with a digest as an array.
  fileprivate mutating func acknowledge(_ sequence: UInt32, with digest: [UInt8]) -> LogAcknowledgement {
    acknowledge(sequence, digest: digest.span)
  }

  /// Acknowledges every page there is up to and including one; whether all were taken.
  fileprivate mutating func acknowledge(through sequence: UInt32) -> Bool {
    var isTaken = true
    for sequence in min(standing.oldest, sequence)...sequence where acknowledge(sequence) != .taken {
      isTaken = false
    }
    return isTaken
  }
}

@Suite("Acknowledgement")
struct LogAcknowledgementTests {
  private func image() -> FlashImage { FlashImage(pageSize: 512, pageCount: 8, wordSize: 4) }

  @Test(
    "the page that is being written is not to be acknowledged, nor a gone one read that could not be erased")
  func newestAndGone() throws {
    let image = image()
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
    var number: UInt32 = 0
    _ = try fill(&log, to: 3, from: &number)
    log.commit()
    let page = Array(image.bytes[1024..<1536])
    let newest = SHA256.digest(of: page.span)
    #expect(log.acknowledge(3, with: newest.indices.map { newest[$0] }) == .outOfOrder)
    #expect(log.acknowledge(1) == .taken)
    image.brokenPages = [0]
    log.trim()
    #expect(log.standing.oldest == 2)
    #expect(log.readableBytes(sequence: 1) == nil && log.readRefusal(1, 0) == .gone)
    #expect(log.acknowledge(1, with: []) == .taken)
  }

  @Test(
    "the newest page is not to be acknowledged, even when all before it are, with the digest of all of it")
  func newestAfterAllOthers() throws {
    let image = image()
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
    var number: UInt32 = 0
    _ = try fill(&log, to: 3, from: &number)
    log.commit()
    let isTaken = log.acknowledge(through: 2)
    #expect(isTaken)
    let page = Array(image.bytes[1024..<1536])
    let digest = SHA256.digest(of: page.span)
    let outcome = log.acknowledge(3, with: digest.indices.map { digest[$0] })
    #expect(outcome == .outOfOrder)
    log.trim()
    log.trim()
    log.trim()
    #expect(log.standing.oldest == 3 && log.standing.newest == 3)
  }

  /// Appends until the newest page is `sequence`; the records.
  private func fill(_ log: inout FlashLog<MemoryFlash, 8>, to sequence: UInt32, from number: inout UInt32)
    throws
    -> [PlainRecord]
  {
    var records: [PlainRecord] = []
    while log.standing.newest < sequence {
      number += 1
      let record = PlainRecord(
        event: .read(target(number % 7)), milliseconds: UInt64(number) * 100,
        payload: (0..<40).map { UInt8(truncatingIfNeeded: $0 &* number) })
      try log.add(record.event, record.payload, at: record.milliseconds)
      records.append(record)
    }
    return records
  }

  @Test(
    "pages go one at a time, the oldest first, and no further than was acknowledged",
    arguments: [false, true])
  func oneByOne(isSealed: Bool) throws {
    let image = image()
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
    var number: UInt32 = 0
    _ = try fill(&log, to: 6, from: &number)
    log.commit()
    let records = log.records()
    #expect(log.waiting() == 0)
    // The newest page may still grow; the one behind it is not there yet.
    for sequence in [UInt32(6), 7, .max] {
      let outcome = log.acknowledge(sequence)
      #expect(outcome == .outOfOrder)
    }
    // Nor a page before the one ahead of it.
    let early = log.acknowledge(2)
    #expect(early == .outOfOrder && log.waiting() == 0)
    let isTaken = log.acknowledge(through: 3)
    #expect(isTaken && log.waiting() == 1)
    for oldest in UInt32(2)...4 {
      let before = image.erasures.reduce(0, +)
      log.trim()
      #expect(log.standing.oldest == oldest && image.erasures.reduce(0, +) == before + 1)
    }
    #expect(log.waiting() == 0 && log.statistic(9) == 3)
    log.trim()
    #expect(log.standing.oldest == 4)
    // Again, and for what is gone already, is fine and does nothing, whatever the digest.
    for sequence in [UInt32(0), 1, 3] {
      let outcome = log.acknowledge(sequence)
      #expect(outcome == .taken && log.waiting() == 0)
    }
    let left = log.records()
    #expect(left == Array(records.suffix(left.count)) && left.count < records.count)
    // After a restart it is the same log, and it continues.
    var again = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
    #expect(again.standing.oldest == 4 && again.records() == left && again.waiting() == 0)
    try again.add(.lost(target(1)), at: 5)
    again.commit()
    #expect(again.records().count == left.count + 1)
  }

  @Test("what is acknowledged and overwritten before it is erased is no more erased than anything else")
  func overtaken() throws {
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image())
    var number: UInt32 = 0
    _ = try fill(&log, to: 5, from: &number)
    let isTaken = log.acknowledge(through: 2)
    #expect(isTaken)
    _ = try fill(&log, to: 14, from: &number)
    #expect(log.waiting() == 0 && log.standing.oldest >= 7 && log.statistic(9) == 0)
    log.commit()
    let records = log.records()
    log.trim()
    #expect(log.records() == records)
  }

  @Test(
    "a page with another digest stays, and all behind it, whichever bit of the page or of the digest it is",
    arguments: [false, true])
  func otherDigest(isSealed: Bool) throws {
    let image = image()
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
    var number: UInt32 = 0
    _ = try fill(&log, to: 5, from: &number)
    log.commit()
    let digests = (1...5).map { log.digest($0) }
    // A page of the same log that somebody changed, byte by byte: the device has the other one.
    for place in 0..<512 {
      var forged = Array(image.bytes[0..<512])
      forged[place] ^= 0x10
      let digest = SHA256.digest(of: forged.span)
      let outcome = log.acknowledge(1, digest: digest.span)
      #expect(outcome == .otherDigest && log.waiting() == 0)
    }
    for bit in 0..<256 {
      var digest = digests[0]
      digest[bit / 8] ^= 1 << UInt8(bit % 8)
      let outcome = log.acknowledge(1, digest: digest.span)
      #expect(outcome == .otherDigest)
    }
    for digest in [
      [], [UInt8](digests[0].dropLast()), digests[0] + [0], digests[1], [UInt8](repeating: 0, count: 32),
    ] {
      let outcome = log.acknowledge(1, digest: digest.span)
      #expect(outcome == .otherDigest)
    }
    // The first is right, the second is not, the third is right again: the first may go.
    let outcomes = [
      log.acknowledge(1, with: digests[0]), log.acknowledge(2, flipping: 1),
      log.acknowledge(3, with: digests[2]),
    ]
    #expect(outcomes == [.taken, .otherDigest, .outOfOrder])
    for _ in 0..<5 { log.trim() }
    #expect(log.standing.oldest == 2 && log.statistic(9) == 1)
    // What a page is after a change in flash is no more what was fetched.
    image.bytes[512 + 100] ^= 1
    let changed = log.acknowledge(2, with: digests[1])
    #expect(changed == .otherDigest && log.waiting() == 0)
  }

  @Test("a page in between that cannot be read, which no host can have, holds up no other")
  func hole() throws {
    let image = image()
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
    var number: UInt32 = 0
    _ = try fill(&log, to: 5, from: &number)
    // The header of page 2.
    image.bytes[512 + 20] ^= 1
    let outcomes = [log.acknowledge(1), log.acknowledge(4), log.acknowledge(3)]
    #expect(outcomes == [.taken, .outOfOrder, .taken])
    while log.wantsTrimming { log.trim() }
    #expect(log.standing.oldest == 4)
  }

  @Test("a log that is not there acknowledges nothing")
  func unmounted() {
    var log = FlashLog<MemoryFlash, 8>(flash: MemoryFlash(pageSize: 512, pageCount: 8, wordSize: 4))
    let outcome = log.acknowledge(0, digest: [UInt8](repeating: 0, count: 32).span)
    #expect(outcome == .outOfOrder && log.waiting() == 0)
    log.trim()
  }

  @Test("a page that cannot be erased is no longer told, and holds up no other")
  func broken() throws {
    let image = image()
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
    var number: UInt32 = 0
    _ = try fill(&log, to: 5, from: &number)
    image.brokenPages = [1]
    let isTaken = log.acknowledge(through: 4)
    #expect(isTaken)
    for _ in 0..<4 { log.trim() }
    #expect(log.standing.oldest == 5 && log.statistic(7) > 0 && log.waiting() == 0)
  }

  @Test(
    "power cut at every step of the flash while pages go: what was committed and not acknowledged is all there",
    arguments: [(1, false), (4, false), (8, false), (4, true)])
  func power(wordSize: Int, isSealed: Bool) throws {
    let image = FlashImage(pageSize: isSealed ? 576 : 512, pageCount: 6, wordSize: wordSize)
    image.journal = []
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
    var appended: [PlainRecord] = []
    // After so many steps: so many records were committed, and those before this one acknowledged.
    var scenario: [(steps: Int, committed: Int, acknowledged: Int)] = []
    var starts: [UInt32: Int] = [:]
    var acknowledged = 0
    for number in UInt32(1)...260 {
      let record = PlainRecord(
        event: .read(target(number % 7)), milliseconds: UInt64(number) * 100,
        payload: (0..<30).map { UInt8(truncatingIfNeeded: $0 &* number) })
      try log.add(record.event, record.payload, at: record.milliseconds)
      appended.append(record)
      let newest = log.standing.newest
      if starts[newest] == nil { starts[newest] = appended.count - 1 }
      if number % 9 == 0 {
        log.commit()
        scenario.append((image.steps, appended.count, acknowledged))
      }
      // A host that has what is there from time to time; the ring never has to overwrite anything.
      if number % 20 == 0, newest > 2 {
        let isTaken = log.acknowledge(through: newest - 1)
        #expect(isTaken)
        acknowledged = try #require(starts[newest])
        // Acknowledged is what may go from here on.
        scenario.append((image.steps, scenario.last?.committed ?? 0, acknowledged))
      }
      if log.wantsTrimming { log.trim() } else { log.maintain() }
    }
    #expect(log.statistic(9) > 10 && log.statistic(5) == 0)
    let journal = try #require(image.journal)
    let contents = FlashImage(pageSize: image.pageSize, pageCount: 6, wordSize: wordSize)
    var known = 0
    var committed = 0
    var gone = 0
    for step in journal.indices {
      while known < scenario.count, scenario[known].steps <= step {
        committed = scenario[known].committed
        gone = scenario[known].acknowledged
        known += 1
      }
      let isErasing: Bool
      switch journal[step] {
      case .erasure: isErasing = true
      case .word(_, let offset, let bytes): isErasing = offset < 8 && bytes.allSatisfy { $0 == 0 }
      }
      for tearing in [FlashImage.Tearing.nothing, .some(seed: UInt64(step))] where isErasing || step % 16 == 0
      {
        let torn = contents.copy()
        torn.apply(journal[step], tearing: tearing)
        var after = FlashLog<MemoryFlash, 8>.mounted(on: torn, freshEpoch: 99)
        let records = after.records()
        guard committed > gone else { continue }
        // One stretch of what was appended, from something acknowledged or the first after it, to the last
        // committed or beyond.
        guard let first = records.first, let start = appended.firstIndex(of: first), start <= gone,
          start + records.count >= committed, records == Array(appended[start..<start + records.count])
        else {
          Issue.record(
            "step \(step), \(tearing): \(records.count) records, \(gone)..<\(committed) must be there")
          return
        }
      }
      contents.apply(journal[step])
    }
    #expect(contents.bytes == image.bytes)
  }
}
