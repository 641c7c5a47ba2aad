import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Contacts")
struct ContactEventsTests {
  /// Writes contacts down: who, from, to, readings, and whether the payload is known.
  struct Listener: ContactDelegate {
    let trace: Trace
    private func text(_ contact: ContactEvent) -> String {
      "\(Scenario.name(contact.peer)) \(contact.begin.milliseconds) \(contact.end.milliseconds) \(contact.readings)"
        + (contact.payloadDigest == 0 ? "" : " known")
    }
    mutating func didBegin(_ contact: ContactEvent, at now: Instant) {
      trace.lines.append("begin \(text(contact))")
    }
    mutating func didEnd(_ contact: ContactEvent, at now: Instant) {
      trace.lines.append("end \(text(contact)) told \(now.milliseconds)")
    }
  }

  @Test(
    "HP-18 HP-19 A contact begins when the peer is detected and ends with its last reading, not with a connection"
  )
  func throughNode() {
    let trace = Trace()
    let scenario = SensorScenario(ContactEvents<4, Listener>(listener: Listener(trace: trace)))
    scenario.payloads[peer(1)] = hex(Peer.payload)
    scenario.hear(peer(1), at: [1000, 2000, 63_000])
    #expect(scenario.node.core.counter(.reads) == 1 && scenario.node.radio.open.isEmpty)
    #expect(trace.take() == ["begin 1 1000 1000 0"])
    scenario.run(to: 1_000_000)
    #expect(trace.take() == ["end 1 1000 63000 3 known told 963000"])
    scenario.hear(peer(1), at: [1_100_000])
    #expect(trace.take() == ["begin 1 1100000 1100000 0"])
  }

  @Test(
    "HP-20 The end may be put off by 30 seconds at most",
    arguments: [(0, 0), (12, 12), (30, 30), (31, 30), (9999, 30)])
  func extensions(_ wanted: UInt32, _ given: UInt64) {
    let trace = Trace()
    var contacts = ContactEvents<4, Listener>(extension: .seconds(wanted), listener: Listener(trace: trace))
    let target = TargetIdentity(peer(1))
    contacts.didDetect(target, at: Instant(milliseconds: 100))
    contacts.didMeasure(target, RSSI(-50), at: Instant(milliseconds: 5000))
    contacts.didLose(target, at: Instant(milliseconds: 900_000))
    #expect(trace.take() == ["begin 1 100 100 0", "end 1 100 \(5000 + given * 1000) 1 told 900000"])
  }

  @Test(
    "HP-03 HP-18 A peer under a new address continues with its contact as soon as it shows its payload again")
  func newAddress() {
    let trace = Trace()
    let scenario = SensorScenario(ContactEvents<4, Listener>(listener: Listener(trace: trace)))
    scenario.payloads[peer(1)] = hex(Peer.payload)
    scenario.payloads[peer(2)] = hex(Peer.payload)
    scenario.hear(peer(1), at: [1000, 2000])
    scenario.hear(peer(2), at: [600_000, 601_000])
    #expect(scenario.node.core.delegate.count == 1)
    scenario.run(to: 3_000_000)
    #expect(
      trace.take() == [
        "begin 1 1000 1000 0", "begin 2 600000 600000 0", "end 2 1000 601000 4 known told 1501000",
      ])
  }

  @Test("HP-18 What others tell of peers makes no contact and ends none")
  func hearsay() {
    let trace = Trace()
    var contacts = ContactEvents<2, Listener>(listener: Listener(trace: trace))
    let near = TargetIdentity(peer(1))
    contacts.didDetect(near, at: Instant(milliseconds: 1))
    contacts.didMeasure(near, RSSI(-1), at: Instant(milliseconds: 2))
    contacts.didMeasureWithPayload(near, RSSI(-1), payloadDigest: 7, at: Instant(milliseconds: 2))
    for number: UInt32 in 1...3 {
      let told = TargetIdentity(kind: .shared, high: 0, low: number)
      contacts.didMeasure(told, RSSI(-40), at: Instant(milliseconds: 900))
      contacts.didMeasureWithPayload(told, RSSI(-40), payloadDigest: 7, at: Instant(milliseconds: 900))
    }
    #expect(contacts.count == 1)
    contacts.endAll(at: Instant(milliseconds: 1000))
    #expect(trace.take() == ["begin 1 1 1 0", "end 1 1 2 1 known told 1000"])
  }

  @Test("Of more contacts than there is room for, that of the peer heard longest ago ends")
  func full() {
    let trace = Trace()
    var contacts = ContactEvents<2, Listener>(listener: Listener(trace: trace))
    func at(_ milliseconds: UInt64) -> Instant { Instant(milliseconds: milliseconds) }
    for number: UInt32 in 1...2 { contacts.didDetect(TargetIdentity(peer(number)), at: at(UInt64(number))) }
    contacts.didMeasure(TargetIdentity(peer(1)), RSSI(-1), at: at(10))
    contacts.didDetect(TargetIdentity(peer(3)), at: at(20))
    contacts.didMeasure(TargetIdentity(peer(2)), RSSI(-1), at: at(30))  // heard again: anew
    contacts.endAll(at: at(40))
    #expect(
      trace.take() == [
        "begin 1 1 1 0", "begin 2 2 2 0", "end 2 2 2 0 told 20", "begin 3 20 20 0", "end 1 1 10 1 told 30",
        "begin 2 30 30 0", "end 2 30 30 1 told 40", "end 3 20 20 0 told 40",
      ])
    var none = ContactEvents<0, Listener>(listener: Listener(trace: trace))
    none.didMeasure(TargetIdentity(peer(1)), RSSI(-1), at: .start)
    none.endAll(at: .start)
    #expect(trace.take().isEmpty)
  }
}

@Suite("Retrospective attribution")
struct RetrospectiveAttributionTests {
  /// Gives every reading to its payload, those from before it was read as well.
  struct Attributor: SensorDelegate, ~Copyable {
    var earlier = RetrospectiveAttribution<8>()
    var readings: [String] = []
    mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
      earlier.add(target, rssi, at: now)
    }
    mutating func didRead(_ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant) {
      while let reading = earlier.takeOldest(of: target) {
        readings.append("\(payload[0]) \(reading.rssi.rawValue) \(reading.at.milliseconds)")
      }
    }
  }

  @Test("HP-45 What was measured of a peer before its payload was read can be given to it, in order")
  func throughNode() {
    let scenario = SensorScenario(Attributor())
    scenario.hear(peer(1), rssi: -40)
    scenario.run(to: 500)
    scenario.hear(peer(2), rssi: -60)
    scenario.run(to: 1000)
    scenario.hear(peer(1), rssi: -41)
    #expect(scenario.node.core.delegate.readings.isEmpty)
    scenario.payloads[peer(1)] = hex(Peer.payload)
    for time: UInt64 in [20_000, 40_000, 60_000] where scenario.node.core.delegate.readings.isEmpty {
      scenario.run(to: time)
      scenario.hear(peer(1), rssi: -42)
    }
    #expect(
      Array(scenario.node.core.delegate.readings.prefix(3)) == ["16 -40 0", "16 -41 1000", "16 -42 20000"])
    #expect(scenario.node.core.delegate.earlier.count == 1)  // that of the other
  }

  @Test("HP-45 Of more than there is room for the oldest is forgotten, and counted")
  func full() {
    var earlier = RetrospectiveAttribution<3>()
    let one = TargetIdentity(peer(1))
    let two = TargetIdentity(peer(2))
    for number: UInt64 in 1...4 {
      earlier.add(number == 3 ? two : one, RSSI(Int8(number)), at: Instant(milliseconds: number))
    }
    #expect(earlier.forgotten == 1 && earlier.count == 3)
    #expect(earlier.takeOldest(of: one) == .init(rssi: RSSI(2), at: Instant(milliseconds: 2)))
    earlier.forget(two)
    #expect(earlier.takeOldest(of: two) == nil)
    #expect(earlier.takeOldest(of: one) == .init(rssi: RSSI(4), at: Instant(milliseconds: 4)))
    #expect(earlier.takeOldest(of: one) == nil && earlier.count == 0)
    var none = RetrospectiveAttribution<0>()
    none.add(one, RSSI(1), at: .start)
    #expect(none.takeOldest(of: one) == nil && none.forgotten == 1)
  }
}
