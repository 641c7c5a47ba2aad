import HeraldHAL

// The clocks of the radio: RTC0 at all times, TIMER0 and the crystal during operations.
extension NRF.Radio where Block: ~Copyable {
  /// The current time: that of the last tick of RTC0.
  public mutating func now() -> RadioTime {
    let now = ticks()
    return Self.time(of: now.count, after: now.turns)
  }

  /// The counter of RTC0, and how often it has overflowed.
  mutating func ticks() -> (count: UInt32, turns: UInt32) {
    var turns: UInt32
    var count: UInt32
    var isTurning: Bool
    repeat {
      turns = memory.turns.value
      count = registers.read(At.counter)
      isTurning = registers.hasHappened(At.overflow)
    } while turns != memory.turns.value
    // The interrupt is pending. If it occurred after the counter was read, the counter is at its end.
    if isTurning, count < 0x80_0000 { turns &+= 1 }
    return (count, turns)
  }

  /// Counts an overflow of RTC0. For the interrupt handler.
  mutating func countTurn() {
    guard registers.hasHappened(At.overflow) else { return }
    registers.clear(At.overflow)
    memory.turns.value &+= 1
  }

  /// The time of a tick of RTC0, rounded down to microseconds. `count` may be greater than the counter's
  /// maximum by a quarter.
  static func time(of count: UInt32, after turns: UInt32) -> RadioTime {
    // A tick is 15,625/512 µs, which is 30 + 265/512. An overflow is 512 s.
    let fraction = (count &>> 9) &* 265 &+ ((count & 511) &* 265) &>> 9
    return RadioTime(microseconds: turns &* 512_000_000 &+ count &* 30 &+ fraction)
  }

  /// The number of whole ticks of RTC0 in this number of microseconds, or one less; exact below 1 s.
  static func wholeTicks(in microseconds: UInt32) -> UInt32 {
    // ⌊2³² · 512 / 15,625⌋.
    (UInt64(wide: microseconds) &* 140_737_488).high32
  }

  /// Sets RTC0's interrupt to `count` ticks from now, or to three if that is more: a compare value is met for
  /// certain if it is two ahead when it is written ("RTC", "Compare feature").
  mutating func setAlarm(ticks count: UInt32) {
    var distance = max(count, 3)
    while true {
      let start = registers.read(At.counter)
      registers.write((start &+ distance) & 0xFF_FFFF, to: At.counterCompare.at(1))
      registers.clear(At.counterCompared.at(1))
      registers.write(NRF.Interrupts.alarm, to: At.counterInterruptSet)
      let passed = (registers.read(At.counter) &- start) & 0xFF_FFFF
      // The processor may have been stopped meanwhile, by an erasure of flash or a debugger.
      if passed &+ 2 <= distance || registers.hasHappened(At.counterCompared.at(1)) { return }
      distance = 3
    }
  }

  /// Disables RTC0's interrupt.
  mutating func clearAlarm() {
    registers.write(NRF.Interrupts.alarm, to: At.counterInterruptClear)
    registers.clear(At.counterCompared.at(1))
  }

  /// Starts the crystal and lets RTC0 start TIMER0 shortly before `enable`. If it is too late for that,
  /// TIMER0 starts at once, and the result is `false`.
  mutating func startTimer(before enable: RadioTime) -> Bool {
    prepareTimer()
    let now = ticks()
    let distance = (enable - Self.timerMargin).since(Self.time(of: now.count, after: now.turns))
    let ticks = Self.wholeTicks(in: distance)
    if ticks >= 3 {
      let count = now.count &+ ticks
      timerBase = Self.time(of: count, after: now.turns).microseconds
      registers.write(count & 0xFF_FFFF, to: At.counterCompare)
      registers.write(.timerStart, to: At.channelSet)
      // The value has to be two ahead, which it may not have been if the processor was stopped meanwhile.
      let passed = (registers.read(At.counter) &- now.count) & 0xFF_FFFF
      if passed &+ 2 <= ticks { return true }
    }
    registers.trigger(At.startTimer)
    return false
  }

  /// Starts the crystal and TIMER0, at a time that `synchronize` determines.
  mutating func startTimer() {
    prepareTimer()
    registers.trigger(At.startTimer)
  }

  private mutating func prepareTimer() {
    isRunning = true
    crystalStart = now()
    registers.trigger(At.startCrystal)
    // Without it TIMER0 may not start through PPI while the processor sleeps (anomaly 73).
    if !Chip.hasFastRampUp { registers.write(1, to: At.timerClock) }
    registers.trigger(At.clearTimer)
    registers.write(NRF.Interrupts.timerStart | NRF.Interrupts.tick, to: At.counterRouteSet)
  }

  /// Whether RTC0 has started TIMER0.
  mutating func hasStarted() -> Bool {
    guard isStarting else { return true }
    let since = registers.read(At.counter) &- registers.read(At.counterCompare)
    return since & 0xFF_FFFF < 0x80_0000
  }

  /// The time for which operations kept the crystal on; see `RadioPeripheral`. What else keeps it on is not
  /// included (`RadioCrystal`).
  public mutating func crystalTime() -> UInt32 {
    // RTC0's interrupt could switch the crystal off meanwhile. It is handled afterwards.
    registers.write(NRF.Interrupts.alarm, to: At.counterInterruptClear)
    let sum = isRunning ? crystalTotal &+ now().since(crystalStart) : crystalTotal
    if isRunning { registers.write(NRF.Interrupts.alarm, to: At.counterInterruptSet) }
    return sum
  }

  /// Switches TIMER0 and the crystal off.
  mutating func switchOff() {
    crystalTotal &+= now().since(crystalStart)
    isRunning = false
    isStarting = false
    registers.write(.transmit | .receive | .timeout | .timerStart, to: At.channelClear)
    registers.write(NRF.Interrupts.timerStart | NRF.Interrupts.tick, to: At.counterRouteClear)
    registers.trigger(At.stopTimer)
    if Chip.hasFastRampUp {
      // A timer that was only stopped continues to draw current (anomaly 78).
      registers.trigger(At.shutDownTimer)
    } else {
      registers.write(0, to: At.timerClock)
    }
    if stopsCrystal() { registers.trigger(At.stopCrystal) }
  }

  private mutating func stopsCrystal() -> Bool {
    switch crystal {
    case .exclusive: true
    case .sharedWithUSB: registers.read(At.supply) & 1 == 0
    case .alwaysOn: false
    }
  }

  /// TIMER0. Capture 2 is free until the next END.
  mutating func timer() -> UInt32 {
    registers.trigger(At.capture.at(2))
    return registers.read(At.timerCompare.at(2))
  }

  /// Determines anew at which time TIMER0 was 0, by the last tick of RTC0 that it captured. The two clocks
  /// deviate by up to 100 µs per second.
  mutating func synchronize() {
    // Directly after a tick the counter and the capture may not belong to the same tick, nor if the processor
    // was stopped between the two. TIMER0 advances: at most a few repetitions, of which the number is limited
    // nevertheless.
    for _ in 0..<8 {
      let now = ticks()
      let time = timer()
      let tick = registers.read(At.timerCompare.at(3))
      guard time &- tick >= 3, registers.read(At.counter) == now.count else { continue }
      timerBase = Self.time(of: now.count, after: now.turns).microseconds &- tick
      return
    }
  }

  /// The time between the start of TIMER0 and the first operation, at the least.
  private static var timerMargin: UInt32 { 16 }
  /// The maximum time that the start of TIMER0 adds: four ticks of RTC0, and the margin.
  static var timerStartUp: UInt32 { 140 }
}
