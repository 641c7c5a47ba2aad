import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldNeighbours
import HeraldSimulation
import HostileInputs

@testable import HeraldHostLink

/// The log of a device that meets a few people who come and go under changing addresses, whose payloads are
/// read late, or never, or are others later; it restarts, and its clock is set late, or back, or never.
struct RandomLog: ~Copyable {
  static let epoch: UInt32 = 7
  private static let start: UInt64 = 1_669_760_510_000

  private var log = BadgeLog(epoch: epoch, pageSize: 1024, pageCount: 64)
  private var random: Mutations
  private var now: UInt64 = 0

  /// The same seed makes the same log.
  init(seed: UInt64) throws {
    random = Mutations(seed: seed)
    try log.start(at: 0, date: chance(2) ? nil : Self.start)
  }

  private mutating func chance(_ bound: Int) -> Bool { Int.random(in: 0..<bound, using: &random) == 0 }

  /// Some records more, and the pages with them.
  mutating func pages(adding count: Int) throws -> [MemoryLogPage] {
    for _ in 0..<count { try add() }
    log.commit()
    return try log.pages()
  }

  private mutating func add() throws {
    now += [10, 500, 9_000, 29_990, 400_000, 1_000_000].randomElement(using: &random) ?? 10
    let number = UInt32.random(in: 0..<12, using: &random)
    let who = TargetIdentity(kind: number % 7 == 6 ? .shared : .randomAddress, high: 0x4000, low: number)
    let payload: [UInt8] = [1, 0, 0, UInt8.random(in: 0..<4, using: &random), 7, 8]
    let event: (LogEvent, [UInt8])
    switch Int.random(in: 0..<40, using: &random) {
    case 0: event = (.detected(who), [])
    case 1, 2: event = (.read(who), payload)
    case 3: event = (.shared(who), payload + payload)
    case 4: event = (.txPower(who, Int8.random(in: -20...20, using: &random)), [])
    case 5: event = (.lost(who), [])
    case 6: event = (.battery(level: 50, external: false), [])
    case 7: event = (.visited(who, firstReceived: 9, lastReceived: 1), [])
    case 8: event = (.received(who), [1])
    case 9: event = (.ownPayload, payload)
    case 10: event = (.motion(.worn), [])
    case 11: event = (.model(who), Array("Pixel".utf8))
    case 12: event = (.observed(who, .c19x), [1, 2])
    case 13: event = (.dropped(count: 3), [])
    case 14 where chance(4):
      let shift = UInt64.random(in: 0..<4_000_000, using: &random)
      return try log.setDate(Self.start + now + shift - min(now, 2_000_000), at: now)
    case 15 where chance(4): return try log.start(at: now, date: chance(2) ? nil : Self.start + now)
    default: event = (.measured(who, RSSI(Int8.random(in: -90 ... -40, using: &random))), [])
    }
    try log.append(event.0, event.1, at: now)
  }
}

extension PageStore {
  /// Brings pages to the folder, as a pull does.
  func keep(_ pages: [MemoryLogPage]) throws {
    let here = try self.pages()
    for page in pages {
      let name = PageName(epoch: RandomLog.epoch, sequence: page.sequence, isOpen: page.isOpen)
      if !here.contains(name) || page.isOpen { try store(page.bytes, as: name) }
    }
  }
}
