import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import Testing

private func identity(_ number: Int) -> TargetIdentity {
  TargetIdentity(kind: .randomAddress, high: UInt16(number & 7), low: UInt32(number))
}

private func address(_ number: Int) -> DeviceAddress {
  DeviceAddress(high: UInt16(number & 7), low: UInt32(number), kind: .random)
}

private func seconds(_ count: Int) -> Instant { Instant(milliseconds: UInt64(count) * 1000) }

@Suite("Target table")
struct TargetTableTests {
  @Test("A target takes no more than 44 bytes, its part of the index included")
  func size() {
    #expect(MemoryLayout<Target>.stride == 40)
    #expect(MemoryLayout<TargetTable<64>>.size <= 64 * 44 + 40)
  }

  @Test("An empty table finds nothing and has nothing to evict")
  func empty() {
    var table = TargetTable<4>()
    #expect(table.find(identity(1)) == nil)
    #expect(table.longestSilent(at: .start) == nil)
    let place = table.insert(identity(1), address: address(1), at: seconds(1))
    #expect(place == 0)
    #expect(table.find(identity(1)) == 0)
    table.remove(0)
    #expect(table.find(identity(1)) == nil)
    #expect(table.count == 0)
  }

  @Test("A table without room takes nothing in")
  func noCapacity() {
    var table = TargetTable<0>()
    #expect(table.insert(identity(1), address: address(1), at: .start) == nil)
    #expect(table.find(identity(1)) == nil)
  }

  @Test("When full, the least recently heard goes; what was heard again stays")
  func eviction() {
    var table = TargetTable<3>()
    for number in 1...3 { _ = table.insert(identity(number), address: address(number), at: seconds(number)) }
    table.touch(table.find(identity(1)) ?? -1, at: seconds(4))
    let place = table.insert(identity(4), address: address(4), at: seconds(5))
    #expect(place != nil)
    #expect(table.find(identity(2)) == nil)
    #expect(table.find(identity(1)) != nil)
    #expect(table.find(identity(3)) != nil)
    #expect(table.evictions == 1)
    #expect(table.count == 3)
  }

  @Test("When full, one that owes work outlives an idle one that has been silent for two minutes")
  func owing() {
    var table = TargetTable<2>()
    let first = table.insert(identity(1), address: address(1), at: seconds(1)) ?? -1
    table.setOwesWork(first, true)
    _ = table.insert(identity(2), address: address(2), at: seconds(2))
    _ = table.insert(identity(3), address: address(3), at: seconds(122))
    #expect(table.find(identity(1)) != nil)
    #expect(table.find(identity(2)) == nil)
  }

  @Test("When full of targets just heard, the one silent for longest goes even if it owes work")
  func owingFlood() {
    var table = TargetTable<2>()
    let first = table.insert(identity(1), address: address(1), at: seconds(1)) ?? -1
    table.setOwesWork(first, true)
    _ = table.insert(identity(2), address: address(2), at: seconds(2))
    _ = table.insert(identity(3), address: address(3), at: seconds(3))
    #expect(table.find(identity(1)) == nil)
    #expect(table.find(identity(2)) != nil)
  }

  @Test("Held targets are never evicted; when all are held nobody is taken in")
  func held() {
    var table = TargetTable<2>()
    for number in 1...2 {
      let place = table.insert(identity(number), address: address(number), at: seconds(number)) ?? -1
      table.setHeld(place, true)
    }
    #expect(table.insert(identity(3), address: address(3), at: seconds(3)) == nil)
    #expect(table.longestSilent(at: seconds(3)) == nil)
    table.setHeld(table.find(identity(2)) ?? -1, false)
    #expect(table.insert(identity(3), address: address(3), at: seconds(4)) != nil)
    #expect(table.find(identity(1)) != nil)
    #expect(table.find(identity(2)) == nil)
  }

  @Test("The silent are given out longest silent first, whether they owe work or not")
  func silent() {
    var table = TargetTable<4>()
    for number in 1...4 {
      let place = table.insert(identity(number), address: address(number), at: seconds(number)) ?? -1
      if number % 2 == 0 { table.setOwesWork(place, true) }
    }
    var order: [UInt32] = []
    while let place = table.longestSilent(at: seconds(9)), table[place].lastSeen(at: seconds(9)) <= seconds(3)
    {
      order.append(table[place].identity.low)
      table.remove(place)
    }
    #expect(order == [1, 2, 3])
    #expect(table.count == 1)
  }

  @Test("What is in one word of a target keeps apart")
  func bits() {
    var table = TargetTable<2>()
    let shown = TargetIdentity(kind: .pseudoAddress, high: 0xFFFF, low: 0xFFFF_FFFF)
    let place = table.insert(shown, address: address(5), at: seconds(1)) ?? -1
    table[place].state = .observed
    table[place].system = .iOS
    table[place].readings = 9
    table[place].failures = 15
    table[place].ignores = 200
    table.setHeld(place, true)
    table.setOwesWork(place, true)
    #expect(table[place].identity == shown && table[place].address == address(5))
    #expect(table[place].state == .observed && table[place].system == .iOS && table[place].readings == 3)
    #expect(table[place].failures == 15 && table[place].ignores == 15)
    #expect(table[place].isHeld && table[place].owesWork && !table[place].isConnectable)
    table[place].state = .candidate
    table[place].system = .unknown
    table[place].failures = 0
    table[place].address = DeviceAddress(high: 1, low: 2, kind: .public)
    table.setHeld(place, false)
    #expect(table[place].identity == shown && table[place].ignores == 15 && table[place].readings == 3)
    #expect(table[place].state == .candidate && table[place].system == .unknown && table[place].failures == 0)
    #expect(table[place].address == DeviceAddress(high: 1, low: 2, kind: .public) && !table[place].isHeld)
  }

  @Test("When a peer was last heard is right also after 49 days, where 32 bits of milliseconds begin anew")
  func manyDays() {
    var table = TargetTable<2>()
    let late = Instant(milliseconds: 1 << 32 - 500)
    let first = table.insert(identity(1), address: address(1), at: late) ?? -1
    let now = Instant(milliseconds: 1 << 32 + 500)
    _ = table.insert(identity(2), address: address(2), at: now)
    #expect(table[first].silence(at: now) == .seconds(1) && table[first].lastSeen(at: now) == late)
    #expect(table.longestSilent(at: now) == first)
  }

  @Test("HP-03 A payload is found again under another identity by its digest")
  func digest() {
    var table = TargetTable<4>()
    let old = table.insert(identity(1), address: address(1), at: seconds(1)) ?? -1
    table[old].payloadDigest = 0xFEED
    let new = table.insert(identity(2), address: address(2), at: seconds(2)) ?? -1
    #expect(table.find(payloadDigest: 0xFEED, otherThan: new) == old)
    #expect(table.find(payloadDigest: 0xFEED, otherThan: old) == nil)
    #expect(table.find(payloadDigest: 0, otherThan: new) == nil)
  }

  @Test("A flood of made-up addresses does not drive out peers that go on advertising")
  func flood() {
    var table = TargetTable<64>()
    table.setSeed(0x1234_5678)
    var now: UInt64 = 1_000_000
    for number in 0..<20 {
      let place =
        table.insert(identity(number), address: address(number), at: Instant(milliseconds: now)) ?? -1
      table[place].payloadDigest = UInt64(number + 1)
    }
    for flood in 0..<100_000 {
      now += 5  // 200 made-up addresses a second, each of which would have to be connected
      let made = TargetIdentity(kind: .randomAddress, high: 0xFFFF, low: UInt32(truncatingIfNeeded: flood))
      let place = table.insert(made, address: address(flood), at: Instant(milliseconds: now)) ?? -1
      table.setOwesWork(place, true)
      if flood % 2 == 0 {  // while each of twenty real peers is heard every 200 ms
        let number = (flood / 2) % 20
        guard let place = table.find(identity(number)) else {
          Issue.record("peer \(number) was driven out after \(flood) addresses")
          return
        }
        table.touch(place, at: Instant(milliseconds: now))
      }
    }
    #expect(table.count == 64)
    #expect(table.evictions == 100_000 - 44)
  }

  @Test("In a table for crowds, strangers of the same second do not evict each other, and are evicted later")
  func firstSecond() {
    var table = TargetTable<128>()
    func insert(_ number: Int, at moment: UInt64) -> Int? {
      table.insert(identity(number), address: address(number), at: Instant(milliseconds: moment))
    }
    for number in 0..<128 { _ = insert(number, at: 30_000) }
    let early = insert(200, at: 30_999)
    #expect(early == nil && table.evictions == 0 && table.count == 128)
    for number in 0..<32 {
      table.touch(table.find(identity(number)) ?? -1, at: Instant(milliseconds: 30_600))
    }
    let late = insert(200, at: 31_000)
    #expect(late != nil && table.evictions == 1 && table.find(identity(7)) != nil)
  }

  @Test("With 1,024 targets every one is found, through ten turn-overs of the whole table")
  func large() {
    var table = TargetTable<1024>()
    table.setSeed(0xDEAD_BEEF)
    for number in 0..<10_240 {
      _ = table.insert(identity(number), address: address(number), at: seconds(number))
      if number >= 1024 { #expect(table.find(identity(number - 1024)) == nil) }
      if number % 1024 == 1023 {
        for known in (number - 1023)...number { #expect(table.find(identity(known)) != nil) }
      }
    }
    #expect(table.count == 1024)
  }

  @Test("Against a plain model: a hundred thousand random insertions, removals, touches and look-ups")
  func model() {
    var table = TargetTable<37>()
    table.setSeed(7)
    var model: [UInt32: UInt64] = [:]
    var random = SeededGenerator(state: 42)
    var now: UInt64 = 0
    for _ in 0..<100_000 {
      now += UInt64(random.next() % 3) * 1000
      let number = Int(random.next() % 60)
      let found = table.find(identity(number))
      #expect((found != nil) == (model[UInt32(number)] != nil))
      if let found {
        #expect(table[found].identity == identity(number))
        switch random.next() % 3 {
        case 0:
          table.remove(found)
          model[UInt32(number)] = nil
        default:
          table.touch(found, at: Instant(milliseconds: now))
          model[UInt32(number)] = now
        }
      } else {
        if model.count == 37, let evicted = table.longestSilent(at: Instant(milliseconds: now)) {
          model[table[evicted].identity.low] = nil
        }
        #expect(
          table.insert(identity(number), address: address(number), at: Instant(milliseconds: now)) != nil)
        model[UInt32(number)] = now
      }
      #expect(table.count == model.count)
      let moment = Instant(milliseconds: now)
      if let oldest = table.longestSilent(at: moment) {
        #expect(table[oldest].lastSeen(at: moment).milliseconds == model.values.min())
      }
    }
  }
}

/// A small generator whose sequence is the same in every run.
struct SeededGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) ^ (state >> 17 & 0xFFFF)
  }
}

@Test("A target takes 40 bytes, and its place in the table four more")
func targetSize() {
  #expect(MemoryLayout<Target>.size == 40)
  #expect(
    (MemoryLayout<TargetTable<32>>.size - MemoryLayout<TargetTable<16>>.size) / 16 == 44)
}
