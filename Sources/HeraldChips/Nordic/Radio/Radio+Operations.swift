import HeraldHAL

// The operations of the radio, and the steps between them.
extension NRF.Radio where Block: ~Copyable {
  /// Begins an operation; see `RadioPeripheral`. If the crystal is off and the operation begins before it can
  /// have started, the outcome is `late`, and the next operation may begin at once.
  public mutating func start(_ operation: RadioOperation) {
    configure(operation)
    clearAlarm()
    let enable = operation.start - (isTransmitting ? Self.transmitLead : Self.receiveLead)
    let ahead = enable.since(now())
    if ahead >= Self.restartTime {
      if isRunning { switchOff() }
      phase = .waiting
      setAlarm(ticks: Self.wholeTicks(in: ahead &- Self.restartTime))
    } else {
      launch(enable)
    }
  }

  /// Starts what is off, and begins the operation if the crystal runs in time for the ramp-up at `enable`.
  private mutating func launch(_ enable: RadioTime) {
    guard isOnCrystal() || enable.since(now()) >= Chip.crystalStartUp else {
      if !isRunning { startTimer() }
      fail(.late, after: Self.wholeTicks(in: Chip.crystalStartUp))
      return
    }
    if isRunning {
      synchronize()
      begin()
    } else if startTimer(before: enable) {
      begin(isStarting: true)
    } else {
      fail(.late)
    }
  }

  /// Cancels an operation; see `RadioPeripheral`.
  @inline(never)
  public mutating func cancel() -> Bool {
    registers.write(NRF.Interrupts.disabled, to: At.radioInterruptClear)
    registers.write(NRF.Interrupts.alarm, to: At.counterInterruptClear)
    // The write has taken effect, and an interrupt that came first has been handled, when this is read.
    _ = registers.read(At.counter)
    let hadAlarm = phase == .waiting || phase == .overdue || phase == .idle && isRunning
    let isCancelled = endOperation()
    registers.write(NRF.Interrupts.disabled, to: At.radioInterruptSet)
    if isCancelled {
      if isStarting { switchOff() }
      becomeIdle()
    } else if hadAlarm {
      registers.write(NRF.Interrupts.alarm, to: At.counterInterruptSet)
    }
    return isCancelled
  }

  /// Ends the operation unless a packet is on the air. With the interrupts disabled.
  private mutating func endOperation() -> Bool {
    switch phase {
    case .idle, .overdue: return false
    case .waiting: return true
    case .active:
      registers.write(.transmit | .receive, to: At.channelClear)
      if registers.hasHappened(At.disabled) { return false }
      if registers.read(At.state) != .disabled {
        isStarting = false
        if isTransmitting || registers.hasHappened(At.address) { return false }
      }
      disable()
      return true
    }
  }

  /// Handles the interrupts of RADIO and RTC0, and returns the outcome if an operation has ended.
  public mutating func takeOutcome() -> RadioOutcome? {
    if registers.hasHappened(At.disabled) {
      registers.clear(At.disabled)
      if phase == .active { return outcome() }
    }
    countTurn()
    guard registers.hasHappened(At.counterCompared.at(1)) else { return nil }
    clearAlarm()
    switch phase {
    case .active: return nil
    case .idle:
      if isRunning { switchOff() }
      return nil
    case .waiting:
      launch(operationStart - (isTransmitting ? Self.transmitLead : Self.receiveLead))
      return nil
    case .overdue:
      let time = now()
      return RadioOutcome(overdue, start: time, end: time)
    }
  }

  /// Executes the step after the outcome that was taken last; see `RadioPeripheral`.
  public mutating func proceed(_ step: RadioStep) {
    switch step {
    case .transmitAfterSpace: transmitAfterSpace()
    case .receiveAfterSpace: receiveAfterSpace()
    case .receiveAgain: receiveAgain()
    case .stop:
      // An nRF51 has begun to turn around.
      if !Chip.hasFastRampUp { disable() }
      becomeIdle()
    }
  }

  // MARK: Registers

  private mutating func configure(_ operation: RadioOperation) {
    isTransmitting = operation.kind == .transmit
    operationStart = operation.start
    window = operation.window
    longestPayload = min(operation.longestPayload, 37)
    registers.write(UInt32(operation.channel), to: At.whitening)
    registers.write(RadioOperation.frequency(ofChannel: operation.channel), to: At.frequency)
    registers.write(operation.accessAddress &<< 8, to: At.addressBase)
    registers.write(operation.accessAddress &>> 24, to: At.addressPrefix)
    registers.write(operation.crcInit, to: At.crcInitial)
    // WHITEEN, little endian, BALEN 3, MAXLEN.
    registers.write(1 &<< 25 | 3 &<< 16 | UInt32(longestPayload), to: At.packetForm)
  }

  /// The start-up of the crystal, or of TIMER0 if only that is off.
  public mutating func startUpLeft() -> UInt32 {
    guard isOnCrystal() else { return Chip.crystalStartUp }
    return isRunning ? 0 : Self.timerStartUp
  }

  private mutating func isOnCrystal() -> Bool {
    let running: UInt32 = 1 &<< 16 | 1
    return registers.read(At.crystalStatus) & running == running
  }

  /// Lets TIMER0, whose base is known, start the operation. `isStarting`: RTC0 starts TIMER0 before that.
  private mutating func begin(isStarting: Bool = false) {
    packetStart = operationStart.microseconds &- timerBase
    self.isStarting = isStarting
    phase = .active
    let enable: UInt32
    let channel: NRF.RadioChannels
    if isTransmitting {
      armTransmitter()
      enable = packetStart &- Self.transmitLead
      channel = .transmit
    } else {
      armReceiver(until: packetStart &+ window &+ Chip.receiveDelay)
      enable = packetStart &- Self.receiveLead
      channel = .receive
    }
    arm(at: enable, channel | Self.beginning, from: .disabled)
  }

  /// READY is followed by START: by a shortcut, or once by PPI.
  private static var beginning: NRF.RadioChannels {
    Chip.hasFastRampUp ? .none : .begin
  }

  /// Enables channels for TIMER0's compare event at a time, unless that has passed. `state` is the state of
  /// the radio before the event.
  private mutating func arm(at time: UInt32, _ channels: NRF.RadioChannels, from state: NRF.RadioState) {
    registers.write(time, to: At.timerCompare)
    registers.clear(At.timerCompared)
    // The time is read before a packet can end, whose END is captured in the same register. If the event
    // occurs after that, the radio shows whether it came before or after the channel was enabled.
    var isLate = hasStarted() && Int32(bitPattern: timer() &- time) >= 0
    if !isLate {
      registers.write(channels, to: At.channelSet)
      isLate = registers.hasHappened(At.timerCompared) && registers.read(At.state) == state
    }
    guard isLate else { return }
    disable()
    fail(.late)
  }

  private mutating func armTransmitter() {
    isTransmitting = true
    registers.write(registers.busAddress(of: UnsafeRawBufferPointer(memory.outgoing)), to: At.packetPointer)
    // The timeout of a reception must not end the transmission.
    registers.write(.receive | .timeout, to: At.channelClear)
    if !Chip.hasFastRampUp { registers.write(.thenReceiving, to: At.shortcuts) }
  }

  private mutating func armReceiver(until timeout: UInt32) {
    isTransmitting = false
    registers.write(registers.busAddress(of: UnsafeRawBufferPointer(memory.incoming)), to: At.packetPointer)
    registers.write(.transmit, to: At.channelClear)
    registers.clear(At.address)
    registers.clear(At.end)
    if !Chip.hasFastRampUp { registers.write(.thenTransmitting, to: At.shortcuts) }
    // ADDRESS captures its time in the same register, which cancels the timeout.
    registers.write(timeout, to: At.timerCompare.at(1))
    registers.write(.timeout, to: At.channelSet)
  }

  /// Switches the radio off, at once.
  private mutating func disable() {
    if !Chip.hasFastRampUp { registers.write(.none, to: At.shortcuts) }
    registers.write(.transmit | .receive | .timeout | .begin | .turn, to: At.channelClear)
    guard registers.read(At.state) != .disabled else { return }
    registers.trigger(At.disable)
    // Up to 6 µs; the number of repetitions is limited nevertheless.
    for _ in 0..<200 where registers.hasHappened(At.disabled) { break }
    registers.clear(At.disabled)
  }

  // MARK: Steps

  private mutating func outcome() -> RadioOutcome {
    isStarting = false
    let end = registers.read(At.timerCompare.at(2))
    if isTransmitting {
      packetEnd = end
      return RadioOutcome(.sent, start: time(packetStart), end: time(end))
    }
    // A reception for longer than 20 ms: the clocks have drifted apart.
    if window >= 20_000 { synchronize() }
    guard registers.hasHappened(At.end) else {
      let time = time(registers.read(At.timerCompare.at(1)))
      return RadioOutcome(.silent, start: time, end: time)
    }
    packetEnd = end &- Chip.receiveDelay
    // Preamble and access address.
    let start = registers.read(At.timerCompare.at(1)) &- (Chip.receiveDelay &+ 40)
    let isValid = registers.read(At.crcStatus) & 1 != 0
    let rssi = Int8(truncatingIfNeeded: 0 &- Int32(truncatingIfNeeded: registers.read(At.rssi) & 0x7F))
    return RadioOutcome(
      isValid ? .received : .damaged, start: time(start), end: time(packetEnd), rssi: rssi)
  }

  private func time(_ timer: UInt32) -> RadioTime { RadioTime(microseconds: timerBase &+ timer) }

  private mutating func transmitAfterSpace() {
    packetStart = packetEnd &+ Self.space
    armTransmitter()
    if Chip.hasFastRampUp {
      arm(at: packetStart &- Self.transmitLead, .transmit, from: .disabled)
    } else {
      registers.write(.transmit | .receive, to: At.channelClear)
      arm(at: packetStart &- Chip.transmitDelay, .turn, from: .transmitterIdle)
    }
  }

  private mutating func receiveAfterSpace() {
    packetStart = packetEnd &+ Self.space
    armReceiver(until: packetStart &+ 40 &+ Chip.receiveDelay &+ Self.earliness)
    if Chip.hasFastRampUp {
      arm(at: packetStart &- Self.receiveLead, .receive, from: .disabled)
    } else {
      registers.write(.transmit | .receive, to: At.channelClear)
      arm(at: packetStart &- Self.earliness, .turn, from: .receiverIdle)
    }
  }

  private mutating func receiveAgain() {
    if !Chip.hasFastRampUp { disable() }
    let end = operationStart.microseconds &+ window &- timerBase
    guard Int32(bitPattern: end &- timer()) > Int32(Self.receiveLead &+ 50) else {
      fail(.silent)
      return
    }
    armReceiver(until: end &+ Chip.receiveDelay)
    if !Chip.hasFastRampUp { registers.write(.begin, to: At.channelSet) }
    registers.trigger(At.receiveEnable)
    // If the timeout had passed before its channel was enabled, the reception would not end.
    guard Int32(bitPattern: end &- timer()) <= 0 else { return }
    disable()
    fail(.silent)
  }

  /// Reports an outcome by the next interrupt of RTC0.
  @inline(never)
  private mutating func fail(_ kind: RadioOutcome.Kind, after ticks: UInt32 = 0) {
    overdue = kind
    phase = .overdue
    setAlarm(ticks: ticks)
  }

  /// There is no operation. If none is started within 2 ms, TIMER0 and the crystal are switched off.
  private mutating func becomeIdle() {
    phase = .idle
    if isRunning { setAlarm(ticks: 64) } else { clearAlarm() }
  }

  /// T_IFS (Vol 6, Part B, 4.1.1).
  private static var space: UInt32 { 150 }
  /// How much earlier than expected a packet may begin: 2 µs, and the resolution of the timer.
  private static var earliness: UInt32 { 4 }
  /// From the compare event to the first bit.
  private static var transmitLead: UInt32 { Chip.transmitRampUp &+ Chip.transmitDelay }
  private static var receiveLead: UInt32 { Chip.receiveRampUp &+ earliness }
  /// The time before the ramp-up from which on TIMER0 and the crystal are left on: the start of the crystal,
  /// and six ticks of RTC0 for two compare events.
  private static var restartTime: UInt32 { Chip.crystalStartUp &+ 184 }
}
