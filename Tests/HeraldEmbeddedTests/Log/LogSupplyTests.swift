import HeraldSimulation
import Testing

@testable import HeraldBluetooth
@testable import HeraldEmbedded
@testable import HeraldHAL

@Suite("Flash log on a supply that is too low")
struct LogSupplyTests {
  private let image = FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4)
  private let someone = target(7)

  private func reading(_ rssi: Int8) -> LogEvent { .measured(someone, RSSI(rssi)) }

  @Test(
    "events are refused and counted, what was pending is committed later, and the log states the number",
    arguments: [false, true])
  func refused(isSealed: Bool) throws {
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
    try log.add(.started(reason: 0), at: 0)
    try log.add(reading(-40), at: 1_005)
    let before = image.bytes
    image.hasSufficientSupply = false
    // By both ways: `append`, and the one for readings.
    let refusals = [2_005, 2_010, 2_020].map { log.refusal(reading(-50), at: $0) }
    #expect(refusals == [.flashFailed, .flashFailed, .flashFailed])
    log.commit()
    #expect(image.bytes == before)
    image.hasSufficientSupply = true
    try log.add(reading(-60), at: 3_010)
    log.commit()
    let events = log.records().map(\.event)
    #expect(
      events == [.started(reason: 0), reading(-40), .dropped(count: 3), reading(-60)])
    #expect(log.standing.oldest == log.standing.newest)
  }

  @Test(
    "a log that is started with it begins its page when the supply is sufficient",
    arguments: [false, true])
  func lowAtStart(isSealed: Bool) throws {
    image.hasSufficientSupply = false
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
    #expect(log.refusal(.started(reason: 0), at: 0) == .flashFailed)
    #expect(image.bytes.allSatisfy { $0 == 0xFF })
    image.hasSufficientSupply = true
    try log.add(reading(-60), at: 3_005)
    log.commit()
    #expect(log.records().map(\.event) == [.dropped(count: 1), reading(-60)])
  }

  @Test(
    "at any place of a page: each number is stated once, and all other events are in the log",
    arguments: [false, true])
  func anywhere(isSealed: Bool) throws {
    // Encryption takes time: fewer places of a sealed page.
    for place in stride(from: 0, to: 400, by: isSealed ? 7 : 1) {
      let image = FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4)
      var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: isSealed)
      var random = Seeded(UInt64(place))
      var expected: [LogEvent] = []
      for number in 0..<450 {
        let event = reading(Int8.random(in: -100 ... -30, using: &random))
        image.hasSufficientSupply = number < place || number >= place + 3
        if image.hasSufficientSupply {
          if number == place + 3 { expected.append(.dropped(count: 3)) }
          try log.add(event, at: UInt64(number) * 1_005)
          expected.append(event)
        } else {
          #expect(log.refusal(event, at: UInt64(number) * 1_005) == .flashFailed)
        }
      }
      log.commit()
      #expect(log.records().map(\.event) == expected, "\(place)")
    }
  }
}
