/// CLOCK and POWER, which share their addresses (nRF52840 Product Specification, "POWER", "CLOCK").
///
/// Rules that are kept:
/// - "LFCLK": LFCLKSRC is written only while the low-frequency clock does not run. Until its crystal is up,
///   the oscillator stands in.
/// - RESETREAS: adds up over resets; bits are cleared by writing ones to them.
/// - DCDCEN: only boards that have the coil.
/// - POFCON: THRESHOLD is 4…15 on the nRF52. POFWARN happens when VDD falls below it.
final class ClockPowerModel: Peripheral {
  var resetReasons: UInt32 = 0
  var hasCoil = true
  var hasUSBSupply = false
  /// Reads of a status until a crystal is up; `nil` if it never comes up.
  var crystalDelay: Int? = 3
  private(set) var dcdcIsOn = false
  private(set) var source: UInt32 = 0
  private(set) var lowFrequencyRuns = false
  /// Whether a watchdog that has gone on over a reset has the oscillator run, which LFCLKSTAT tells and
  /// LFCLKRUN does not.
  var isForcedByWatchdog = false
  /// Reads of its status until the low-frequency clock runs, once it has been started.
  var startDelay = 0
  /// Reads of its status until the low-frequency clock has stopped, once it is to.
  var stopDelay = 0
  private(set) var interrupts: UInt32 = 0xFFF
  var isHighVoltage = false
  private var highFrequencyStarted = false
  /// POFCON, and whether POFWARN has happened.
  private(set) var powerFail: UInt32 = 0
  var hasWarned = false
  /// VDD in millivolts.
  var supply: UInt32 = 3_000 {
    didSet {
      guard powerFail & 1 != 0 else { return }
      let threshold = 1_300 + 100 * (powerFail >> 1 & 15)
      if supply < threshold, oldValue >= threshold { hasWarned = true }
    }
  }

  override func value(at offset: UInt32) -> UInt32 {
    if offset == 0x40C || offset == 0x418, let delay = crystalDelay { crystalDelay = max(delay - 1, 0) }
    switch offset {
    case 0x108: return hasWarned ? 1 : 0
    case 0x400: return resetReasons
    case 0x40C: return 1 << 16 | (highFrequencyStarted && crystalDelay == 0 ? 1 : 0)
    case 0x414: return lowFrequencyRuns ? 1 : 0
    case 0x418:
      if lowFrequencyRuns, startDelay > 0 {
        startDelay -= 1
        return 0
      }
      if !lowFrequencyRuns, stopDelay > 0 {
        stopDelay -= 1
        return 1 << 16
      }
      if lowFrequencyRuns { return 1 << 16 | (source == 1 && crystalDelay != 0 ? 0 : source) }
      return isForcedByWatchdog ? 1 << 16 : 0
    case 0x438: return hasUSBSupply ? 0b11 : 0
    case 0x640: return isHighVoltage ? 1 : 0
    default: return super.value(at: offset)
    }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x000: highFrequencyStarted = true
    case 0x008: lowFrequencyRuns = true
    case 0x00C: lowFrequencyRuns = false
    case 0x108:
      if word != 0 { fault("an event was set") }
      hasWarned = false
    case 0x510:
      if word & 1 != 0, !(4...15).contains(word >> 1 & 15) { fault("no threshold") }
      powerFail = word
    case 0x308: interrupts &= ~word
    case 0x400: resetReasons &= ~word
    case 0x518:
      if lowFrequencyRuns || stopDelay > 0 { fault("LFCLKSRC was written while the clock runs") }
      if word > 2 { fault("LFCLKSRC knows 0, 1 and 2") }
      source = word
    case 0x578:
      if !hasCoil { fault("the converter was switched on without a coil: the supply is gone") }
      dcdcIsOn = word & 1 != 0
    default: super.setValue(word, at: offset)
    }
  }
}

/// The watchdog (nRF52840 Product Specification, "WDT").
///
/// Rules that are kept:
/// - CRV, RREN and CONFIG cannot be changed once it runs; CRV is 15 at the least.
/// - It is fed by writing 0x6E524635 to each of the places that RREN names, and resets the chip CRV + 1 ticks
///   of 32,768 Hz after the last time.
final class WDTModel: Peripheral {
  private(set) var hasReset = false
  private(set) var isRunning = false
  private var ticks: UInt64 = 0
  private var reload: UInt32 = .max
  private var requests: UInt32 = 1
  private(set) var configuration: UInt32 = 1

  func pass(ticks count: UInt64) {
    guard isRunning else { return }
    ticks += count
    if ticks > UInt64(reload) { hasReset = true }
  }

  override func value(at offset: UInt32) -> UInt32 {
    switch offset {
    case 0x400: return isRunning ? 1 : 0
    default: return super.value(at: offset)
    }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    if isRunning, (0x504...0x50C).contains(offset) {
      return fault("\(hexadecimal(offset)) was written while the watchdog runs")
    }
    switch offset {
    case 0x000: (isRunning, ticks) = (true, 0)
    case 0x504:
      if word < 15 { fault("CRV is 15 at the least") }
      reload = word
    case 0x508: requests = word
    case 0x50C: configuration = word
    case 0x600:
      if word != 0x6E52_4635 { fault("fed with something else") }
      if requests & 1 != 0 { ticks = 0 }
    default: super.setValue(word, at: offset)
    }
  }
}

/// A port of GPIO (nRF52840 Product Specification, "GPIO"): a pin is driven once DIR says so, high or low as
/// OUT says; its input can be read only while the buffer is connected.
final class GPIOModel: Peripheral {
  /// What is on the pins from outside.
  var levels: UInt32 = 0
  private(set) var out: UInt32 = 0
  private var configurations = Array(repeating: UInt32(2), count: 32)
  /// Called when a pin that is driven changes.
  var onChange: ((UInt8, Bool) -> Void)?

  func isDriven(_ pin: Int) -> Bool { configurations[pin] & 1 != 0 }
  func configuration(_ pin: Int) -> UInt32 { configurations[pin] }

  private func change(_ new: UInt32) {
    let changed = out ^ new
    out = new
    for pin in 0..<32 where changed & 1 << UInt32(pin) != 0 && isDriven(pin) {
      onChange?(UInt8(pin), new & 1 << UInt32(pin) != 0)
    }
  }

  override func value(at offset: UInt32) -> UInt32 {
    guard offset == 0x510 else { return super.value(at: offset) }
    return (0..<32).reduce(0) { $0 | (configurations[$1] & 2 == 0 ? levels & 1 << UInt32($1) : 0) }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x508: change(out | word)
    case 0x50C: change(out & ~word)
    case 0x700..<0x780: configurations[Int(offset - 0x700) / 4] = word
    default: super.setValue(word, at: offset)
    }
  }
}

/// GPIOTE with the ports whose DETECT it receives (nRF52840 Product Specification, "GPIO", "Pin sense
/// mechanism", and "GPIOTE", "Port event"): DETECT is set while a connected input has the level that is
/// sensed at it, and PORT occurs when it becomes set.
final class GPIOTEModel: Peripheral {
  private let ports: [GPIOModel]
  private(set) var hasHappened = false
  private(set) var enabled: UInt32 = 0
  private var wasDetected = false

  init(_ ports: [GPIOModel]) { self.ports = ports }

  private var isDetected: Bool {
    ports.contains { port in
      (0..<32).contains { pin in
        let (word, isHigh) = (port.configuration(pin), port.levels & 1 << UInt32(pin) != 0)
        return word & 3 == 0 && word >> 16 & 3 == (isHigh ? 2 : 3)
      }
    }
  }

  /// Levels or configurations have changed.
  func follow() {
    if isDetected, !wasDetected { hasHappened = true }
    wasDetected = isDetected
  }

  override func value(at offset: UInt32) -> UInt32 {
    offset == 0x17C ? (hasHappened ? 1 : 0) : super.value(at: offset)
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch (offset, word) {
    case (0x17C, 0): hasHappened = false
    case (0x304, _): enabled |= word
    default: super.setValue(word, at: offset)
    }
  }
}

/// The converter (nRF52840 Product Specification, "SAADC").
///
/// Rules that are kept:
/// - "Overview" and "EasyDMA": SAMPLE is taken after STARTED alone; the result is in memory, which is RAM,
///   once END has come; RESULT.PTR is not changed while a conversion runs. STOP takes a moment, and the
///   converter is not switched off before STOPPED.
/// - Registers: a channel is configured while nothing is converted; ENABLE first.
final class SAADCModel: Peripheral {
  /// What each input has, in millivolts: 9 is VDD, 0xD VDDH/5, 1…8 the pins.
  var millivolts: [UInt32: Int32] = [:]
  var isBroken = false
  /// What is in the memory before the result.
  let bus: ModelMemory
  private(set) var isEnabled = false
  private var isStarted = false
  private var isSampling = 0
  private var isStopping = 0
  private var events: [UInt32: UInt32] = [0x100: 0, 0x104: 0, 0x108: 0, 0x10C: 0, 0x110: 0, 0x114: 0]
  private var registers: [UInt32: UInt32] = [
    0x510: 0, 0x514: 0, 0x518: 0x0002_0000, 0x5F0: 1, 0x62C: 0, 0x630: 0,
  ]

  init(bus: ModelMemory) { self.bus = bus }

  func setting(_ offset: UInt32) -> UInt32? { registers[offset] }

  private func convert() {
    let gains: [Double] = [1.0 / 6, 0.2, 0.25, 1.0 / 3, 0.5, 1, 2, 4]
    let configuration = registers[0x518] ?? 0
    let voltage = Double(millivolts[registers[0x510] ?? 0] ?? 0) / 1_000
    let steps = Double(1 << (8 + 2 * Int(registers[0x5F0] ?? 0)))
    let result = min(voltage * gains[Int(configuration >> 8 & 7)] / 0.6 * steps, steps - 1)
    let value = UInt16(bitPattern: Int16(result))
    let place = registers[0x62C] ?? 0
    if bus[place] == nil { fault("a result outside of RAM") }
    bus[place] = UInt8(value & 0xFF)
    bus[place + 1] = UInt8(value >> 8)
    events[0x104] = 1
    isStarted = false
  }

  override func value(at offset: UInt32) -> UInt32 {
    if isSampling > 0, !isBroken {
      isSampling -= 1
      if isSampling == 0 { convert() }
    }
    if isStopping > 0 {
      isStopping -= 1
      if isStopping == 0 { events[0x114] = 1 }
    }
    return events[offset] ?? super.value(at: offset)
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    if !isEnabled, offset < 0x100 { fault("a task while the converter is disabled") }
    if isSampling > 0 || isStarted, offset >= 0x510 { fault("configured while it converts") }
    switch offset {
    case 0x000:
      if registers[0x630] != 1 { fault("no room for one result") }
      if !isBroken { (isStarted, events[0x100]) = (true, 1) }
    case 0x004:
      if !isStarted { fault("SAMPLE before STARTED") }
      isSampling = 5
    case 0x008: isStopping = 2
    case 0x500:
      if isStopping > 0 { fault("switched off before STOPPED") }
      isEnabled = word == 1
    default:
      if events[offset] != nil {
        events[offset] = 0
      } else if registers[offset] != nil {
        registers[offset] = word
      } else {
        super.setValue(word, at: offset)
      }
    }
  }
}

/// The interrupt controller of a Cortex-M0: 32 interrupts, whose priorities are accessible as whole words.
final class InterruptControllerModel: Peripheral {
  private(set) var enabled: UInt32 = 0
  private(set) var pending: UInt32 = 0
  private var priorities: [UInt32: UInt32] = [:]

  /// The priority byte of an interrupt.
  func priority(_ number: UInt32) -> UInt32 {
    (priorities[0x400 + number / 4 * 4] ?? 0) >> (number % 4 * 8) & 0xFF
  }

  override func value(at offset: UInt32) -> UInt32 {
    switch offset {
    case 0x100, 0x180: return enabled
    case 0x200, 0x280: return pending
    case 0x400..<0x420: return priorities[offset] ?? 0
    default: return super.value(at: offset)
    }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x100: enabled |= word
    case 0x180: enabled &= ~word
    case 0x200: pending |= word
    case 0x280: pending &= ~word
    case 0x400..<0x420: priorities[offset] = word & 0xC0C0_C0C0
    default: super.setValue(word, at: offset)
    }
  }
}
