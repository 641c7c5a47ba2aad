import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Several delegates")
struct SensorDelegatesTests {
  @Test(
    "HP-44 Every delegate hears detect, measure, read and measure with payload, in this order and in theirs")
  func order() {
    let trace = Trace()
    let scenario = SensorScenario(
      SensorDelegates(Tracer("a", trace), SensorDelegates(Tracer("b", trace), Tracer("c", trace))))
    scenario.payloads[Peer.android] = hex(Peer.payload)
    scenario.hear(Peer.android, rssi: -61, hex(Peer.androidAdvert))
    scenario.hear(Peer.android, rssi: -62, hex(Peer.androidAdvert))
    let payload = "103a030000a1a2a3a4a5a6a7a8a9aaabacadaeafb0"
    let events = [
      "state on", "detect android", "measure android -61", "read android \(payload)",
      "measure with payload android -61", "measure android -62", "measure with payload android -62",
    ]
    #expect(trace.take() == events.flatMap { event in ["a", "b", "c"].map { "\($0) \(event)" } })
  }

  /// Every event there is, once.
  private func all<D: SensorDelegate & ~Copyable>(_ delegate: inout D) {
    let target = TargetIdentity(kind: .randomAddress, high: 0, low: 0x1A)
    let bytes: [UInt8] = [1, 0xAB]
    let now = Instant(milliseconds: 5)
    delegate.didDetect(target, at: now)
    delegate.didMeasure(target, RSSI(-1), at: now)
    delegate.didRead(target, bytes.span, known: true, at: now)
    delegate.didMeasureWithPayload(target, RSSI(-2), payloadDigest: 3, at: now)
    delegate.didShare(target, bytes.span, at: now)
    delegate.didReceive(target, bytes.span, at: now)
    delegate.didVisit(
      Visit(venue: target, payloadDigest: 1, begin: .start, end: now), at: now)
    delegate.didReadModel(target, bytes.span, at: now)
    delegate.didObserve(target, ServiceNumber(rawValue: 1), bytes.span, at: now)
    delegate.didChangeTxPower(target, -3, at: now)
    delegate.didLose(target, at: now)
    delegate.didUpdateState(.unavailable, at: now)
  }

  private let events = [
    "detect 1a", "measure 1a -1", "read 1a 01ab", "measure with payload 1a -2", "share 1a 01ab",
    "receive 1a 01ab",
    "visit 1a 0 5", "model 1a 01ab", "observe 1a 1 01ab", "power 1a -3", "lose 1a", "state unavailable",
  ]

  @Test("HP-44 Each kind of event reaches both of a pair, and all three of a sensor array")
  func everyEvent() {
    let trace = Trace()
    var pair = SensorDelegates(Tracer("a", trace), Tracer("b", trace))
    all(&pair)
    #expect(trace.take() == events.flatMap { ["a \($0)", "b \($0)"] })
    var array = SensorArray(
      battery: Tracer("a", trace), visits: Tracer("b", trace), delegate: Tracer("c", trace))
    all(&array)
    #expect(trace.take() == events.flatMap { ["a \($0)", "b \($0)", "c \($0)"] })
    var nobody = NoDelegate()
    all(&nobody)
  }

  /// Work that is due, a piece at a time, then nothing until a moment.
  struct Worker: SensorDelegate {
    var work: [LogEvent]
    var until: UInt64
    mutating func nextWork(at now: Instant) -> SensorWork {
      work.isEmpty ? .none(until: Instant(milliseconds: until)) : .log(work.removeFirst())
    }
  }

  @Test("The work of all is done, and the earliest moment counts")
  func work() {
    func started(_ reason: UInt8) -> LogEvent { .started(reason: reason) }
    func drain<D: SensorDelegate & ~Copyable>(_ delegate: inout D) -> ([LogEvent], UInt64) {
      var done: [LogEvent] = []
      while true {
        switch delegate.nextWork(at: .start) {
        case .log(let event): done.append(event)
        case .none(let until): return (done, until.milliseconds)
        default: return (done, 0)
        }
      }
    }
    for (one, other) in [(7, 9), (9, 7)] as [(UInt64, UInt64)] {
      var pair = SensorDelegates(
        Worker(work: [started(1), started(2)], until: one), Worker(work: [started(3)], until: other))
      let (done, until) = drain(&pair)
      #expect(done == [started(1), started(2), started(3)] && until == 7)
    }
    for untils in [[5, 6, 7], [7, 5, 6], [6, 7, 5]] as [[UInt64]] {
      var array = SensorArray(
        battery: Worker(work: [started(1)], until: untils[0]),
        visits: Worker(work: [started(2)], until: untils[1]),
        delegate: Worker(work: [started(3)], until: untils[2]))
      let (done, until) = drain(&array)
      #expect(done == [started(1), started(2), started(3)] && until == 5)
    }
  }

  @Test("A delegate with work without end does not hold up the rest, and none of its work is lost")
  func endlessWork() {
    let events = (0..<100).map { LogEvent.started(reason: UInt8($0)) }
    let scenario = SensorScenario(Worker(work: events, until: 1000))
    scenario.hear(Peer.android, hex(Peer.androidAdvert))
    #expect(
      scenario.records().map(\.event).filter { if case .started = $0 { true } else { false } }.count == 101)
  }
}
