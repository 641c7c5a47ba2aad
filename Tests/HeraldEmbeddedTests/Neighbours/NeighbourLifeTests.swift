import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldNeighbours
import HeraldSimulation
import TestInputs
import Testing

/// A neighbour as the only additional service, and its random source.
private struct System<Kind: AdditionalServices>: ~Copyable {
  var system = Kind()
  var random = ScenarioRandom()
  let tag: AttributeTag

  init(_ tag: AttributeTag) { self.tag = tag }

  mutating func change(withAddress: Bool, at unixSeconds: UInt64?) -> String {
    let changed = system.change(withAddress: withAddress, random: &random, unixSeconds: unixSeconds)
    return "\(changed.contains(0)) \(shown(at: unixSeconds))"
  }

  /// What it shows.
  mutating func shown(at unixSeconds: UInt64?) -> String {
    var (code, data) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 31))
    var codeRoom = code.mutableSpan
    var dataRoom = data.mutableSpan
    let lengths = [system.copyCode(0, into: &codeRoom), system.advertise(0, into: &dataRoom)]
    return "\(system.life(from: unixSeconds)) \(lengths) \(code) \(data)"
  }

  /// The events, until there are none.
  mutating func events() -> [String] {
    var found: [String] = []
    for _ in 0..<9 {
      let event = system.takeEvent(random: &random)
      if event.kind == .nothing { break }
      found.append("\(event.kind) \(event.rssi) \((0..<Int(event.length)).map { event.code[$0] })")
    }
    return found
  }

  /// One step of a history: another address, a request, the end of a connection.
  mutating func step(_ numbers: inout SplitMix64, at unixSeconds: UInt64?) -> String {
    let connection = ConnectionID(index: Int(numbers.next() % 6))
    let value = [UInt8](
      repeating: UInt8(numbers.next() % 9), count: [0, 12, 12, 16, 16][Int(numbers.next() % 5)])
    let offset = numbers.next() % 2 == 0 ? 0 : 5
    switch numbers.next() % 10 {
    case 0: return change(withAddress: true, at: unixSeconds)
    case 1: return change(withAddress: false, at: unixSeconds)
    case 2...4:
      var bytes = [UInt8](repeating: 0, count: 16)
      var room = bytes.mutableSpan
      let read = system.read(tag, offset: offset, into: &room, on: connection)
      return "\(read) \(bytes)"
    case 5, 6: return "\(String(describing: system.write(tag, value.span)))"
    case 7: system.closed(connection)
    default: return "\(events())"
    }
    return ""
  }
}

@Suite("The life of neighbours")
struct NeighbourLifeTests {
  /// Whether both behave alike from now on.
  private func compare<Kind: AdditionalServices>(
    _ used: inout System<Kind>, _ fresh: inout System<Kind>, _ random: inout SplitMix64, at date: UInt64?,
    _ seed: UInt64
  ) -> Bool {
    used.random = ScenarioRandom()
    fresh.random = ScenarioRandom()
    for number in 0..<40 {
      var copy = random
      let seen = number == 0 ? used.change(withAddress: false, at: date) : used.step(&random, at: date)
      let expected = number == 0 ? fresh.change(withAddress: false, at: date) : fresh.step(&copy, at: date)
      guard seen == expected else {
        Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
        return false
      }
    }
    return true
  }

  @Test("CovidWatch that was switched off and on is as one that was never on, whichever numbers it served")
  func covidWatch() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = System<CovidWatch>(.contactEventNumber)
      for _ in 0..<(random.next() % 60) {
        if random.next() % 6 == 0 { used.system.isPeripheral.toggle() }
        _ = used.step(&random, at: nil)
      }
      used.system.isPeripheral = false
      _ = used.change(withAddress: random.next() % 2 == 0, at: nil)
      _ = used.events()
      var fresh = System<CovidWatch>(.contactEventNumber)
      let (seen, expected) = (used.shown(at: nil), fresh.shown(at: nil))
      #expect(seen == expected, "seed \(seed)")
      used.system.isPeripheral = true
      fresh.system.isPeripheral = true
      guard compare(&used, &fresh, &random, at: nil, seed) else { return }
    }
  }

  @Test("C19X with the day codes of another window is as one that never had others")
  func c19x() throws {
    let noon: UInt64 = 1_592_352_000 + 43_200
    let all = zeroSecretDayCodes(from: 166, days: 9)
    for seed in 0..<100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = System<C19X>(.beaconCode)
      var date: UInt64? = noon
      for _ in 0..<(random.next() % 40) {
        switch random.next() % 12 {
        case 0: used.system.isPeripheral.toggle()
        case 1: used.system.wipeDayCodes()
        case 2: used.system.dateIs(certain: random.next() % 2 == 0)
        case 3: date = random.next() % 3 == 0 ? nil : noon + random.next() % 4 * 86_400
        case 4, 5:
          let (first, count) = (166 + Int(random.next() % 3), 1 + Int(random.next() % 6))
          let codes = Array(all[(first - 166) * 8..<(first - 166 + count) * 8])
          try? used.system.provide(firstDay: first, dayCodes: codes.span)
        default: _ = used.step(&random, at: date)
        }
      }
      _ = used.events()
      used.system.dateIs(certain: true)
      used.system.isPeripheral = false
      _ = used.change(withAddress: false, at: date)
      used.system.isPeripheral = true
      var fresh = System<C19X>(.beaconCode)
      fresh.system.isPeripheral = true
      let codes = Array(all[16..<32])
      try used.system.provide(firstDay: 168, dayCodes: codes.span)
      try fresh.system.provide(firstDay: 168, dayCodes: codes.span)
      guard compare(&used, &fresh, &random, at: noon, seed) else { return }
    }
  }
}
