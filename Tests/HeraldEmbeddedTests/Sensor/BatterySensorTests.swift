import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Battery sensor")
struct BatterySensorTests {
  /// Loses a percent each time it is asked, is fed from outside below 98, and cannot tell at 96.
  struct Cell: PowerSource {
    var level: UInt8 = 100
    mutating func read() -> PowerReading? {
      defer { level -= 1 }
      return level == 96 ? nil : PowerReading(level: level, isExternal: level < 98)
    }
  }

  @Test("HP-49 The power is asked for every 30 seconds and logged; what cannot be told is not")
  func everyThirtySeconds() {
    let scenario = SensorScenario(
      SensorArray(battery: BatterySensor(Cell()), visits: NoDelegate(), delegate: NoDelegate()))
    scenario.run(to: 150_000)
    let batteries = scenario.records().filter { if case .battery = $0.event { true } else { false } }
    #expect(
      batteries == [
        PlainRecord(event: .battery(level: 100, external: false), milliseconds: 0),
        PlainRecord(event: .battery(level: 99, external: false), milliseconds: 30_000),
        PlainRecord(event: .battery(level: 98, external: false), milliseconds: 60_000),
        PlainRecord(event: .battery(level: 97, external: true), milliseconds: 90_000),
        PlainRecord(event: .battery(level: 95, external: true), milliseconds: 150_000),
      ])
    #expect(scenario.node.core.delegate.first.first.last == PowerReading(level: 95, isExternal: true))
  }

  @Test("HP-49 After a long sleep the power is asked for once, and more than all of it is all of it")
  func late() {
    var sensor = BatterySensor(Cell(level: 250))
    let first = sensor.nextWork(at: Instant(milliseconds: 100_000))
    #expect(first == .log(.battery(level: 100, external: false)))
    #expect(
      sensor.nextWork(at: Instant(milliseconds: 100_000)) == .none(until: Instant(milliseconds: 130_000)))
    #expect(
      sensor.nextWork(at: Instant(milliseconds: 129_999)) == .none(until: Instant(milliseconds: 130_000)))
    #expect(
      sensor.nextWork(at: Instant(milliseconds: 130_000)) == .log(.battery(level: 100, external: false)))
  }
}
