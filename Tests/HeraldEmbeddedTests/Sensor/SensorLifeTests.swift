import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldEmbedded

@Suite("The life of sensors")
struct SensorLifeTests {
  /// Payloads of three venues, one of them with a date and one of an unknown layout, and of a person.
  private static let payloads = [
    "30 3A 03 04 00 F3 E0 01 00 10 03 42 61 72", "30 3A 03 05 00 01 00 00 00 11 04 00 00 00 70",
    "31 3A 03 04 00 07 08 09", "10 3A 03 00 00 01 02 03",
  ].map { hexBytes($0) }

  /// What a sensor wants done until it wants nothing more. Stays that end together are in the order of slots.
  private static func work(_ sensor: inout VisitSensor<2>, at now: Instant) -> [String] {
    var found: [String] = []
    for _ in 0..<9 {
      let work = sensor.nextWork(at: now)
      found.append("\(work)")
      if case .none = work { break }
    }
    return found.sorted()
  }

  /// One step of a history: a peer is detected, received, or its payload is read.
  private static func step(
    _ sensor: inout VisitSensor<2>, _ random: inout SplitMix64, peers: Range<UInt64>, at now: Instant
  ) {
    let number = UInt32(peers.lowerBound + random.next() % UInt64(peers.count))
    let peer = TargetIdentity(DeviceAddress(high: 0x4000, low: number, kind: .random))
    let payload = payloads[Int(random.next() % 4)]
    switch random.next() % 8 {
    case 0: sensor.didDetect(peer, at: now)
    case 1: sensor.didRead(peer, payload.span, known: false, at: now)
    default: sensor.didMeasure(peer, RSSI(-50), at: now)
    }
  }

  @Test("a sensor whose stays have all ended recognises venues as one that never had a stay")
  func visits() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = VisitSensor<2>()
      var now = Instant(milliseconds: 1000)
      for _ in 0..<(random.next() % 120) {
        now = now + .milliseconds(UInt32(1 + random.next() % 60_000))
        Self.step(&used, &random, peers: 0..<12, at: now)
        if random.next() % 3 == 0 { _ = Self.work(&used, at: now) }
      }
      now = now + used.absence
      _ = Self.work(&used, at: now)
      var fresh = VisitSensor<2>()
      let (visits, missed) = (used.visits, used.missed)
      // The beacons have other addresses.
      for number in 0..<150 {
        now = now + .milliseconds(UInt32(1 + random.next() % 60_000))
        var copy = random
        Self.step(&used, &random, peers: 20..<32, at: now)
        Self.step(&fresh, &copy, peers: 20..<32, at: now)
        guard random.next() % 3 == 0 else { continue }
        let (seen, expected) = (Self.work(&used, at: now), Self.work(&fresh, at: now))
        let isSame = used.visits - visits == fresh.visits && used.missed - missed == fresh.missed
        guard seen == expected, isSame else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }

  /// What happens to a motion sensor: it moves, fails, loses its configuration, or is switched.
  private static func step(
    _ sensor: inout MotionSensor<Shaker.Source>, _ shaker: Shaker, _ choice: UInt64, at now: Instant
  ) -> String {
    switch choice {
    case 0...2: shaker.wasMoved = true
    case 3: shaker.isThere = false
    case 4, 5: shaker.isThere = true
    case 6: shaker.isConfigured = false
    case 7: sensor.switchMotion(false)
    case 8: sensor.switchMotion(true)
    default: break
    }
    return "\(sensor.nextWork(at: now)) \(sensor.motion)"
  }

  @Test("a motion sensor that was switched off and on is as one that was never asked, whatever had failed")
  func motion() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let shaker = Shaker()
      var used = MotionSensor(shaker.source)
      var now = Instant(milliseconds: 1000)
      for _ in 0..<(random.next() % 60) {
        now = now + .milliseconds(UInt32(random.next() % 90_000))
        _ = Self.step(&used, shaker, random.next() % 20, at: now)
      }
      used.switchMotion(false)
      _ = used.nextWork(at: now)
      used.switchMotion(true)
      let other = Shaker()
      var fresh = MotionSensor(other.source)
      shaker.wasMoved = false
      shaker.isThere = random.next() % 2 == 0
      other.isThere = shaker.isThere
      let (starts, reads, stops) = (shaker.starts, shaker.reads, shaker.stops)
      for number in 0..<60 {
        let choice = random.next() % 20
        let seen = Self.step(&used, shaker, choice, at: now)
        let expected = Self.step(&fresh, other, choice, at: now)
        let calls = [shaker.starts - starts, shaker.reads - reads, shaker.stops - stops]
        guard seen == expected, calls == [other.starts, other.reads, other.stops] else {
          Issue.record("seed \(seed), step \(number), choice \(choice): \(seen) instead of \(expected)")
          return
        }
        now = now + .milliseconds(UInt32(random.next() % 90_000))
      }
    }
  }

  @Test("a live tap that is watched again after a time out of use is as one that was never watched")
  func live() {
    /// One step, and what a host sees of it.
    func step(_ tap: inout LiveTap, _ choice: UInt64, at now: Instant) -> String {
      let peer = TargetIdentity(DeviceAddress(high: 0x4000, low: UInt32(choice), kind: .random))
      switch choice {
      case 0: return "\(tap.watch(at: now))"
      case 1...3: return "\(String(describing: tap.nextLive()))"
      case 4: return "\(tap.takeLost())"
      default: tap.didDetect(peer, at: now)
      }
      return ""
    }
    for seed in 0..<100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = LiveTap()
      var now = Instant(milliseconds: 1000)
      for _ in 0..<(random.next() % 60) {
        now = now + .milliseconds(UInt32(random.next() % 1500))
        _ = step(&used, random.next() % 16, at: now)
      }
      now = now + .seconds(10)
      _ = step(&used, 5, at: now)
      var fresh = LiveTap()
      for number in 0..<80 {
        let choice = number == 0 ? 0 : random.next() % 16
        let (seen, expected) = (step(&used, choice, at: now), step(&fresh, choice, at: now))
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number), choice \(choice): \(seen) instead of \(expected)")
          return
        }
        now = now + .milliseconds(UInt32(random.next() % 1500))
      }
    }
  }
}
