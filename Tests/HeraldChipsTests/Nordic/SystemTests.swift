import HeraldChips
import HeraldHAL
import Testing

@Suite("nRF clocks, supply, watchdog, pins and converter")
struct SystemTests {
  @Test(
    "the low-frequency clock is started once, with its source chosen before; the oscillator stands in for the crystal"
  )
  func lowFrequency() {
    let model = ClockPowerModel()
    model.crystalDelay = 5
    var clock = NRF.Clock(ModelRegisters(model))
    let before = clock.lowFrequency()
    #expect(before == nil)
    clock.startLowFrequency(.crystal)
    clock.startLowFrequency(.oscillator)
    let first = clock.lowFrequency()
    #expect(first == .oscillator)
    for _ in 0..<3 { _ = clock.lowFrequency() }
    let then = clock.lowFrequency()
    #expect(then == .crystal)
    #expect(model.faults == [])
    // Asked for again before it runs.
    let slow = ClockPowerModel()
    slow.startDelay = 4
    var other = NRF.Clock(ModelRegisters(slow))
    other.startLowFrequency(.synthesized)
    other.startLowFrequency(.oscillator)
    #expect(slow.source == 2 && slow.faults == [])
    slow.startDelay = 0
    let source = other.lowFrequency()
    #expect(source == .synthesized)
  }

  @Test(
    "behind a reset that the watchdog outlives, the low-frequency clock is started although LFCLKSTAT says that it runs"
  )
  func lowFrequencyBehindReset() {
    let model = ClockPowerModel()
    model.isForcedByWatchdog = true
    model.crystalDelay = 0
    var clock = NRF.Clock(ModelRegisters(model))
    let before = clock.lowFrequency()
    #expect(before == .oscillator)
    clock.startLowFrequency(.crystal)
    #expect(model.lowFrequencyRuns && model.source == 1)
    #expect(model.faults == [])
  }

  @Test("a crystal that never starts is not waited for")
  func noCrystal() {
    let model = ClockPowerModel()
    model.crystalDelay = nil
    var clock = NRF.Clock(ModelRegisters(model))
    clock.startLowFrequency(.crystal)
    clock.startHighFrequencyCrystal()
    let (low, high) = (clock.lowFrequency(), clock.isOnCrystal())
    #expect(low == .oscillator)
    #expect(!high)
    model.crystalDelay = 0
    let now = clock.isOnCrystal()
    #expect(now)
  }

  @Test("the reason of a reset is reported once, and does not add to the next one")
  func resetReason() {
    let model = ClockPowerModel()
    var power = NRF.Power(ModelRegisters(model))
    model.resetReasons = 0b0000_0110
    let reason = power.takeResetReason()
    #expect(reason.isWatchdog && reason.isRequested && !reason.isPin && !reason.isLockup && !reason.isPowerOn)
    #expect(reason.cause == .watchdog)
    let none = power.takeResetReason()
    #expect(none.isPowerOn && none.cause == .powerOn)
    let causes = [0b1, 0b100, 0b101, 0b111, 0b1000, 1 << 16].map { NRF.ResetReason(bits: $0).cause }
    #expect(causes == [.resetLine, nil, .resetLine, .resetLine, .lockup, nil])
    model.resetReasons = 1 << 20
    let woken = power.takeResetReason()
    #expect(woken.isWakeUp && !woken.isPowerOn)
    model.hasUSBSupply = true
    let isFed = power.hasUSBSupply()
    #expect(isFed)
    power.enableDCDC()
    #expect(model.dcdcIsOn)
    #expect(model.faults == [])
  }

  @Test("the watchdog bites after its time, not when it is fed, and one that runs is not touched")
  func watchdog() {
    let model = WDTModel()
    var watchdog = NRF.WDT(ModelRegisters(model))
    watchdog.start(.seconds(8))
    for _ in 0..<100 {
      model.pass(ticks: 8 * 32_768 - 1)
      watchdog.feed()
    }
    // It counts while the processor sleeps, and pauses while a debugger halts it.
    #expect(model.configuration == 1)
    // After a reset that left it running.
    watchdog.start(.seconds(1))
    model.pass(ticks: 8 * 32_768 - 1)
    #expect(!model.hasReset)
    model.pass(ticks: 1)
    #expect(model.hasReset)
    for timeout in [Interval.zero, .milliseconds(1), .milliseconds(.max)] {
      let other = WDTModel()
      var extreme = NRF.WDT(ModelRegisters(other))
      extreme.start(timeout)
      other.pass(ticks: 20)
      #expect(!other.hasReset)
      #expect(other.faults == [])
    }
    #expect(model.faults == [])
  }

  @Test("pins are outputs at their level from the first moment, and inputs with their resistor")
  func pins() {
    let model = GPIOModel()
    var changes: [String] = []
    model.onChange = { changes.append("\($0) \($1)") }
    var port = NRF.GPIO(ModelRegisters(model))
    port.configure(7, .output(high: true))
    #expect(model.isDriven(7) && model.out == 1 << 7)
    #expect(changes == [])
    port.set(7, false)
    port.set(7, true)
    #expect(changes == ["7 false", "7 true"])
    model.levels = 1 << 31 | 1 << 7
    port.configure(31, .input(.up))
    #expect(model.configuration(31) == 0b1100)
    let (high, unread) = (port.isHigh(31), port.isHigh(7))
    #expect(high && !unread)
    port.configure(31, .disconnected)
    #expect(model.configuration(31) == 2)
    #expect(model.faults == [])
  }

  @Test("a pin that is sensed causes the port event at its level, once, until it is cleared")
  func portEvent() {
    let ports = [GPIOModel(), GPIOModel()]
    let model = GPIOTEModel(ports)
    var port = NRF.GPIO(ModelRegisters(ports[1]))
    var event = NRF.PortEvent(ModelRegisters(model))
    ports[1].levels = 1 << 6
    port.configure(6, .sensed(.up, .low))
    // Pull-up and SENSE low.
    #expect(ports[1].configuration(6) == 0x3_000C)
    event.enableInterrupt()
    #expect(model.enabled == 1 << 31)
    func level(_ levels: UInt32) -> Bool {
      ports[1].levels = levels
      model.follow()
      return model.hasHappened
    }
    #expect(!level(1 << 6))
    #expect(level(0))
    event.clear()
    #expect(!model.hasHappened && !level(0))
    // Released and pressed again.
    #expect(!level(1 << 6))
    #expect(level(0))
    port.configure(6, .disconnected)
    event.clear()
    #expect(!level(1 << 6) && !level(0))
    port.configure(6, .sensed(.none, .high))
    #expect(ports[1].configuration(6) == 0x2_0000)
    #expect(!level(0))
    #expect(level(1 << 6))
    #expect(model.faults == [] && ports[1].faults == [])
  }

  @Test("a pin's number in PSEL")
  func pinNumbers() {
    #expect(NRF.Pin(port: 1, 9).select == 41)
    #expect(NRF.Pin(25).select == 25)
    #expect(NRF.Pin(port: 1, 9).port == 1)
    #expect(NRF.Pin(port: 1, 9).number == 9)
  }

  private func converter(
    _ model: SAADCModel, _ result: UnsafeMutablePointer<UInt32>
  ) -> NRF.SAADC<ModelRegisters> {
    result.initialize(to: 0xFFFF_FFFF)
    return NRF.SAADC(ModelRegisters(model, bus: model.bus), result: result)
  }

  @Test(
    "voltages, to the millivolt that twelve bits tell",
    arguments: [(2_987, 2_986), (3_599, 3_598), (1_800, 1_800), (0, 0), (-12, 0)] as [(Int32, UInt32)])
  func voltages(real: Int32, measured: UInt32) {
    let model = SAADCModel(bus: ModelMemory())
    let result = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    defer { result.deallocate() }
    var saadc = converter(model, result)
    model.millivolts[9] = real
    let vdd = saadc.millivolts(.vdd)
    #expect(vdd == measured)
    // Gain 1/6, the reference within, 40 µs, one input against ground.
    #expect(model.setting(0x518) == 0x0005_0000)
    #expect(!model.isEnabled)
    #expect(model.faults == [])
  }

  @Test("the inputs, and a converter that does not answer")
  func inputs() {
    let model = SAADCModel(bus: ModelMemory())
    let result = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    defer { result.deallocate() }
    var saadc = converter(model, result)
    model.millivolts = [0xD: 800, 3: 1_200, 8: 1_351]
    // 4.0 V behind 1 MΩ and 510 kΩ; a divisor of 0 is none.
    let (divided, undivided) = (
      saadc.millivolts(.pin(7, times: 1510, over: 510)), saadc.millivolts(.pin(7, times: 1, over: 0))
    )
    #expect(divided == 3_999 && undivided == 1_350)
    let (high, pin) = (saadc.millivolts(.vddh), saadc.millivolts(.pin(2, times: 3, over: 1)))
    #expect(high == 3_999)
    #expect(pin == 3_599)
    model.isBroken = true
    let none = saadc.millivolts(.vdd)
    #expect(none == nil)
    #expect(!model.isEnabled)
    #expect(model.faults == [])
  }

  @Test("a battery from empty to full, and whether USB feeds the device")
  func battery() {
    for (millivolts, level) in [(3_250, 0), (3_300, 0), (3_755, 50), (4_210, 100), (5_100, 100)] {
      let model = SAADCModel(bus: ModelMemory())
      let supply = ClockPowerModel()
      let result = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
      defer { result.deallocate() }
      var battery = NRF.Battery(
        converter(model, result), .vddh, power: NRF.Power(ModelRegisters(supply)), empty: 3_300, full: 4_200)
      model.millivolts[0xD] = Int32(millivolts / 5)
      supply.hasUSBSupply = level == 100
      let reading = battery.read()
      #expect(reading == PowerReading(level: UInt8(level), isExternal: level == 100))
      model.isBroken = true
      let none = battery.read()
      #expect(none == nil)
    }
  }

  @Test("the number of the chip")
  func factory() {
    final class Words: Peripheral {
      override func value(at offset: UInt32) -> UInt32 { offset }
    }
    var information = NRF.FactoryInformation(ModelRegisters(Words()))
    let (low, high) = information.deviceIdentifier()
    #expect(low == 0x60 && high == 0x64)
    let revision = information.revision()
    #expect(revision == 0x134)
  }

  @Test("the debug port's lock, and what a sleep draws")
  func trims() {
    final class Words: Peripheral {
      var written: [UInt32: UInt32] = [:]
      override func setValue(_ word: UInt32, at offset: UInt32) { written[offset] = word }
    }
    let (supply, sleep) = (Words(), Words())
    var power = NRF.Power(ModelRegisters(supply))
    // The registers exist on hardened revisions only, which are open with 0x5A.
    for (word, port) in [
      (0x5A, DebugPortState.open), (0xFFFF_FFFF, .closed), (0xFFFF_FF00, .closed), (0, .closed),
    ] {
      let protection = NRF.AccessProtection(UInt32(word), isHardened: true)
      #expect(protection.port == port)
      supply.written = [:]
      power.setDebugPort(protection)
      #expect(supply.written == (port == .open ? [0x558: 0x5A] : [0x550: 0]))
    }
    // Earlier ones are open with 0xFF and closed with 0.
    for (word, port) in [(0xFFFF_FFFF, DebugPortState.open), (0xFFFF_FF00, .closed), (0x5A, .notKnown)] {
      #expect(NRF.AccessProtection(UInt32(word), isHardened: false).port == port)
    }
    var registers = ModelRegisters(sleep)
    NRF.easeSleep(&registers)
    #expect(sleep.written == [0x84: 2])
  }
}
