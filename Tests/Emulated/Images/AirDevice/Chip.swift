import HeraldChips
import HeraldHAL

#if NRF51
  typealias Radio = NRF.Radio<NRF.NRF51822, FixedRegisters<0x400000>>
#else
  typealias Radio = NRF.Radio<NRF.NRF52, FixedRegisters<0x400000>>
#endif

nonisolated(unsafe) private var storage = NRF.RadioStorage()

/// The interrupts of RADIO, RTC0 and SWI0.
enum Interrupt {
  static var radio: UInt32 { 1 }
  static var counter: UInt32 { 11 }
  static var procedures: UInt32 { 20 }
}

/// The clocks and the radio of the chip, switched on.
func makeRadio() -> Radio {
  var clock = NRF.Clock(FixedRegisters<0x400000>())
  #if NRF51
    // The board has no crystal for the low-frequency clock: it is derived from the other one.
    clock.startHighFrequencyCrystal()
    clock.startLowFrequency(.synthesized)
  #else
    var sleep = FixedRegisters<0x4007AC>()
    NRF.easeSleep(&sleep)
    clock.startLowFrequency(.crystal)
  #endif
  // RTC0 is not to be read before its clock runs (anomaly 20).
  while clock.lowFrequency() == nil {}
  var radio = unsafe Radio(
    FixedRegisters(), memory: NRF.RadioMemory(&storage), clockDeviation: 50, crystal: crystal)
  radio.switchOn()
  #if NRF51
    var factory = FixedRegisters<0x100000>()
    radio.trim(from: &factory)
  #endif
  return radio
}

/// The lowest byte of the number of the chip.
func chipNumber() -> UInt32 {
  var factory = NRF.FactoryInformation(FixedRegisters<0x100000>())
  return factory.deviceIdentifier().low & 0xFF
}

#if NRF51
  private var crystal: NRF.RadioCrystal { .alwaysOn }
#else
  private var crystal: NRF.RadioCrystal { .exclusive }
#endif
