extension NRF {
  /// The registers that `Radio` uses, as offsets from 0x4000_0000.
  enum RadioRegisters {
    // CLOCK.
    static var startCrystal: Register<Task> { Register(0x000) }
    static var stopCrystal: Register<Task> { Register(0x004) }
    /// HFCLKSTAT.
    static var crystalStatus: Register<UInt32> { Register(0x40C) }

    // RADIO.
    static var transmitEnable: Register<Task> { Register(0x1000) }
    static var receiveEnable: Register<Task> { Register(0x1004) }
    static var begin: Register<Task> { Register(0x1008) }
    static var disable: Register<Task> { Register(0x1010) }
    static var ready: Register<Event> { Register(0x1100) }
    static var address: Register<Event> { Register(0x1104) }
    static var end: Register<Event> { Register(0x110C) }
    static var disabled: Register<Event> { Register(0x1110) }
    static var shortcuts: Register<RadioShortcuts> { Register(0x1200) }
    static var radioInterruptSet: Register<UInt32> { Register(0x1304) }
    static var radioInterruptClear: Register<UInt32> { Register(0x1308) }
    static var crcStatus: Register<UInt32> { Register(0x1400) }
    static var packetPointer: Register<UInt32> { Register(0x1504) }
    /// In MHz above 2,400.
    static var frequency: Register<UInt32> { Register(0x1508) }
    /// In dBm.
    static var power: Register<UInt32> { Register(0x150C) }
    /// 3: Bluetooth LE, 1 Mbit/s.
    static var mode: Register<UInt32> { Register(0x1510) }
    /// PCNF0 and PCNF1.
    static var packetFields: Register<UInt32> { Register(0x1514) }
    static var packetForm: Register<UInt32> { Register(0x1518) }
    static var addressBase: Register<UInt32> { Register(0x151C) }
    static var addressPrefix: Register<UInt32> { Register(0x1524) }
    static var transmitAddress: Register<UInt32> { Register(0x152C) }
    static var receiveAddresses: Register<UInt32> { Register(0x1530) }
    static var crcConfiguration: Register<UInt32> { Register(0x1534) }
    static var crcPolynomial: Register<UInt32> { Register(0x1538) }
    static var crcInitial: Register<UInt32> { Register(0x153C) }
    static var rssi: Register<UInt32> { Register(0x1548) }
    static var state: Register<RadioState> { Register(0x1550) }
    /// DATAWHITEIV.
    static var whitening: Register<UInt32> { Register(0x1554) }
    /// MODECNF0 of the nRF52.
    static var modeConfiguration: Register<UInt32> { Register(0x1650) }
    /// OVERRIDE0…OVERRIDE4 of the nRF51.
    static var override: Register<UInt32> { Register(0x1724) }

    // TIMER0.
    static var startTimer: Register<Task> { Register(0x8000) }
    static var stopTimer: Register<Task> { Register(0x8004) }
    static var clearTimer: Register<Task> { Register(0x800C) }
    /// SHUTDOWN of the nRF52.
    static var shutDownTimer: Register<Task> { Register(0x8010) }
    static var capture: Register<Task> { Register(0x8040) }
    static var timerCompared: Register<Event> { Register(0x8140) }
    static var timerMode: Register<UInt32> { Register(0x8504) }
    static var timerWidth: Register<UInt32> { Register(0x8508) }
    static var timerPrescaler: Register<UInt32> { Register(0x8510) }
    static var timerCompare: Register<UInt32> { Register(0x8540) }
    /// The register of anomaly 73 of the nRF51.
    static var timerClock: Register<UInt32> { Register(0x8C0C) }

    // RTC0.
    static var startCounter: Register<Task> { Register(0xB000) }
    static var tick: Register<Event> { Register(0xB100) }
    static var overflow: Register<Event> { Register(0xB104) }
    static var counterCompared: Register<Event> { Register(0xB140) }
    static var counterInterruptSet: Register<UInt32> { Register(0xB304) }
    static var counterInterruptClear: Register<UInt32> { Register(0xB308) }
    static var counterRouteSet: Register<UInt32> { Register(0xB344) }
    static var counterRouteClear: Register<UInt32> { Register(0xB348) }
    static var counter: Register<UInt32> { Register(0xB504) }
    static var counterCompare: Register<UInt32> { Register(0xB540) }

    // PPI.
    static var channelSet: Register<RadioChannels> { Register(0x1F504) }
    static var channelClear: Register<RadioChannels> { Register(0x1F508) }
    static var channelEvent: Register<UInt32> { Register(0x1F510) }
    static var channelTask: Register<UInt32> { Register(0x1F514) }
    static var channelGroup: Register<UInt32> { Register(0x1F800) }
    static var disableGroup: Register<Task> { Register(0x1F004) }

    /// The address of a register for PPI.
    static func address<Value>(_ register: Register<Value>) -> UInt32 { 0x4000_0000 | register.offset }
  }

  /// SHORTS of RADIO.
  struct RadioShortcuts: RegisterValue {
    let bits: UInt32
    static var none: RadioShortcuts { RadioShortcuts(bits: 0) }
    /// END to DISABLE, ADDRESS to RSSISTART, DISABLED to RSSISTOP.
    static var ending: RadioShortcuts { RadioShortcuts(bits: 1 &<< 1 | 1 &<< 4 | 1 &<< 8) }
    /// In addition READY to START.
    static var starting: RadioShortcuts { RadioShortcuts(bits: ending.bits | 1) }
    /// In addition to `ending`, DISABLED to TXEN.
    static var thenTransmitting: RadioShortcuts { RadioShortcuts(bits: ending.bits | 1 &<< 2) }
    /// In addition to `ending`, DISABLED to RXEN.
    static var thenReceiving: RadioShortcuts { RadioShortcuts(bits: ending.bits | 1 &<< 3) }
  }

  /// STATE of RADIO.
  struct RadioState: RegisterValue, Equatable {
    let bits: UInt32
    static var disabled: RadioState { RadioState(bits: 0) }
    /// RXIDLE: the ramp-up has ended, and the receiver has not started.
    static var receiverIdle: RadioState { RadioState(bits: 2) }
    /// TXIDLE.
    static var transmitterIdle: RadioState { RadioState(bits: 10) }
  }

  /// Channels of PPI. Those from 20 on are connected by hardware.
  struct RadioChannels: RegisterValue {
    let bits: UInt32

    /// TIMER0 COMPARE0 to RADIO START (nRF51).
    static var turnNumber: Int { 12 }
    /// RTC0 TICK to TIMER0 CAPTURE3.
    static var tickNumber: Int { 13 }
    /// RADIO READY to RADIO START, and READY to the task that disables that channel (nRF51).
    static var beginNumber: Int { 14 }
    static var beginOnceNumber: Int { 15 }
    /// The group of channel 14.
    static var group: Int { 3 }

    static var none: RadioChannels { RadioChannels(bits: 0) }
    static var turn: RadioChannels { RadioChannels(bits: 1 &<< 12) }
    static var tick: RadioChannels { RadioChannels(bits: 1 &<< 13) }
    static var begin: RadioChannels { RadioChannels(bits: 1 &<< 14) }
    static var beginOnce: RadioChannels { RadioChannels(bits: 1 &<< 15) }
    /// TIMER0 COMPARE0 to TXEN; the same to RXEN; TIMER0 COMPARE1 to DISABLE.
    static var transmit: RadioChannels { RadioChannels(bits: 1 &<< 20) }
    static var receive: RadioChannels { RadioChannels(bits: 1 &<< 21) }
    static var timeout: RadioChannels { RadioChannels(bits: 1 &<< 22) }
    /// ADDRESS to TIMER0 CAPTURE1, END to TIMER0 CAPTURE2.
    static var captures: RadioChannels { RadioChannels(bits: 1 &<< 26 | 1 &<< 27) }
    /// RTC0 COMPARE0 to TIMER0 START.
    static var timerStart: RadioChannels { RadioChannels(bits: 1 &<< 31) }

    static func | (left: RadioChannels, right: RadioChannels) -> RadioChannels {
      RadioChannels(bits: left.bits | right.bits)
    }
  }
}
