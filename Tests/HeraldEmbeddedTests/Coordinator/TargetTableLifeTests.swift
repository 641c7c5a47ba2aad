import HeraldBluetooth
import HeraldHAL
import TestInputs
import Testing

@testable import HeraldEmbedded

@Suite("The life of the target table")
struct TargetTableLifeTests {
  private static func identity(_ number: UInt64) -> TargetIdentity {
    TargetIdentity(
      kind: [.randomAddress, .pseudoAddress, .publicAddress, .shared][Int(number % 4)],
      high: UInt16(number & 7), low: UInt32(number))
  }

  private static func address(_ number: UInt64) -> DeviceAddress {
    DeviceAddress(high: UInt16(number & 7), low: UInt32(number / 2), kind: .random)
  }

  /// All that a row tells.
  private static func told(_ target: Target, at now: Instant) -> String {
    let number = [1, 2, 3] as [UInt8]
    return """
      \(target.identity) \(target.address) \(target.state) \(target.system) \(target.readings) \(target.failures) \
      \(target.ignores) \(target.owesWork) \(target.isHeld) \(target.isConnectable) \(target.showedService) \
      \(target.isReceiveOnly) \(target.owesCode) \(target.codeIsRead) \(target.isStranger) \(target.mayBeMadeUp) \
      \(target.payloadDigest) \(target.lastRSSI) \(target.txPower) \(target.retryAt) \(target.wait(at: now)) \
      \(target.silence(at: now)) \(target.isNew(code: number.span)) \(target.has(Target.awaitsMessageFlag)) \
      \(target.has(Target.sharedLastFlag)) \(target.has(Target.signalledFlag)) \(target.has(Target.modelReadFlag)) \
      \(target.has(Target.payloadWrittenFlag)) \(target.has(Target.refusesConnectionsFlag)) \(target.signalledAt) \
      \(target.writtenAt) \(target.told)
      """
  }

  /// One step of a history, at a time of its own. What is seen of it: rows are named by their identities.
  private static func step(
    _ table: inout TargetTable<6>, _ choice: UInt64, _ number: UInt64, at now: Instant
  ) -> String {
    let wanted = identity(number)
    let slot = table.find(wanted)
    switch choice {
    case 0...3:
      guard slot == nil else { break }
      let evictions = table.evictions
      let place =
        choice == 0
        ? table.insertHearsay(wanted, payloadDigest: number + 1, at: now)
        : table.insert(wanted, address: address(number), at: now)
      guard let place else { return "full" }
      let gone = table.evictions == evictions ? "" : "\(table.evicted)"
      return told(table[place], at: now) + gone
    case 4, 5: if let slot { table.touch(slot, at: now) }
    case 6:
      guard let slot else { break }
      table[slot].state = .read
      table[slot].system = .iOS
      table[slot].payloadDigest = number + 1
      table[slot].lastRSSI = RSSI(-44)
      table[slot].txPower = 4
      table[slot].readings = 3
      table[slot].failures = 5
      table[slot].ignores = 6
      table[slot].retryAt = now + .minutes(10)
      table[slot].isConnectable = true
      table[slot].showedService = true
      table[slot].isReceiveOnly = true
      table[slot].owesCode = true
      table[slot].codeIsRead = true
      table[slot].signalledAt = 9
      table[slot].writtenAt = 8
      table[slot].told = 0x55
      for bit in 5...12 as ClosedRange<UInt32> { table[slot].set(1 &<< bit, number & 1 == 0) }
    case 7: if let slot { table.setOwesWork(slot, number & 2 == 0) }
    case 8: if let slot { table.setHeld(slot, number % 5 == 0) }
    case 9: if let slot { table.remove(slot) }
    case 10:
      return table.find(payloadDigest: number + 1, otherThan: -1).map { told(table[$0], at: now) } ?? ""
    case 11: return table.findHearsay(payloadDigest: number + 1).map { told(table[$0], at: now) } ?? ""
    default: return table.longestSilent(at: now).map { "\(table[$0].identity)" } ?? ""
    }
    return table.find(wanted).map { told(table[$0], at: now) } ?? "nobody"
  }

  @Test("a table whose targets were all removed, in any order, is as one that never had any")
  func emptied() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var table = TargetTable<6>()
      table.setSeed(UInt32(truncatingIfNeeded: seed))
      var now = Instant(milliseconds: 1000)
      for _ in 0..<(random.next() % 200) {
        now = now + .milliseconds(UInt32(1 + random.next() % 30_000))
        _ = Self.step(&table, random.next() % 13, random.next() % 16, at: now)
      }
      var slots = (0..<table.slotsUsed).filter { table.isTaken($0) }
      while !slots.isEmpty { table.remove(slots.remove(at: Int(random.next() % UInt64(slots.count)))) }
      let evictions = table.evictions
      var fresh = TargetTable<6>()
      fresh.setSeed(UInt32(truncatingIfNeeded: seed))
      for number in 0..<200 {
        now = now + .milliseconds(UInt32(1 + random.next() % 30_000))
        let (choice, peer) = (random.next() % 13, random.next() % 16)
        let seen = Self.step(&table, choice, peer, at: now)
        let expected = Self.step(&fresh, choice, peer, at: now)
        let (count, evicted) = (table.count, table.evictions - evictions)
        guard seen == expected, count == fresh.count, evicted == fresh.evictions else {
          Issue.record("seed \(seed), step \(number), choice \(choice): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }
}
