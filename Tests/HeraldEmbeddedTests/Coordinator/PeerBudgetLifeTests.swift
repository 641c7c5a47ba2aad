import HeraldBluetooth
import HeraldHAL
import TestInputs
import Testing

@testable import HeraldEmbedded

@Suite("The life of what the core keeps of peers beside its table")
struct PeerBudgetLifeTests {
  @Test("the budgets for strangers, spent in any way, are as unspent ones after half a day without strangers")
  func strangers() {
    /// One step with a budget, and what is seen of it.
    func step(_ budget: inout StrangerBudget<64>, _ choice: UInt64, _ hash: UInt32, at now: Instant) -> String
    {
      let kind = Int(hash & 1)
      switch choice {
      case 0...5: return "\(budget.mayCome(hash, kind: kind, at: now)) \(budget.isShort)"
      case 6, 7: return "\(budget.mayMeasure(kind: kind, at: now))"
      case 8: budget.met(kind: kind)
      case 9: budget.restoreIdentity(kind)
      case 10: return "\(budget.mayProve())"
      default: return "\(budget.takeRefused(at: now))"
      }
      return ""
    }
    for seed in 0..<60 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = StrangerBudget<64>()
      var now = Instant(milliseconds: 1000)
      // A flood spends all, as each of these steps is tried many times.
      for _ in 0..<(random.next() % 60) {
        now = now + .milliseconds(UInt32(random.next() % 3000))
        let (choice, count) = (random.next() % 12, random.next() % 400)
        for _ in 0..<count { _ = step(&used, choice, UInt32(truncatingIfNeeded: random.next()), at: now) }
      }
      // 8,192 readings are restored in 2,100 s, 1,024 identities in 4,200 s. The core asks what was refused
      // when it commits the log.
      now = now + .minutes(12 * 60)
      _ = used.takeRefused(at: now)
      var fresh = StrangerBudget<64>()
      _ = fresh.takeRefused(at: now)
      for number in 0..<3000 {
        now = now + .milliseconds(UInt32(random.next() % 200))
        let (choice, hash) = (random.next() % 12, UInt32(truncatingIfNeeded: random.next()))
        let seen = step(&used, choice, hash, at: now)
        let expected = step(&fresh, choice, hash, at: now)
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number), choice \(choice): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }

  @Test("a store of shared payloads whose owners have all gone is as one that never had any")
  func sharing() {
    for seed in 0..<100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = SharingStore()
      var fresh = SharingStore()
      var table = TargetTable<12>()
      var freshTable = TargetTable<12>()
      var now = Instant(milliseconds: 1000)
      /// One step of a history, and the bytes that are shared in it.
      func step(
        _ store: inout SharingStore, _ table: inout TargetTable<12>, _ choice: UInt64, _ number: UInt32,
        _ payload: [UInt8]
      ) -> [UInt8] {
        let address = DeviceAddress(high: 0x4000, low: number, kind: .random)
        let identity = TargetIdentity(address)
        guard choice < 8 else {
          guard let slot = table.find(identity) else { return [] }
          if choice == 8 {
            table.remove(slot)
            return []
          }
          var bytes = [UInt8](repeating: 0, count: 200)
          var room = bytes.mutableSpan
          let isAny = store.hasAnything(for: slot, in: &table, at: now)
          let count = store.compose(for: slot, in: &table, at: now, into: &room)
          return Array(bytes[..<count]) + [isAny ? 1 : 0]
        }
        guard let slot = table.find(identity) ?? table.insert(identity, address: address, at: now) else {
          return []
        }
        table.touch(slot, at: now)
        table[slot].system = .iOS
        table[slot].payloadDigest = PayloadDigest.of(payload.span)
        store.keep(payload.span, of: slot, in: &table, at: now)
        return []
      }
      func next() -> (UInt64, UInt32, [UInt8]) {
        now = now + .milliseconds(UInt32(1 + random.next() % 20_000))
        let size = 1 + Int(random.next() % 80)
        let byte = UInt8(truncatingIfNeeded: random.next())
        return (random.next() % 12, UInt32(random.next() % 16), [UInt8](repeating: byte, count: size))
      }
      for _ in 0..<(random.next() % 200) {
        let (choice, number, payload) = next()
        _ = step(&used, &table, choice, number, payload)
      }
      for slot in 0..<table.slotsUsed where table.isTaken(slot) { table.remove(slot) }
      for number in 0..<200 {
        let (choice, peer, payload) = next()
        let seen = step(&used, &table, choice, peer, payload)
        let expected = step(&fresh, &freshTable, choice, peer, payload)
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number), choice \(choice): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }
}
