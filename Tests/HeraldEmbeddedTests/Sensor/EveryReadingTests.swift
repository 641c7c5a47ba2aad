import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Every reading of a day")
struct EveryReadingTests {
  struct Counter: SensorDelegate {
    var readings = 0
    mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) { readings += 1 }
  }

  /// The documents' record: 140,000 readings in 23 hours, 591 ms apart.
  @Test(
    "HP-26 140,000 readings in 23 hours: as many reach the delegate and the log, each with its RSSI and time"
  )
  func everyOne() {
    let flash = MemoryFlash(pageSize: 4096, pageCount: 128, wordSize: 4)
    let scenario = SensorScenario(Counter(), flash: flash)
    scenario.node.radio.recordsCommands = false
    let data = hex("02 01 06 03 03 F6 FC")
    let total = 140_000
    for index in 0..<total {
      let time = Instant(milliseconds: UInt64(index) * 591)
      scenario.node.radio.at(
        time,
        .advertisement(
          peer(UInt32(index % 12)), RSSI(Int8(-40 - index % 50)), .legacy, data))
      if index % 64 == 63 || index == total - 1 { scenario.run(to: time.milliseconds) }
    }
    #expect(scenario.node.core.counter(.readings) == UInt32(total))
    #expect(scenario.node.core.delegate.readings == total)
    var found = 0
    var wrong = 0
    for record in scenario.records() {
      guard case .measured(let target, let rssi) = record.event else { continue }
      if target != TargetIdentity(peer(UInt32(found % 12))) || rssi != RSSI(Int8(-40 - found % 50))
        || record.milliseconds != UInt64(found) * 591 / 10 * 10
      {
        wrong += 1
      }
      found += 1
    }
    #expect(found == total && wrong == 0)
  }
}
