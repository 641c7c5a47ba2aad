import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Visits")
struct VisitSensorTests {
  /// Country 826, state 4, venue 123123, premises "Bar".
  let bar = hex("30 3A 03 04 00 F3 E0 01 00 10 03 42 61 72")
  typealias Sensors = SensorArray<NoDelegate, VisitSensor<2>, Tracer>

  private func scenario(_ trace: Trace, _ configure: (inout HeraldConfiguration) -> Void = { _ in })
    -> SensorScenario<Sensors>
  {
    SensorScenario(
      SensorArray(battery: NoDelegate(), visits: VisitSensor<2>(), delegate: Tracer("a", trace)), configure)
  }

  private func visits(_ trace: Trace) -> [String] { trace.take().filter { $0.contains("visit") } }

  @Test("HP-51 A stay of more than two minutes that has been over for five is a visit, reported and logged")
  func visit() {
    let trace = Trace()
    let scenario = scenario(trace)
    scenario.hear(peer(1), at: [3000])  // detected; it offers its payload a little later
    scenario.payloads[peer(1)] = bar
    scenario.hear(peer(1), at: stride(from: 13_000, through: 133_000, by: 10_000))
    scenario.hear(peer(2), at: [200_000])  // somebody else
    scenario.run(to: 432_999)
    #expect(visits(trace).isEmpty)
    scenario.run(to: 433_000)
    #expect(visits(trace) == ["a visit 1 3000 133000"])
    #expect(
      scenario.records().filter { if case .visited = $0.event { true } else { false } } == [
        PlainRecord(
          event: .visited(TargetIdentity(peer(1)), firstReceived: 430, lastReceived: 300),
          milliseconds: 433_000)
      ])
    #expect(scenario.node.core.delegate.first.second.visits == 1)
  }

  @Test("HP-51 Two minutes are not more than two minutes", arguments: [0, 1] as [UInt64])
  func shortStay(_ more: UInt64) {
    let trace = Trace()
    let scenario = scenario(trace)
    scenario.payloads[peer(1)] = bar
    scenario.hear(peer(1), at: [1000, 60_000, 121_000 + more])
    scenario.run(to: 1_000_000)
    #expect(visits(trace).count == Int(more))
  }

  @Test("HP-51 Who comes back after five minutes makes a second visit, without the payload being read again")
  func comeBack() {
    let trace = Trace()
    let scenario = scenario(trace)
    scenario.payloads[peer(1)] = bar
    scenario.hear(peer(1), at: stride(from: 0, through: 200_000, by: 20_000))
    // Just short of five minutes: the same stay. Then more.
    scenario.hear(peer(1), at: stride(from: 499_990, through: 600_000, by: 20_000))
    scenario.hear(peer(1), at: stride(from: 1_000_000, through: 1_200_000, by: 20_000))
    scenario.run(to: 2_000_000)
    #expect(visits(trace) == ["a visit 1 0 599990", "a visit 1 1000000 1200000"])
    #expect(scenario.node.core.counter(.reads) == 1)
  }

  @Test("HP-51 A venue is one venue, whatever its beacon's address and whatever it adds to its payload")
  func rotation() {
    let trace = Trace()
    let scenario = scenario(trace)
    scenario.payloads[peer(1)] = bar
    scenario.payloads[peer(2)] = Array(bar[..<9]) + hex("10 02 42 61")
    scenario.hear(peer(1), at: stride(from: 0, through: 100_000, by: 20_000))
    scenario.hear(peer(2), at: stride(from: 110_000, through: 200_000, by: 20_000))
    scenario.run(to: 1_000_000)
    #expect(visits(trace) == ["a visit 2 0 190000"])
  }

  @Test("HP-51 Payloads of people, of other versions, too short ones, and shared ones", arguments: 0..<5)
  func families(_ which: Int) {
    let trace = Trace()
    let scenario = scenario(trace)
    let payload = [hex(Peer.payload), hex("31 01 02 03"), hex("37"), hex("30 3A 03 04 00 F3 E0 01"), bar][
      which]
    if which == 4 {
      let shared = TargetIdentity(kind: .shared, high: 1, low: 1)
      var sensor = VisitSensor<2>()
      sensor.didRead(shared, payload.span, known: false, at: .start)
      sensor.didMeasure(shared, RSSI(-50), at: Instant(milliseconds: 200_000))
      #expect(sensor.nextWork(at: Instant(milliseconds: 900_000)) == .none(until: .never))
      return
    }
    scenario.payloads[peer(1)] = payload
    scenario.hear(peer(1), at: stride(from: 0, through: 200_000, by: 20_000))
    scenario.run(to: 1_000_000)
    #expect(visits(trace).count == (which == 1 || which == 2 ? 1 : 0))
  }

  @Test(
    "HP-51 When all places count already a further venue is skipped; otherwise the one with the shortest stay is removed"
  )
  func full() {
    func venue(_ number: UInt8) -> [UInt8] { Array(bar[..<5]) + [number, 0, 0, 0] }
    let trace = Trace()
    let scenario = scenario(trace)
    for number in 1...4 { scenario.payloads[peer(UInt32(number))] = venue(UInt8(number)) }
    // 1 counts, 2 does not yet: 3 takes the place of 2.
    scenario.hear(peer(1), at: [0, 100_000, 130_000])
    scenario.hear(peer(2), at: [131_000])
    scenario.hear(peer(3), at: [140_000, 200_000, 265_000])
    #expect(scenario.node.core.delegate.first.second.missed == 0)
    scenario.hear(peer(4), at: [266_000, 400_000])
    #expect(scenario.node.core.delegate.first.second.missed == 1)
    scenario.run(to: 1_000_000)
    #expect(visits(trace) == ["a visit 1 0 130000", "a visit 3 140000 265000"])
    // Places of stays that are over are free.
    for number: UInt32 in 5...6 { scenario.payloads[peer(number)] = venue(UInt8(number)) }
    for time: UInt64 in [1_001_000, 1_130_000] {
      scenario.run(to: time)
      scenario.hear(peer(5))
      scenario.hear(peer(6))
    }
    scenario.run(to: 2_000_000)
    #expect(visits(trace).sorted() == ["a visit 5 1001000 1130000", "a visit 6 1001000 1130000"])
  }

  @Test(
    "HP-51 The stay of a stranger that was not heard for five minutes begins anew, even before it is read",
    arguments: [(299_999, 0), (300_000, 300_000)] as [(UInt64, UInt64)])
  func strangersGap(heard: UInt64, begin: UInt64) {
    let beacon = TargetIdentity(peer(1))
    var sensor = VisitSensor<1>()
    sensor.didDetect(beacon, at: .start)
    sensor.didMeasure(beacon, RSSI(-50), at: Instant(milliseconds: heard))
    sensor.didRead(beacon, bar.span, known: false, at: Instant(milliseconds: 310_000))
    sensor.didMeasure(beacon, RSSI(-50), at: Instant(milliseconds: 500_000))
    let visit = Visit(
      venue: beacon, payloadDigest: PayloadDigest.of(bar.span), begin: Instant(milliseconds: begin),
      end: Instant(milliseconds: 500_000))
    #expect(sensor.nextWork(at: Instant(milliseconds: 800_000)) == .visited(visit))
  }

  @Test("A device that slept through the end of a stay tells it at once, with the times it knows")
  func sleep() {
    let beacon = TargetIdentity(peer(1))
    var sensor = VisitSensor<1>()
    sensor.didDetect(beacon, at: .start)
    sensor.didRead(beacon, bar.span, known: false, at: .start)
    sensor.didMeasure(beacon, RSSI(-50), at: Instant(milliseconds: 150_000))
    // The next thing it hears is the beacon, an hour later, before it could look at the time.
    sensor.didMeasure(beacon, RSSI(-50), at: Instant(milliseconds: 3_600_000))
    let visit = Visit(
      venue: beacon, payloadDigest: PayloadDigest.of(bar.span), begin: .start,
      end: Instant(milliseconds: 150_000))
    #expect(sensor.nextWork(at: Instant(milliseconds: 3_600_000)) == .visited(visit))
    #expect(sensor.nextWork(at: Instant(milliseconds: 3_600_000)) == .none(until: .never))
  }

  @Test(
    "Of more than eight strangers the one not heard for longest is forgotten: its stay begins when it is read"
  )
  func strangers() {
    for (others, begin) in [(7, 0), (8, 200_000)] as [(UInt32, UInt64)] {
      let beacon = TargetIdentity(peer(1))
      var sensor = VisitSensor<1>()
      sensor.didDetect(beacon, at: .start)
      for number in 0..<others {
        sensor.didDetect(TargetIdentity(peer(100 + number)), at: Instant(milliseconds: 1000))
        sensor.didMeasure(TargetIdentity(peer(100 + number)), RSSI(-50), at: Instant(milliseconds: 1000))
      }
      sensor.didRead(beacon, bar.span, known: false, at: Instant(milliseconds: 200_000))
      sensor.didMeasure(beacon, RSSI(-50), at: Instant(milliseconds: 400_000))
      guard case .visited(let visit) = sensor.nextWork(at: Instant(milliseconds: 700_000)) else {
        Issue.record("no visit")
        continue
      }
      #expect(visit.begin.milliseconds == begin)
    }
  }

  /// A venue that says it is 2026-11-20 20:00:00.
  private let clock = hex("30 3A 03 04 00 F3 E0 01 00 20 04 40 02 0F 6A")

  @Test("HP-51 The time a beacon tells sets the date if configured and if nobody has told it before")
  func time() throws {
    for (believes, isSet) in [(true, false), (false, false), (true, true)] {
      let scenario = scenario(Trace()) { $0.takesTimeFromBeacons = believes }
      if isSet {
        let isTaken = scenario.node.core.setClock(
          unixMilliseconds: 1_700_000_000_000, at: .start, source: .host)
        #expect(isTaken)
      }
      scenario.payloads[peer(1)] = clock
      scenario.hear(peer(1), at: [5000])
      let expected: UInt64? = isSet ? 1_700_000_005_000 : believes ? 1_779_368_512_000 : nil
      let date = scenario.node.core.clock.unixMilliseconds(at: Instant(milliseconds: 5000))
      #expect(date == expected)
      if believes, !isSet {
        #expect(
          scenario.records().contains(
            PlainRecord(
              event: .clockSet(unixMilliseconds: 1_779_368_512_000, source: .beacon), milliseconds: 5000)))
        #expect(scenario.node.core.clock.source == .beacon)
      }
    }
  }

  @Test("Times before Herald's calendar begins, and segments of another length, tell nothing")
  func wrongTimes() {
    for segment in ["20 04 7F E1 6B 5F", "20 03 40 02 0F", "20 05 40 02 0F 6A 00"] {
      var sensor = VisitSensor<1>()
      let payload = Array(bar[..<9]) + hex(segment)
      sensor.didRead(TargetIdentity(peer(1)), payload.span, known: false, at: .start)
      if case .date = sensor.nextWork(at: .start) { Issue.record("believed \(segment)") }
    }
    var sensor = VisitSensor<1>()
    let payload = Array(bar[..<9]) + hex("20 04 80 E1 6B 5F")
    sensor.didRead(TargetIdentity(peer(1)), payload.span, known: false, at: .start)
    #expect(
      sensor.nextWork(at: Instant(milliseconds: 30)) == .date(unixMilliseconds: 1_600_905_600_030))
  }
}
