import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

@Suite("Sensor switch")
struct SensorStateTests {
  @Test("HP-44 Switched off, nothing is on the air and no connection stays; switched on, all is as before")
  func onAndOff() {
    let trace = Trace()
    let scenario = SensorScenario(Tracer("a", trace))
    #expect(scenario.node.radio.scanning != nil && scenario.node.radio.advertising != nil)
    // A peer that serves itself, and one that we call in vain.
    scenario.node.radio.happen(.opened(ConnectionID(index: 1), .peripheral, peer: peer(1)))
    scenario.hear(peer(2))
    #expect(scenario.node.radio.connecting == peer(2))
    _ = trace.take()
    scenario.node.stop(at: scenario.now)
    scenario.poll()
    #expect(scenario.node.radio.scanning == nil && scenario.node.radio.advertising == nil)
    #expect(scenario.node.radio.connecting == nil && scenario.node.radio.open.isEmpty)
    #expect(trace.take() == ["a state off"])
    scenario.run(to: 3_600_000)
    #expect(scenario.node.radio.scanning == nil && scenario.node.radio.advertising == nil)
    #expect(scenario.node.radio.connecting == nil)
    _ = trace.take()
    scenario.node.start(at: scenario.now)
    scenario.poll()
    #expect(scenario.node.radio.scanning != nil && scenario.node.radio.advertising != nil)
    scenario.hear(peer(3))
    #expect(scenario.node.radio.connecting == peer(3))
    #expect(trace.take() == ["a state on", "a detect 3", "a measure 3 -50"])
    #expect(scenario.node.radio.violations.isEmpty)
  }

  @Test("HP-44 A connection that opens just as the sensor is switched off is closed")
  func lateConnection() {
    let scenario = SensorScenario(NoDelegate())
    scenario.hear(peer(2))
    scenario.node.radio.happen(.opened(ConnectionID(index: 0), .central, peer: peer(2)))
    scenario.node.radio.happen(.opened(ConnectionID(index: 1), .peripheral, peer: peer(4)))
    scenario.node.stop(at: scenario.now)
    scenario.poll()
    #expect(scenario.node.radio.open.isEmpty)
    #expect(scenario.node.core.counter(.reads) == 0)
  }

  @Test("Switched off twice and on twice is once; off before the radio is ready is off")
  func twice() {
    let trace = Trace()
    let scenario = SensorScenario(Tracer("a", trace))
    _ = trace.take()
    for _ in 0..<2 {
      scenario.node.stop(at: scenario.now)
      scenario.poll()
    }
    scenario.node.radio.happen(.state(.starting))
    scenario.node.radio.happen(.state(.ready))
    scenario.poll()
    #expect(scenario.node.radio.scanning == nil)
    for _ in 0..<2 {
      scenario.node.start(at: scenario.now)
      scenario.poll()
    }
    #expect(trace.take() == ["a state off", "a state on"])
    #expect(scenario.node.radio.scanning != nil)
  }

  @Test(
    "HP-44 A radio that fails is off; one that fails again before it worked is unavailable, which is said once"
  )
  func unavailable() {
    let trace = Trace()
    let scenario = SensorScenario(Tracer("a", trace))
    for state: RadioState in [.failed, .starting, .failed, .starting, .failed, .starting, .ready] {
      scenario.node.radio.happen(.state(state))
      scenario.poll()
    }
    #expect(trace.take() == ["a state on", "a state off", "a state unavailable", "a state on"])
  }
}
