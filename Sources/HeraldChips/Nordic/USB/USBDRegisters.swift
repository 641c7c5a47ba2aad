/// The registers of USBD: nRF52833 product specification 6.31, nRF52840 product specification 6.35.
///
/// Tasks and events are words with the value 1 or 0. Arrays have one element for each endpoint 0…7.
enum USBDRegisters {
  /// Peripheral identifier 39.
  static var base: UInt32 { 0x4002_7000 }

  static var startIn: Register<UInt32> { Register(0x004) }
  static var startOut: Register<UInt32> { Register(0x028) }
  static var receiveControl: Register<UInt32> { Register(0x04C) }
  static var controlStatus: Register<UInt32> { Register(0x050) }
  static var controlStall: Register<UInt32> { Register(0x054) }

  static var busReset: Register<UInt32> { Register(0x100) }
  static var endIn: Register<UInt32> { Register(0x108) }
  static var controlDataDone: Register<UInt32> { Register(0x128) }
  static var endOut: Register<UInt32> { Register(0x130) }
  static var usbEvent: Register<UInt32> { Register(0x158) }
  static var controlSetup: Register<UInt32> { Register(0x15C) }
  static var endpointData: Register<UInt32> { Register(0x160) }

  static var shortcuts: Register<USBDShortcuts> { Register(0x200) }
  static var enableInterrupts: Register<USBDInterrupts> { Register(0x304) }
  static var disableInterrupts: Register<USBDInterrupts> { Register(0x308) }
  static var eventCause: Register<USBDEventCause> { Register(0x400) }
  static var dataStatus: Register<USBDEndpoints> { Register(0x46C) }
  /// The eight bytes of a setup packet, one word each.
  static var setup: Register<UInt32> { Register(0x480) }
  static var outSize: Register<UInt32> { Register(0x4A0) }
  static var enable: Register<UInt32> { Register(0x500) }
  static var pullUp: Register<UInt32> { Register(0x504) }
  static var dataToggle: Register<USBDToggle> { Register(0x50C) }
  static var enabledIn: Register<UInt32> { Register(0x510) }
  static var enabledOut: Register<UInt32> { Register(0x514) }
  static var stall: Register<USBDStall> { Register(0x518) }
  static var lowPower: Register<UInt32> { Register(0x52C) }

  /// PTR, MAXCNT and AMOUNT of EasyDMA of each endpoint.
  static var inMemory: Register<UInt32> { Register(0x600) }
  static var outMemory: Register<UInt32> { Register(0x700) }
  static var memoryStride: UInt32 { 0x14 }

  // Undocumented; the addresses are those used by Nordic's driver.

  /// The index of the internal register accessed by `internalValue`.
  static var internalIndex: Register<UInt32> { Register(0x800) }
  static var internalValue: Register<UInt32> { Register(0x804) }
  /// Enables the peripheral to accept tasks during a transfer (anomaly 199).
  static var taskGuard: Register<UInt32> { Register(0xC1C) }
}

/// The registers of POWER and CLOCK, which share their base address, that USB requires.
enum USBSupplyRegisters {
  /// Peripheral identifier 0.
  static var base: UInt32 { 0x4000_0000 }

  static var startCrystal: Register<UInt32> { Register(0x000) }
  static var stopCrystal: Register<UInt32> { Register(0x004) }
  /// HFCLKSTARTED.
  static var crystalStarted: Register<UInt32> { Register(0x100) }
  /// USBDETECTED, USBREMOVED and USBPWRRDY, at consecutive offsets.
  static var supplyEvents: Register<UInt32> { Register(0x11C) }
  static var enableInterrupts: Register<UInt32> { Register(0x304) }
  static var crystal: Register<CrystalStatus> { Register(0x40C) }
  static var supply: Register<USBSupplyStatus> { Register(0x438) }

  /// The interrupts of the four events above.
  static var interrupts: UInt32 { 1 << 0 | 1 << 7 | 1 << 8 | 1 << 9 }
}

/// Trimming registers that only anomalies 171, 187 and 211 document.
enum USBTrimRegisters {
  static var base: UInt32 { 0x4006_EC00 }

  /// Reads 0 while the others are locked; writing `unlock` toggles the lock.
  static var key: Register<UInt32> { Register(0x000) }
  static var unlock: UInt32 { 0x9375 }
  /// Anomaly 171.
  static var wakeUp: Register<UInt32> { Register(0x014) }
  /// Anomalies 187 and 211.
  static var activity: Register<UInt32> { Register(0x114) }
}

/// SHORTS.
struct USBDShortcuts: RegisterValue {
  let bits: UInt32
  init(bits: UInt32) { self.bits = bits }

  static var none: Self { Self(bits: 0) }
  /// EP0DATADONE_EP0STATUS: the status stage follows the packet that is being sent.
  static var statusBehindData: Self { Self(bits: 1 << 2) }
}

/// INTENSET, INTENCLR.
struct USBDInterrupts: RegisterValue {
  let bits: UInt32
  init(bits: UInt32) { self.bits = bits }

  /// USBRESET, EP0DATADONE, USBEVENT, EP0SETUP and EPDATA: the events caused by the host.
  static var bus: Self { Self(bits: 1 << 0 | 1 << 10 | 1 << 22 | 1 << 23 | 1 << 24) }
}

/// EVENTCAUSE. Bits are cleared by writing ones.
struct USBDEventCause: RegisterValue {
  let bits: UInt32
  init(bits: UInt32) { self.bits = bits }

  static var suspend: UInt32 { 1 << 8 }
  static var resume: UInt32 { 1 << 9 }
  /// USBWUALLOWED: the peripheral has left low power mode.
  static var awake: UInt32 { 1 << 10 }
  static var ready: UInt32 { 1 << 11 }

  func has(_ cause: UInt32) -> Bool { bits & cause != 0 }
}

/// EPDATASTATUS: endpoints with a completed transfer. Bits are cleared by writing ones.
struct USBDEndpoints: RegisterValue {
  let bits: UInt32
  init(bits: UInt32) { self.bits = bits }

  /// The bit of one endpoint: bits 1…7 IN, 17…23 OUT.
  init(_ number: Int, isIn: Bool) {
    bits = 1 &<< UInt32(truncatingIfNeeded: isIn ? number : number &+ 16)
  }
}

/// DTOGGLE.
struct USBDToggle: RegisterValue {
  let bits: UInt32
  init(bits: UInt32) { self.bits = bits }

  /// Selects an endpoint by its address (number in bits 0…2, IN in bit 7) without a change. To be written
  /// first.
  static func select(_ address: UInt8) -> Self { Self(bits: UInt32(address)) }
  /// Sets the data toggle of the selected endpoint to DATA0.
  static func data0(_ address: UInt8) -> Self { Self(bits: UInt32(address) | 1 << 8) }
}

/// EPSTALL.
struct USBDStall: RegisterValue {
  let bits: UInt32
  init(bits: UInt32) { self.bits = bits }

  /// Stalls the endpoint with this address, or clears the stall.
  init(_ address: UInt8, _ isStalled: Bool) { bits = UInt32(address) | (isStalled ? 1 << 8 : 0) }
}

/// HFCLKSTAT.
struct CrystalStatus: RegisterValue {
  let bits: UInt32
  init(bits: UInt32) { self.bits = bits }

  /// Whether the crystal oscillator is the selected source and runs.
  var isRunning: Bool { bits & 0x1_0001 == 0x1_0001 }
}

/// USBREGSTATUS.
struct USBSupplyStatus: RegisterValue {
  let bits: UInt32
  init(bits: UInt32) { self.bits = bits }

  /// VBUSDETECT: there is a host or a charger.
  var isPresent: Bool { bits & 1 != 0 }
  /// OUTPUTRDY: the output of the regulator is stable.
  var isSettled: Bool { bits & 2 != 0 }
}
