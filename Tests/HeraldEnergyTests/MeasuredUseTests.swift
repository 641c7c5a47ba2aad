import Testing

@testable import HeraldEnergy

/// Currents of counters that a test states, computed by hand.
@Suite("Mean current by counters")
struct MeasuredUseTests {
  /// A quarter of an hour and more: 1,000 s.
  static var usual: MeasuredUse {
    var use = MeasuredUse()
    use.uptime = 1_000_000
    use.add(receiving: 20_000, transmitting: 10_000, ramping: 600, crystal: 45_000, events: 3000)
    use.add(receiving: 30_000, transmitting: 0, ramping: 400, crystal: 35_000, events: 2000)
    use.advertisements = 10_000
    use.asleep = 990_000
    use.words = 1_000
    use.erasures = 2
    return use
  }

  @Test("An nRF52840: each part by hand")
  func parts() throws {
    let parts = try EnergyModel.nRF52840.parts(Self.usual)
    // 6.4 mA · 1 %, 6.26 mA · 5 %, 6.4 mA · 0.1 %
    #expect(abs(parts.transmitting - 0.064) < 1e-9)
    #expect(abs(parts.receiving - 0.313) < 1e-9)
    #expect(abs(parts.ramp - 0.006_4) < 1e-9)
    // 0.646 mA · (80 − 61) s / 1,000 s
    #expect(abs(parts.crystal - 0.012_274) < 1e-9)
    // 2.34 mA · 1 % awake, which is more than (10,000·94 + 5,000·360) µs
    #expect(abs(parts.processor - 0.023_4) < 1e-9)
    // 2.34 mA · (1,000·41 + 2·85,000) µs / 1,000 s
    #expect(abs(parts.flash - 0.000_493_74) < 1e-9)
    #expect(parts.sleep == 0.002)
    #expect(abs(parts.total - 0.421_567_74) < 1e-9)
    // 3.4 µA around the chip.
    #expect(abs(try #require(BoardPower.named("xiao-nrf52840")).current(Self.usual) - 0.424_967_74) < 1e-9)
  }

  @Test("A processor whose sleep is not counted has the time of its events; one that never sleeps all of it")
  func processor() throws {
    var use = Self.usual
    use.asleep = nil
    // 2.34 mA · (0.94 + 1.8) s / 1,000 s
    #expect(abs(try EnergyModel.nRF52840.parts(use).processor - 0.006_411_6) < 1e-9)
    use.asleep = 0
    #expect(try EnergyModel.nRF52840.parts(use).processor == 2.34)
  }

  @Test("A board without a crystal of 32 kHz: that of 32 MHz runs all of the time, 0.646 mA but for 61 s")
  func crystal() throws {
    let parts = try EnergyModel().parts(Self.usual, hasCrystalAlways: true)
    #expect(abs(parts.crystal - 0.606_594) < 1e-9)
  }

  @Test("No counters of a radio, no time yet, and numbers that contradict each other have no current")
  func defects() {
    func defect(_ change: (inout MeasuredUse) -> Void) -> MeasuredUse.Defect? {
      var use = Self.usual
      change(&use)
      do throws(MeasuredUse.Defect) {
        let total = try EnergyModel.nRF52840.parts(use).total
        #expect(total.isFinite && total > 0 && total < 30)
        return nil
      } catch {
        return error
      }
    }
    #expect(defect { _ in } == nil)
    #expect(defect { $0 = MeasuredUse() } == .noRadio)
    #expect(defect { $0.receiving = nil } == .noRadio)
    #expect(defect { $0.uptime = 0 } == .justStarted)
    #expect(defect { $0.uptime = 59_999 } == .justStarted)
    // A radio that received for longer than the device has run.
    #expect(defect { $0.uptime = 60_000 } == .contradictory)
    #expect(defect { $0.receiving = 1_000_001 } == .contradictory)
    #expect(defect { $0.receiving = .max } == .contradictory)
    #expect(defect { $0.transmitting = .max } == .contradictory)
    #expect(defect { $0.crystal = .max } == .contradictory)
    // More than the crystal was on, beyond a second.
    #expect(defect { $0.crystal = 60_000 } == nil)
    #expect(defect { $0.crystal = 59_999 } == .contradictory)
    #expect(defect { $0.asleep = 1_001_001 } == .contradictory)
    // Numbers that may be anything.
    #expect(defect { $0.advertisements = .max } == nil)
    #expect(defect { $0.events = .max } == nil)
    #expect(defect { $0.words = .max } == nil)
    #expect(defect { $0.erasures = .max } == nil)
    #expect(
      defect { $0.add(receiving: .max, transmitting: .max, ramping: .max, crystal: .max, events: .max) }
        == .contradictory)
    #expect(defect { $0.uptime = .max } == nil)
  }

  @Test("After 2³² ms a counter may have begun again: the current is a lower limit")
  func overflow() throws {
    var use = Self.usual
    use.uptime = (1 << 32) - 1
    #expect(!use.mayHaveOverflowed)
    use.uptime = 1 << 32
    // The crystal has begun again, the receiver has not.
    use.receiving = 4_000_000_000
    use.crystal = 5
    #expect(use.mayHaveOverflowed)
    #expect(abs(try EnergyModel.nRF52840.parts(use).receiving - 5.830_079_3) < 1e-6)
    #expect(try EnergyModel.nRF52840.parts(use).crystal == 0)
  }

  @Test("The chips of boards have currents; others are not known")
  func chips() {
    #expect(BoardPower.all.allSatisfy { EnergyModel.of(chip: $0.chip) != nil })
    #expect(EnergyModel.of(chip: "nrf51822")?.receiving == 13)
    #expect(EnergyModel.of(chip: "nrf52833")?.receiving == 6)
    #expect(EnergyModel.of(chip: "nrf52840")?.receiving == 6.26)
    #expect(EnergyModel.of(chip: "nrf54l15") == nil && BoardPower.named("") == nil)
  }
}
