import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

@Suite("Flash log against a plain array")
struct FlashLogModelTests {
  @Test(
    "HP-46 any sequence of appends, commits, restarts and reads is what an array would hold",
    arguments: 0..<16)
  func againstArray(seed: Int) throws {
    var random = Seeded(UInt64(seed) &+ 77)
    let wordSize = [1, 2, 4, 8][seed % 4]
    // The last four are sealed.
    let isSealed = seed >= 12
    let pageSize = [isSealed ? 1024 : 512, 1024, 4096][seed % 3]
    let image = FlashImage(pageSize: pageSize, pageCount: 12, wordSize: wordSize)
    var log = FlashLog<MemoryFlash, 16>.mounted(on: image, isSealed: isSealed)
    var model: [PlainRecord] = []  // all of which was ever committed or is pending
    var committed = 0
    var boot: UInt32 = 1
    var hasWritten = false
    var now: UInt64 = 0
    let longest = pageSize == 512 ? 200 : 510
    for _ in 0..<1200 {
      switch UInt8.random(in: 0..<100, using: &random) {
      case 0..<3:
        log.commit()
        committed = model.count
      case 3:
        // A restart: what was pending may be there or not.
        log.mount(freshEpoch: 1)
        let records = log.records()
        let missing = tail(model, records)
        guard let missing, model.count - missing >= committed else {
          Issue.record("lost committed records")
          return
        }
        model.removeLast(missing)
        committed = model.count
        if hasWritten, !records.isEmpty { boot = log.standing.boot }
        now = UInt64.random(in: 0..<500, using: &random)
        hasWritten = false
      case 4..<8: log.maintain()
      case 8:
        let records = log.records()
        guard let missing = tail(model, records), model.count - missing >= committed else {
          Issue.record("not readable")
          return
        }
      default:
        now += pow10(Int.random(in: 0..<7, using: &random), &random)
        let peer = target(
          UInt32.random(in: 0..<24, using: &random),
          TargetIdentity.Kind(rawValue: UInt8.random(in: 0..<4, using: &random)) ?? .shared)
        let (event, payload) = anyEvent(peer, longest: longest, &random)
        try log.add(event, payload, at: now)
        boot = log.standing.boot
        hasWritten = true
        model.append(
          PlainRecord(
            event: event, milliseconds: now - now % 10, payload: event.hasBytes ? payload : [], boot: boot))
      }
    }
    log.commit()
    #expect(tail(model, log.records()) == 0)
    #expect(log.statistic(6) == 0 && log.statistic(7) == 0)
  }

  /// How many of the last of `model` are missing at the end of `records`, which must otherwise be a part of
  /// it.
  private func tail(_ model: [PlainRecord], _ records: [PlainRecord]) -> Int? {
    for missing in 0...model.count where Array(model.dropLast(missing).suffix(records.count)) == records {
      return missing
    }
    return nil
  }

  private func pow10(_ exponent: Int, _ random: inout Seeded) -> UInt64 {
    var limit: UInt64 = 1
    for _ in 0..<exponent { limit *= 10 }
    return UInt64.random(in: 0...limit, using: &random)
  }

  private func anyEvent(_ peer: TargetIdentity, longest: Int, _ random: inout Seeded) -> (LogEvent, [UInt8]) {
    let byte = UInt8.random(in: 0...255, using: &random)
    let payload = (0..<Int.random(in: 0...longest, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    return switch UInt8.random(in: 0..<40, using: &random) {
    case 0: (.detected(peer), [])
    case 1: (.read(peer), payload)
    case 2: (.shared(peer), Array(payload.prefix(2)))
    case 3: (.heraldDetected(peer), [])
    case 4: (.lost(peer), [])
    case 5: (.txPower(peer, Int8(bitPattern: byte)), [])
    case 6: (.ownPayload, payload)
    case 7: (.battery(level: byte & 0x7F, external: byte > 127), [])
    case 8: (.started(reason: byte), [])
    case 9:
      (.clockSet(unixMilliseconds: UInt64.random(in: 0...UInt64.max, using: &random), source: .host), [])
    case 10: (.received(peer), payload)
    case 11: (.model(peer), payload)
    case 12: (.observed(peer, ServiceNumber(rawValue: byte >> 7)), payload)
    case 13: (.ownCode(ServiceNumber(rawValue: byte >> 7)), payload)
    case 14:
      (
        .visited(
          peer, firstReceived: UInt32.random(in: 0...UInt32.max, using: &random), lastReceived: UInt32(byte)),
        []
      )
    case 15: (.motion(MotionState(rawValue: byte % 3) ?? .worn), [])
    default: (.measured(peer, RSSI(Int8(bitPattern: byte))), [])
    }
  }
}
