import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// The debug level of a delegate, as a type.
protocol DebugLevelChoice { static var level: DebugLevel { get } }
enum AllLevels: DebugLevelChoice { static var level: DebugLevel { .debug } }
enum FaultsOnly: DebugLevelChoice { static var level: DebugLevel { .fault } }

@Suite("Debug log")
struct DebugLogTests {
  struct Listener<Wish: DebugLevelChoice>: SensorDelegate {
    let trace: Trace
    static var debugLevel: DebugLevel { Wish.level }
    mutating func note(
      _ level: DebugLevel, _ text: StaticString, _ first: Int32, _ second: Int32, at now: Instant
    ) { trace.lines.append("\(level): \(text) (\(first), \(second))") }
  }

  /// A radio that fails, an exchange, one in vain, and a peer that connects.
  private func live<D: SensorDelegate & ~Copyable>(_ scenario: SensorScenario<D>) {
    scenario.payloads[peer(1)] = hex(Peer.payload)
    scenario.hear(peer(1))
    scenario.hear(peer(2))
    scenario.run(to: 30_000)
    scenario.node.radio.happen(.opened(ConnectionID(index: 1), .peripheral, peer: peer(9)))
    scenario.poll()
    scenario.node.radio.happen(.state(.failed))
    scenario.poll()
  }

  @Test("HP-50 Debug messages reach the delegates whose level includes them")
  func levels() {
    let trace = Trace()
    live(SensorScenario(Listener<AllLevels>(trace: trace)))
    let all = trace.take()
    for text in [
      "info: the sensor's state: 0 off, 1 on, 2 unavailable (1, 0)",
      "debug: a connection was opened: its number, 1 if by us (0, 1)",
      "debug: a connection was opened: its number, 1 if by us (1, 0)",
      "info: the sensor's state: 0 off, 1 on, 2 unavailable (0, 0)", "info: a new own address (0, 0)",
    ] { #expect(all.contains(text), "\(text)") }
    #expect(all.contains { $0.hasPrefix("debug: an exchange failed") })
    #expect(all.contains { $0.hasPrefix("debug: a connection ended") })
    live(SensorScenario(Listener<FaultsOnly>(trace: trace)))
    #expect(trace.take().allSatisfy { $0.hasPrefix("fault") })
  }

  @Test("HP-50 A log that takes no more events is a fault")
  func fault() {
    let trace = Trace()
    let image = FlashImage(pageSize: 128, pageCount: 8, wordSize: 4)  // pages too small for any log
    let scenario = SensorScenario(Listener<FaultsOnly>(trace: trace), flash: MemoryFlash(image))
    scenario.hear(peer(1))
    #expect(trace.take().contains("fault: an event could not be logged (0, 0)"))
  }

  @Test("HP-50 Of several, each gets what it wants; nobody wants anything unless it says so")
  func several() {
    let one = Trace()
    let other = Trace()
    live(
      SensorScenario(
        SensorDelegates(
          Listener<FaultsOnly>(trace: one),
          SensorArray(
            battery: NoDelegate(), visits: NoDelegate(), delegate: Listener<AllLevels>(trace: other)))))
    #expect(one.take().isEmpty && !other.take().isEmpty)
    #expect(NoDelegate.debugLevel == .none && VisitSensor<1>.debugLevel == .none)
    #expect(SensorDelegates<NoDelegate, Listener<FaultsOnly>>.debugLevel == .fault)
    #expect(SensorDelegates<Listener<AllLevels>, NoDelegate>.debugLevel == .debug)
    #expect(DebugLevel.debug < .info && DebugLevel.info < .fault && DebugLevel.fault < .none)
  }
}
