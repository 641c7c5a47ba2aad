import HeraldHAL

extension NRF {
  /// The radio of the nRF51 and nRF52 at 1 Mbit/s of Bluetooth LE (nRF51 Series Reference Manual, "RADIO";
  /// nRF52840 Product Specification, "RADIO"), with TIMER0, RTC0, PPI and CLOCK.
  ///
  /// **Time.** RTC0 counts at 32,768 Hz at all times. Between operations the crystal of the high-frequency
  /// clock and TIMER0 are off. RTC0 interrupts shortly before an operation; then the crystal starts, and a
  /// compare event of RTC0 starts TIMER0 through PPI, so that the time at which TIMER0 was 0 is known.
  /// TIMER0 counts microseconds: its compare event 0 enables the transmitter or receiver, compare event 1
  /// ends a reception in which no access address was received, and capture 1 and 2 record ADDRESS and END.
  /// While TIMER0 runs, capture 3 records each tick of RTC0, so that the two do not drift apart.
  ///
  /// **Interrupts.** RADIO (1) and RTC0 (11) have the same priority and the same handler, which calls
  /// `takeOutcome`. It is the highest priority of the program.
  ///
  /// **150 µs.** The next packet is started by compare event 0, counted from the captured END. With fast
  /// ramp-up this event enables the transmitter or receiver. The ramp-up of an nRF51 is too long for that: it
  /// begins by a shortcut when a packet has ended, and the compare event starts the packet. Without `proceed`
  /// no packet is therefore transmitted.
  ///
  /// **Anomalies.** nRF51: 73 (TIMER0 and PPI in sleep). nRF52: 78 (TIMER is shut down, not only stopped).
  /// Not corrected: the dependence of the RSSI on temperature, 1 dB from −10 °C to 50 °C (153 of the
  /// nRF52840, 225 of the nRF52833). Without effect here, because the CRC does not include the access address
  /// and only logical address 0 is used: 143, 245.
  ///
  /// The interrupt handler owns the state from `start` to the last outcome; `cancel` disables the two
  /// interrupts at their sources.
  public struct Radio<Chip: RadioChip, Block: RegisterBlock & ~Copyable>: RadioPeripheral, ~Copyable {
    var registers: Block
    let memory: RadioMemory
    let crystal: RadioCrystal
    public let clockDeviation: UInt16

    var phase = Phase.idle
    /// Whether TIMER0 runs.
    var isRunning = false
    /// Whether TIMER0 may still have to be started by RTC0.
    var isStarting = false
    /// The time at which TIMER0 was 0, in the microseconds of `RadioTime`.
    var timerBase: UInt32 = 0

    /// The microseconds for which the crystal was on, up to its last stop, and when it was started last.
    var crystalTotal: UInt32 = 0
    var crystalStart = RadioTime(microseconds: 0)

    // The operation, or the step after it, that is in progress.
    var isTransmitting = false
    /// The first bit of the packet to be transmitted, or the earliest one of the packet to be received, by
    /// TIMER0; `operationStart` in `RadioTime` before TIMER0 runs.
    var packetStart: UInt32 = 0
    /// The last bit of the last packet, by TIMER0.
    var packetEnd: UInt32 = 0
    var operationStart = RadioTime(microseconds: 0)
    var window: UInt32 = 0
    var longestPayload: UInt8 = 0
    /// The outcome that the next interrupt of RTC0 reports.
    var overdue = RadioOutcome.Kind.late

    /// The state of the driver.
    enum Phase: UInt8, BitwiseCopyable {
      /// There is no operation. RTC0's interrupt switches TIMER0 and the crystal off.
      case idle = 0
      /// RTC0's interrupt starts the crystal for an operation.
      case waiting = 1
      /// TIMER0 will start an operation, or has started it.
      case active = 2
      /// RTC0's interrupt reports an outcome.
      case overdue = 3
    }

    /// The radio with the registers from 0x4000_0000 on. `clockDeviation` is the maximum deviation of the
    /// low-frequency clock in ppm.
    public init(
      _ registers: consuming Block, memory: RadioMemory, clockDeviation: UInt16, crystal: RadioCrystal
    ) {
      self.registers = registers
      self.memory = memory
      self.clockDeviation = clockDeviation
      self.crystal = crystal
    }

    typealias At = RadioRegisters

    /// Configures the peripherals and starts RTC0. The low-frequency clock runs. `power` is the output power
    /// in dBm, one of those that the chip has: −20, −16, −12, −8, −4, 0, 4.
    public mutating func switchOn(power: Int8 = 0) {
      registers.write(3, to: At.mode)
      registers.write(UInt32(UInt8(bitPattern: power)), to: At.power)
      // LFLEN 8, S0LEN 1: in memory, two bytes of header and the payload.
      registers.write(1 &<< 8 | 8, to: At.packetFields)
      registers.write(0, to: At.transmitAddress)
      registers.write(1, to: At.receiveAddresses)
      // Three bytes, without the access address.
      registers.write(1 &<< 8 | 3, to: At.crcConfiguration)
      registers.write(0x00065B, to: At.crcPolynomial)
      registers.write(4, to: At.timerPrescaler)  // 16 MHz / 2⁴
      registers.write(3, to: At.timerWidth)
      registers.write(0, to: At.timerMode)
      connect(RadioChannels.tickNumber, At.address(At.tick), At.address(At.capture.at(3)))
      if Chip.hasFastRampUp {
        // RU; DTX: the carrier between packets is the centre frequency.
        registers.write(2 &<< 8 | 1, to: At.modeConfiguration)
        registers.write(.starting, to: At.shortcuts)
        registers.write(.captures | .tick, to: At.channelSet)
      } else {
        connect(RadioChannels.beginNumber, At.address(At.ready), At.address(At.begin))
        connect(
          RadioChannels.beginOnceNumber, At.address(At.ready),
          At.address(At.disableGroup.at(RadioChannels.group, stride: 8)))
        connect(RadioChannels.turnNumber, At.address(At.timerCompared), At.address(At.begin))
        registers.write(RadioChannels.begin.bits, to: At.channelGroup.at(RadioChannels.group))
        registers.write(.captures | .tick | .beginOnce, to: At.channelSet)
      }
      registers.trigger(At.startCounter)
      // Without its route an event is not even recorded while its interrupt is disabled, as `cancel` does.
      registers.write(Interrupts.alarm, to: At.counterRouteSet)
      registers.write(Interrupts.overflow, to: At.counterInterruptSet)
      registers.write(Interrupts.disabled, to: At.radioInterruptSet)
    }

    /// Writes the factory's values for 1 Mbit/s of Bluetooth LE to the radio, on an nRF51 that has them
    /// (OVERRIDEEN, BLE_1MBIT). `factory` are the registers from 0x1000_0000 on.
    public mutating func trim<Factory: RegisterBlock & ~Copyable>(from factory: inout Factory) {
      guard factory.read(Register<UInt32>(0x0AC)) & 1 &<< 3 == 0 else { return }
      for index in 0..<5 {
        let value = factory.read(Register<UInt32>(0x0EC).at(index))
        registers.write(index == 4 ? value | 1 &<< 31 : value, to: At.override.at(index))
      }
    }

    private mutating func connect(_ channel: Int, _ event: UInt32, _ task: UInt32) {
      registers.write(event, to: At.channelEvent.at(channel, stride: 8))
      registers.write(task, to: At.channelTask.at(channel, stride: 8))
    }

    public static var leadTime: UInt32 { Chip.leadTime }
    public static var planningTime: UInt32 { Chip.planningTime }
    public static var startUpTime: UInt32 { Chip.crystalStartUp }
    public static var transmitRampUp: UInt32 { Chip.transmitRampUp }
    public static var receiveRampUp: UInt32 { Chip.receiveRampUp }

    @_lifetime(&self)
    public mutating func outgoing() -> MutableSpan<UInt8> {
      unsafe _overrideLifetime(MutableSpan(_unsafeElements: memory.outgoing), mutating: &self)
    }

    @_lifetime(&self)
    public mutating func incoming() -> Span<UInt8> {
      let length = unsafe min(memory.incoming[1], longestPayload)
      let bytes = unsafe UnsafeBufferPointer(start: memory.incoming.baseAddress, count: 2 &+ Int(length))
      return unsafe _overrideLifetime(Span(_unsafeElements: bytes), mutating: &self)
    }
  }
}

extension NRF {
  /// What else uses the crystal of the high-frequency clock, which a `Radio` stops after its operations.
  public enum RadioCrystal: BitwiseCopyable, Sendable {
    /// No other peripheral uses it.
    case exclusive
    /// USB: the crystal is not stopped while there is voltage on VBUS. The driver of USB is not to stop it.
    case sharedWithUSB
    /// The crystal is never stopped: the low-frequency clock is derived from it.
    case alwaysOn
  }
}

extension NRF {
  /// Bits of the interrupt registers of RADIO and RTC0.
  enum Interrupts {
    /// RADIO DISABLED.
    static var disabled: UInt32 { 1 &<< 4 }
    /// RTC0 TICK, OVRFLW, COMPARE0, COMPARE1.
    static var tick: UInt32 { 1 }
    static var overflow: UInt32 { 1 &<< 1 }
    static var timerStart: UInt32 { 1 &<< 16 }
    static var alarm: UInt32 { 1 &<< 17 }
  }
}
