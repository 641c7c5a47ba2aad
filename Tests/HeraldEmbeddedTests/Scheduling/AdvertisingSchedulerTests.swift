import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

private func milliseconds(_ count: UInt64) -> Instant { Instant(milliseconds: count) }

private let everything = AdvertisingScheduler<3>.Allowance(connectable: true, any: true)

private let addressA = DeviceAddress(high: 0x4AAA, low: 1, kind: .random)
private let addressB = DeviceAddress(high: 0x4BBB, low: 2, kind: .random)

/// A radio that records the last advertising parameters.
private struct DataRadio: Radio {
  var data: [UInt8] = []
  var scanResponse: [UInt8] = []
  var capabilities: RadioCapabilities { MockRadio.usualCapabilities }
  var state: RadioState { .ready }
  mutating func startAdvertising(
    _ parameters: AdvertisingParameters, data: Span<UInt8>, scanResponse: Span<UInt8>
  ) throws(RadioError) {
    self.data = data.indices.map { data[$0] }
    self.scanResponse = scanResponse.indices.map { scanResponse[$0] }
  }
  mutating func stopAdvertising() {}
  mutating func startScanning(_ parameters: ScanParameters) throws(RadioError) {}
  mutating func stopScanning() {}
  mutating func connect(to address: DeviceAddress, _ parameters: ConnectionParameters) throws(RadioError) {}
  mutating func cancelConnect() {}
  mutating func disconnect(_ connection: ConnectionID) {}
  mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) throws(RadioError) {}
  mutating func readRSSI(_ connection: ConnectionID) {}
  mutating func poll<Handler: RadioEventHandler & ~Copyable>(
    at now: Instant, into handler: inout Handler
  ) -> Instant { .never }
}

private func number(_ wish: AdvertisingScheduler<3>.Wish) -> Int? {
  if case .set(let set, _) = wish { return set }
  return nil
}

@discardableResult
private func setData(_ scheduler: inout AdvertisingScheduler<3>, _ set: Int, _ data: [UInt8]) -> Bool {
  let none: [UInt8] = []
  return scheduler.setData(set, data.span, scanResponse: none.span)
}

@Suite("Advertising scheduler")
struct AdvertisingSchedulerTests {
  @Test("New data of the set that is on the air are shown at once, those of another when its turn comes")
  func newData() {
    var scheduler = AdvertisingScheduler<3>()
    for set in 0..<2 {
      scheduler.setTiming(set, interval: .milliseconds(250), share: 1, connectable: true)
      setData(&scheduler, set, [UInt8(set)])
    }
    func change(_ scheduler: inout AdvertisingScheduler<3>, at now: UInt64) -> Bool {
      scheduler.next(at: milliseconds(now), allowed: everything).changed
    }
    let plan = scheduler.next(at: .start, allowed: everything)
    #expect(plan.changed && number(plan.wish) == 0)
    #expect(!change(&scheduler, at: 1))
    setData(&scheduler, 1, [7])
    #expect(!change(&scheduler, at: 2))
    setData(&scheduler, 0, [8])
    #expect(change(&scheduler, at: 3))
    #expect(!change(&scheduler, at: 4))
  }

  @Test("A scan lasts two seconds at least, and the pause behind it 29 at most")
  func scanLimits() {
    let short = ScanSchedule(ScanTiming(on: .milliseconds(1999), off: .seconds(30))).timing
    #expect(short.on == .seconds(2) && short.off == .seconds(29))
    let usual = ScanSchedule(ScanTiming(on: .seconds(3), off: .milliseconds(28_999))).timing
    #expect(usual.on == .seconds(3) && usual.off == .milliseconds(28_999))
  }

  /// Runs a scheduler by its own deadlines and adds up how long each set was shown.
  private func run(_ scheduler: inout AdvertisingScheduler<3>, from: UInt64, to: UInt64) -> [UInt64] {
    var shown: [UInt64] = [0, 0, 0]
    var now = from
    while now < to {
      let plan = scheduler.next(at: milliseconds(now), allowed: everything)
      let end = min(plan.deadline.milliseconds, to)
      if let set = number(plan.wish) { shown[set] += end - now }
      #expect(end > now)
      now = end
    }
    return shown
  }

  @Test("Without sets there is silence")
  func none() {
    var scheduler = AdvertisingScheduler<3>()
    let plan = scheduler.next(at: .start, allowed: everything)
    #expect(plan.wish == .silence)
    #expect(!plan.changed)
    #expect(plan.deadline == .never)
  }

  @Test("A single set is shown without a break and told once")
  func single() {
    var scheduler = AdvertisingScheduler<3>()
    scheduler.rotate(to: addressA)
    scheduler.setTiming(1, interval: .milliseconds(250), share: 1, connectable: true)
    let first = scheduler.next(at: .start, allowed: everything)
    #expect(
      first.wish
        == .set(
          1, AdvertisingParameters(ownAddress: addressA, interval: .milliseconds(250), connectable: true)))
    #expect(first.changed)
    #expect(first.deadline == .never)
    let later = scheduler.next(at: milliseconds(60_000), allowed: everything)
    #expect(!later.changed)
  }

  @Test("Sets of equal share get equal time although their intervals differ")
  func equalShares() {
    var scheduler = AdvertisingScheduler<3>()
    scheduler.setTiming(0, interval: .milliseconds(100), share: 1, connectable: true)
    scheduler.setTiming(1, interval: .milliseconds(300), share: 1, connectable: false)
    scheduler.setTiming(2, interval: .milliseconds(1000), share: 1, connectable: false)
    let shown = run(&scheduler, from: 0, to: 600_000)
    for time in shown { #expect(time > 196_000 && time < 204_000) }
  }

  @Test("A share of 3 beside a share of 1 gets three quarters of the time")
  func shares() {
    var scheduler = AdvertisingScheduler<3>()
    scheduler.setTiming(0, interval: .milliseconds(200), share: 3, connectable: true)
    scheduler.setTiming(1, interval: .milliseconds(200), share: 1, connectable: false)
    let shown = run(&scheduler, from: 0, to: 320_000)
    #expect(shown[0] > 238_000 && shown[0] < 242_000)
    #expect(shown[2] == 0)
  }

  @Test("A set that joins late does not take the time it missed")
  func joining() {
    var scheduler = AdvertisingScheduler<3>()
    scheduler.setTiming(0, interval: .milliseconds(200), share: 1, connectable: true)
    scheduler.setTiming(1, interval: .milliseconds(200), share: 1, connectable: true)
    _ = run(&scheduler, from: 0, to: 3_600_000)
    scheduler.setTiming(2, interval: .milliseconds(200), share: 1, connectable: true)
    let shown = run(&scheduler, from: 3_600_000, to: 3_660_000)
    for time in shown { #expect(time > 18_000 && time < 22_000) }
  }

  @Test("HP-14 A rotation changes the address of every set and the data in one step")
  func rotation() {
    var scheduler = AdvertisingScheduler<3>()
    scheduler.rotate(to: addressA)
    for set in 0..<3 {
      scheduler.setTiming(set, interval: .milliseconds(100), share: 1, connectable: true)
      setData(&scheduler, set, [UInt8(set), 0xAA])
    }
    _ = scheduler.next(at: .start, allowed: everything)
    scheduler.rotate(to: addressB)
    for set in 0..<3 { setData(&scheduler, set, [UInt8(set), 0xBB]) }
    var now: UInt64 = 10
    var seen: Set<Int> = []
    var first = true
    while seen.count < 3 {
      let plan = scheduler.next(at: milliseconds(now), allowed: everything)
      guard case .set(let set, let parameters) = plan.wish else {
        Issue.record("silence")
        return
      }
      #expect(plan.changed)
      if first { #expect(set == 0) }  // the slice continues, with the new address
      first = false
      #expect(parameters.ownAddress == addressB)
      var radio = DataRadio()
      #expect(throws: Never.self) { try scheduler.start(set, parameters, on: &radio) }
      #expect(radio.data == [UInt8(set), 0xBB] && radio.scanResponse.isEmpty)
      seen.insert(set)
      now = plan.deadline.milliseconds
    }
  }

  @Test("While no connections can be taken, connectable sets are shown as not connectable")
  func notConnectable() {
    var scheduler = AdvertisingScheduler<3>()
    scheduler.setTiming(0, interval: .milliseconds(100), share: 1, connectable: true)
    _ = scheduler.next(at: .start, allowed: everything)
    let plan = scheduler.next(at: milliseconds(50), allowed: .init(connectable: false, any: true))
    #expect(plan.changed)
    #expect(
      plan.wish
        == .set(0, AdvertisingParameters(ownAddress: .zero, interval: .milliseconds(100), connectable: false))
    )
    let silence = scheduler.next(at: milliseconds(60), allowed: .init(connectable: false, any: false))
    #expect(silence.changed)
    #expect(silence.wish == .silence)
  }

  @Test("Numbers out of range and data of 32 bytes are refused")
  func refusals() {
    var scheduler = AdvertisingScheduler<3>()
    #expect(scheduler.setTiming(3, interval: .milliseconds(100), share: 1, connectable: true) == false)
    #expect(scheduler.setTiming(-1, interval: .milliseconds(100), share: 1, connectable: true) == false)
    #expect(scheduler.setTiming(0, interval: .milliseconds(19), share: 1, connectable: true) == false)
    #expect(scheduler.setTiming(0, interval: .milliseconds(10_241), share: 1, connectable: true) == false)
    #expect(scheduler.setTiming(0, interval: .milliseconds(100), share: 0, connectable: true) == false)
    #expect(setData(&scheduler, 0, [UInt8](repeating: 0, count: 32)) == false)
    #expect(setData(&scheduler, 0, [UInt8](repeating: 0, count: 31)) == true)
  }
}

@Suite("Address rotation")
struct AddressRotationTests {
  @Test("A first address is due at once, the next after fifteen minutes")
  func period() {
    var rotation = AddressRotation()
    #expect(rotation.isDue(at: .start))
    rotation.rotated(at: .start)
    #expect(!rotation.isDue(at: milliseconds(899_999)))
    #expect(rotation.isDue(at: milliseconds(900_000)))
    #expect(rotation.deadline == milliseconds(900_000))
  }

  @Test("Held back, nothing is due; released, it is due at once")
  func hold() {
    var rotation = AddressRotation(period: .seconds(60))
    rotation.rotated(at: .start)
    rotation.isHeld = true
    #expect(!rotation.isDue(at: milliseconds(120_000)))
    #expect(rotation.deadline == .never)
    rotation.isHeld = false
    #expect(rotation.isDue(at: milliseconds(120_000)))
  }
}
