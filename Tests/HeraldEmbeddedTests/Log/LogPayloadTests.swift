import HeraldSimulation
import Testing

@testable import HeraldEmbedded

@Suite("Log: payloads in records")
struct LogPayloadTests {
  private func bytes(_ first: UInt8, _ count: Int) -> [UInt8] {
    (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
  }

  @Test("Payloads of 1 to 21 bytes stay in RAM until the commit, longer ones are programmed at once")
  func lengths() throws {
    for count in [0, 1, 20, 21, 22, 124, 125, 510] {
      let image = FlashImage(pageSize: 4096, pageCount: 2, wordSize: 4)
      var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
      try log.add(.read(target(1)), bytes(1, count), at: 10)
      // The header, and the blocks of a payload of more than 21 bytes: 4 bytes each besides those.
      let blocks = count <= 21 ? 0 : count / 124 * 128 + (count % 124 == 0 ? 0 : (count % 124 + 7) / 4 * 4)
      #expect(log.standing.openBytes == 40 + blocks, "\(count)")
      log.commit()
      #expect(
        log.records() == [PlainRecord(event: .read(target(1)), milliseconds: 10, payload: bytes(1, count))])
    }
  }

  @Test("A payload that is one of the last two costs a byte at most; a third one pushes out the older")
  func repeated() throws {
    let image = FlashImage(pageSize: 4096, pageCount: 2, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
    let one = bytes(1, 21)
    let two = bytes(50, 21)
    let three = bytes(100, 20)
    let order = [one, two, two, one, three, one, two, three, bytes(1, 20), one]
    var expected: [PlainRecord] = []
    for (index, payload) in order.enumerated() {
      let at = UInt64(index + 1) * 100
      try log.add(.read(target(1)), payload, at: at)
      expected.append(PlainRecord(event: .read(target(1)), milliseconds: at, payload: payload))
    }
    for index in 0..<100 {
      let at = UInt64(index + 20) * 100
      try log.add(.read(target(1)), index % 3 == 0 ? one : two, at: at)
      let payload = index % 3 == 0 ? one : two
      expected.append(PlainRecord(event: .read(target(1)), milliseconds: at, payload: payload))
    }
    log.commit()
    #expect(log.records() == expected)
    // Eight new payloads of 21 or 20 bytes among the first ten, none among the hundred.
    #expect(log.standing.openBytes < 40 + 8 * 21 + 110 * 2)
  }

  @Test("A payload that does not fit any more takes its record to the next page")
  func atTheEnd() throws {
    let image = FlashImage(pageSize: 256, pageCount: 16, wordSize: 4)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image)
    var expected: [PlainRecord] = []
    for index in 0..<80 {
      let payload = (0..<21).map { UInt8(truncatingIfNeeded: index &* 37 &+ $0 &* 11) }
      try log.add(.read(target(1)), payload, at: UInt64(index) * 10)
      expected.append(
        PlainRecord(event: .read(target(1)), milliseconds: UInt64(index) * 10, payload: payload))
    }
    log.commit()
    #expect(log.records() == expected)
    #expect(log.statistic(6) == 0 && log.statistic(7) == 0)
  }
}
