import HeraldChips
import Testing

/// A peripheral that notes what is written.
private final class NotedPeripheral: Peripheral {
  var writes: [UInt32: UInt32] = [:]
  override func setValue(_ word: UInt32, at offset: UInt32) { writes[offset] = word }
}

@Suite("What a boot loader leaves")
struct TimerStopTests {
  @Test("The source of the low-frequency clock is changed after the clock has stopped")
  func lowFrequency() {
    let model = ClockPowerModel()
    model.crystalDelay = 0
    var clock = NRF.Clock(ModelRegisters(model))
    clock.startLowFrequency(.oscillator)
    model.stopDelay = 7
    clock.stopLowFrequency()
    #expect(!model.lowFrequencyRuns && model.stopDelay == 0)
    clock.startLowFrequency(.crystal)
    let source = clock.lowFrequency()
    #expect(source == .crystal)
    #expect(model.faults == [])
  }

  @Test("A clock that the watchdog needs is not waited for")
  func watchdog() {
    let model = ClockPowerModel()
    model.isForcedByWatchdog = true
    var clock = NRF.Clock(ModelRegisters(model))
    clock.startLowFrequency(.oscillator)
    clock.stopLowFrequency()
    #expect(!model.lowFrequencyRuns)
    #expect(model.faults == [])
  }

  @Test("The interrupts of POWER and CLOCK are disabled; the supply is that of VDDH or VDD")
  func power() {
    let model = ClockPowerModel()
    var power = NRF.Power(ModelRegisters(model))
    power.disableInterrupts()
    #expect(model.interrupts == 0)
    for isHighVoltage in [false, true] {
      model.isHighVoltage = isHighVoltage
      let found = power.isHighVoltage()
      #expect(found == isHighVoltage)
    }
  }

  @Test("A counter and a timer are stopped, without interrupts, routes, shortcuts and events")
  func timers() {
    let (counter, timer) = (NotedPeripheral(), NotedPeripheral())
    var registers = ModelRegisters(counter)
    NRF.stopCounter(&registers)
    #expect(
      counter.writes == [
        0x004: 1, 0x008: 1, 0x308: 0x7_0003, 0x348: 0x7_0003, 0x100: 0, 0x104: 0, 0x140: 0, 0x144: 0,
        0x148: 0,
      ])
    var others = ModelRegisters(timer)
    NRF.stopTimer(&others)
    #expect(
      timer.writes == [
        0x004: 1, 0x00C: 1, 0x200: 0, 0x308: 0xF_0000, 0x140: 0, 0x144: 0, 0x148: 0, 0x14C: 0,
      ])
  }

  @Test("The output voltage is selected once, and one that is selected stays")
  func outputVoltage() {
    let model = NVMCModel(start: 0x1000_1000, pageSize: 4_096, pageCount: 1)
    func select() -> Bool {
      var driver = NRF.OutputVoltage(ModelRegisters(model.memory), controller: ModelRegisters(model))
      return driver.select(.millivolts3000)
    }
    #expect(select())
    #expect(model.words[0xC1] == 0xFFFF_FFFC)
    #expect(!select())
    #expect(model.writes[0xC1] == 1)
    let other = NVMCModel(start: 0x1000_1000, pageSize: 4_096, pageCount: 1)
    other.words[0xC1] = 0xFFFF_FFFD
    var driver = NRF.OutputVoltage(ModelRegisters(other.memory), controller: ModelRegisters(other))
    let isWritten = driver.select(.millivolts3000)
    #expect(!isWritten && other.words[0xC1] == 0xFFFF_FFFD)
    #expect(model.faults == [] && other.faults == [])
  }
}
