import HeraldBluetooth
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldEmbedded
@testable import HeraldHAL

@Suite("The life of the keys of the log")
struct LogSealerLifeTests {
  /// Makes keys with these random bytes, after `parts` of the work only if that is not nil. Whether the chain
  /// has begun.
  private static func make(
    _ sealer: inout LogSealer, _ secret: UInt8, parts: Int? = nil, at now: Instant
  ) -> Bool {
    let bytes = [UInt8](repeating: secret, count: 32)
    let owner = TestOwner.opener.publicKey.array
    let serial = TestOwner.serial
    sealer.begin(secret: bytes.span)
    var left = parts ?? .max
    for isLast in [false, true] {
      while !sealer.advance() {
        left -= 1
        if left < 0 { return false }
      }
      guard sealer.advance(owner: owner.span, serial: serial.span, at: now) == isLast else {
        return false
      }
    }
    return true
  }

  /// Takes the keys of a segment. What is written behind its header, and what a block is encrypted to.
  private static func take(_ sealer: inout LogSealer, _ seal: inout LogSegmentSeal, _ sequence: UInt32)
    -> [UInt8]
  {
    var header = [UInt8](repeating: 0x48, count: 80)
    var room = header.mutableSpan
    sealer.begin(&seal, header: &room, sequence: sequence, at: 256)
    var block = [UInt8](repeating: 5, count: 16)
    var packet = block.mutableSpan
    _ = seal.seal(&packet, clear: 1, at: 336)
    return header + block
  }

  /// What shows from outside.
  private static func shown(_ sealer: LogSealer, at now: Instant) -> [Bool] {
    let times = [0, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000] as [UInt64]
    return [sealer.isActive, sealer.isIdle, sealer.isForOther]
      + times.map { sealer.isDue(at: Instant(milliseconds: now.milliseconds + $0)) }
      + (sealer.isActive
        ? times.map { sealer.hasNext(at: Instant(milliseconds: now.milliseconds + $0)) } : [])
  }

  @Test(
    "a chain of keys is that of a device which never had another, and a wiped one is none",
    arguments: 0..<8 as Range<UInt64>)
  func chain(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var now = Instant(milliseconds: 1000)
    var sealer = LogSealer()
    var seal = LogSegmentSeal()
    for _ in 0...(random.next() % 4) {
      now = now + .seconds(UInt32(random.next() % 200_000))
      switch random.next() % 6 {
      case 0: sealer.wipe()
      case 1: sealer.ownerChanged()
      case 2: _ = Self.make(&sealer, 1, parts: Int(random.next() % 300), at: now)
      default: _ = Self.make(&sealer, UInt8(2 + random.next() % 5), at: now)
      }
      if sealer.isActive {
        for sequence in 0..<UInt32(random.next() % 230) where sealer.hasNext(at: now) {
          _ = Self.take(&sealer, &seal, sequence)
        }
      }
    }
    if random.next() % 3 == 0 {
      sealer.wipe()
      #expect(Self.shown(sealer, at: now) == Self.shown(LogSealer(), at: now), "seed \(seed)")
    }
    var fresh = LogSealer()
    var freshSeal = LogSegmentSeal()
    let isMade = Self.make(&sealer, 99, at: now)
    let isFreshMade = Self.make(&fresh, 99, at: now)
    #expect(isMade && isFreshMade, "seed \(seed)")
    for sequence in 1...200 as ClosedRange<UInt32> {
      let (first, second) = (Self.shown(sealer, at: now), Self.shown(fresh, at: now))
      let keys = Self.take(&sealer, &seal, sequence)
      guard first == second, keys == Self.take(&fresh, &freshSeal, sequence) else {
        Issue.record("seed \(seed): segment \(sequence)")
        return
      }
    }
  }

  @Test("the owner opens every page, whichever keys were used up, renewed and removed before")
  func renewed() throws {
    for seed in 0..<4 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let image = FlashImage(pageSize: 512, pageCount: 40, wordSize: 4)
      var log = FlashLog<MemoryFlash, 8>.mounted(on: image)
      var written: [LogEvent] = []
      var now: UInt64 = 0
      for key in 0..<3 as Range<UInt8> {
        let isMade = Self.make(&log.sealer, 10 + key, at: Instant(milliseconds: now))
        #expect(isMade, "seed \(seed)")
        for _ in 0..<(100 + random.next() % 400) {
          now += random.next() % 50_000
          let event = LogEvent.measured(
            target(UInt32(random.next() % 20)), RSSI(Int8(-40 - Int(random.next() % 50))))
          try log.add(event, at: now)
          written.append(event)
        }
        log.commit()
        if random.next() % 2 == 0 { log.unseal() }
      }
      let read = log.records().map(\.event)
      #expect(read.count > 300 && read == Array(written.suffix(read.count)), "seed \(seed)")
      let isWhole = read.count == written.count || log.standing.oldest > 1
      #expect(isWhole, "seed \(seed)")
    }
  }
}
