import Testing

@testable import HeraldEnergy

/// Charge by voltage, times and words, against numbers computed by hand.
@Suite("Battery life")
struct BatteryLifeTests {
  @Test("A coin cell: 42 % at 2.9 V, 30 % half way to 2.74 V, nothing below 2.1 V")
  func coin() {
    let cell = CellChemistry.lithiumManganese
    let points: [(Double, Double)] = [
      (3600, 100), (3000, 100), (2950, 71), (2900, 42), (2820, 30), (2740, 18), (2590, 12), (2440, 6),
      (2270, 3),
      (2100, 0), (0, 0), (-500, 0),
    ]
    for (millivolts, percent) in points {
      #expect(abs(cell.percent(millivolts: millivolts) - percent) < 1e-9, "\(millivolts) mV")
    }
    #expect(cell.percent(millivolts: .infinity) == 100 && cell.percent(millivolts: -.infinity) == 0)
  }

  @Test("A lithium-ion cell: half at 3.821 V")
  func lithium() {
    let cell = CellChemistry.lithiumIon
    let points: [(Double, Double)] = [
      (5000, 100), (4190, 100), (4138, 95), (4086, 90), (3821, 50), (3807, 45), (3793, 40), (3687, 10),
      (3306, 0), (-1, 0),
    ]
    for (millivolts, percent) in points {
      #expect(abs(cell.percent(millivolts: millivolts) - percent) < 1e-9, "\(millivolts) mV")
    }
  }

  @Test("A level is the voltage that the firmware made it of")
  func levels() throws {
    let badge = try #require(BoardPower.named("xiao-nrf52840")?.cell)
    let kit = try #require(BoardPower.named("nrf52840dk")?.cell)
    // 3,300 + 900 · 0.625 mV, which is 41.5 of 63 mV above 50 %.
    #expect(badge.millivolts(level: 62) == 3862.5)
    #expect(abs(badge.percent(level: 62) - 56.587_301_6) < 1e-6)
    // 2,000 + 950 · 0.945 mV.
    #expect(kit.millivolts(level: 94) == 2897.75)
    #expect(abs(kit.percent(level: 94) - 41.662_5) < 1e-9)
    #expect(kit.percent(level: 100) == 71 && badge.percent(level: 100) == 100)
    // Levels that no firmware logs.
    #expect(kit.percent(level: 127) == 71 && kit.percent(level: .max) == 71)
    #expect(kit.percent(level: -5) == kit.percent(level: 0) && kit.percent(level: .min) == 0)
  }

  @Test("Days of the cells that `simulate` prints: 0.142 mA")
  func days() {
    let days = BatteryLife.usualCells.map { BatteryLife.days(capacity: $0.capacity, current: 0.142) }
    // 220, 100 and 500 mAh over 0.142 mA and 24 h.
    #expect(zip(days, [64.553_99, 29.342_72, 146.713_6]).allSatisfy { abs($0 - $1) < 1e-3 })
    #expect(BatteryLife.days(capacity: 220, current: 0) == 0)
  }

  private func words(
    _ board: String, _ current: Result<Double, MeasuredUse.Defect>, level: Int?, isExternal: Bool = false,
    overflowed: Bool = false, capacity: Double? = nil
  ) -> String {
    BatteryOutlook(
      board: board, current: current, mayHaveOverflowed: overflowed, level: level, isExternal: isExternal,
      capacity: capacity
    ).words
  }

  @Test("What is said to people")
  func sentences() {
    // 500 mAh · 56.6 % / 0.74 mA = 382 h
    #expect(
      words("xiao-nrf52840", .success(0.74), level: 62)
        == "about 15 days left (0.74 mA, 500 mAh cell assumed, 57 % by voltage)")
    #expect(
      words("xiao-nrf52840", .success(0.74), level: 62, capacity: 100)
        == "about 3 days left (0.74 mA, 100 mAh cell, 57 % by voltage)")
    #expect(
      words("xiao-nrf52840", .success(3.25), level: 62, isExternal: true, capacity: 40)
        == "about 6 hours left (3.25 mA, 40 mAh cell, 57 % by voltage; on external power now)")
    // 220 mAh · 71 % / 0.0999 mA = 1,563 h
    #expect(
      words("nrf52833dk", .success(0.0999), level: 100)
        == "at least 65 days left (0.100 mA, 220 mAh cell, 71 % or more by voltage)")
    #expect(
      words("nrf52833dk", .success(0.74), level: 94, overflowed: true)
        == "at most 5 days left (at least 0.74 mA, 220 mAh cell, 42 % by voltage)")
    #expect(
      words("nrf52833dk", .success(0.74), level: 100, overflowed: true)
        == "about 8 days left (at least 0.74 mA, 220 mAh cell, 71 % or more by voltage)")
    // The supply of a kit on USB is not the cell.
    #expect(
      words("nrf52833dk", .success(0.74), level: 100, isExternal: true)
        == "about 12 days with a full cell (0.74 mA, 220 mAh cell; its voltage is not known; on external power now)"
    )
    #expect(
      words("herald-wearable", .success(0.0015), level: nil, capacity: 220)
        == "about 6111 days with a full cell (0.002 mA, 220 mAh cell; its voltage is not known)")
    #expect(
      words("nrf52833dk", .success(6), level: 0)
        == "less than an hour left (6.00 mA, 220 mAh cell, 0 % by voltage)")
    #expect(
      BatteryLife.words(hours: 0.4) == "less than an hour" && BatteryLife.words(hours: 1.9) == "an hour")
    #expect(BatteryLife.words(hours: 47.9) == "47 hours" && BatteryLife.words(hours: 48) == "2 days")
    #expect(BatteryLife.words(hours: .infinity) == "999999 days")
  }

  @Test("What is said when it is not known: why")
  func unknown() {
    #expect(
      words("", .failure(.noRadio), level: 40)
        == "not known: the device does not count the time for which its radio is on; with a Bluetooth controller none does"
    )
    #expect(
      words("", .failure(.justStarted), level: 40) == "not known: the device started less than a minute ago")
    #expect(
      words("x", .failure(.unknownBoard("x")), level: 40)
        == "not known: nothing is known of the currents of the board x")
    #expect(
      words("nrf52840-dongle", .success(0.74), level: 40)
        == "not known: it takes 0.74 mA; the board has no battery of its own: name one with --battery mAh")
    #expect(
      words("nrf52833dk", .success(0), level: 40) == words("nrf52833dk", .failure(.contradictory), level: 40))
    #expect(words("nrf52833dk", .success(.nan), level: 40).hasPrefix("not known"))
    #expect(words("nrf52833dk", .success(.infinity), level: 40).hasPrefix("not known"))
  }
}
