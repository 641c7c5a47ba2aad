import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

@Suite("The sensor is switched on and off")
struct SensorStateTests {
  @Test("HP-44 Switched off, nothing is on the air and no connection stays; switched on, all is as before")
  func onAndOff() {
    let trace = Trace()
    let story = SensorStory(Tracer("a", trace))
    #expect(story.node.radio.scanning != nil && story.node.radio.advertising != nil)
    // A peer that serves itself, and one that we call in vain.
    story.node.radio.happen(.opened(ConnectionID(index: 1), .peripheral, peer: peer(1)))
    story.hear(peer(2))
    #expect(story.node.radio.connecting == peer(2))
    _ = trace.take()
    story.node.stop(at: story.now)
    story.poll()
    #expect(story.node.radio.scanning == nil && story.node.radio.advertising == nil)
    #expect(story.node.radio.connecting == nil && story.node.radio.open.isEmpty)
    #expect(trace.take() == ["a state off"])
    story.run(to: 3_600_000)
    #expect(story.node.radio.scanning == nil && story.node.radio.advertising == nil)
    #expect(story.node.radio.connecting == nil)
    _ = trace.take()
    story.node.start(at: story.now)
    story.poll()
    #expect(story.node.radio.scanning != nil && story.node.radio.advertising != nil)
    story.hear(peer(3))
    #expect(story.node.radio.connecting == peer(3))
    #expect(trace.take() == ["a state on", "a detect 3", "a measure 3 -50"])
    #expect(story.node.radio.violations.isEmpty)
  }

  @Test("HP-44 A connection that opens just as the sensor is switched off is closed")
  func lateConnection() {
    let story = SensorStory(NoDelegate())
    story.hear(peer(2))
    story.node.radio.happen(.opened(ConnectionID(index: 0), .central, peer: peer(2)))
    story.node.radio.happen(.opened(ConnectionID(index: 1), .peripheral, peer: peer(4)))
    story.node.stop(at: story.now)
    story.poll()
    #expect(story.node.radio.open.isEmpty)
    #expect(story.node.core.counter(.reads) == 0)
  }

  @Test("Switched off twice and on twice is once; off before the radio is ready is off")
  func twice() {
    let trace = Trace()
    let story = SensorStory(Tracer("a", trace))
    _ = trace.take()
    for _ in 0..<2 {
      story.node.stop(at: story.now)
      story.poll()
    }
    story.node.radio.happen(.state(.starting))
    story.node.radio.happen(.state(.ready))
    story.poll()
    #expect(story.node.radio.scanning == nil)
    for _ in 0..<2 {
      story.node.start(at: story.now)
      story.poll()
    }
    #expect(trace.take() == ["a state off", "a state on"])
    #expect(story.node.radio.scanning != nil)
  }

  @Test(
    "HP-44 A radio that fails is off; one that fails again before it worked is unavailable, which is said once"
  )
  func unavailable() {
    let trace = Trace()
    let story = SensorStory(Tracer("a", trace))
    for state: RadioState in [.failed, .starting, .failed, .starting, .failed, .starting, .ready] {
      story.node.radio.happen(.state(state))
      story.poll()
    }
    #expect(trace.take() == ["a state on", "a state off", "a state unavailable", "a state on"])
  }
}
