import HeraldChips
import HeraldHAL
import HeraldLinkLayer
import Startup

#if NRF51
  typealias Chip = NRF.NRF51822
  private var pageSize: Int { 1_024 }
#else
  typealias Chip = NRF.NRF52
  private var pageSize: Int { 4_096 }
#endif
typealias Radio = NRF.Radio<Chip, FixedRegisters<0x400000>>
typealias Flash = NRF.NVMC<
  Chip, FixedRegisters<0x4001E0>, MappedRegisters, LinkLayerPause<Radio, InterruptHold, 2>
>

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

/// Disables the interrupt of `procedures`.
struct InterruptHold: ProceduresHold {
  mutating func hold() {
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.disable(Interrupt.procedures)
    startup_order_memory()
  }
  mutating func release() {
    startup_order_memory()
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.enable(Interrupt.procedures)
    startup_take_interrupts()
  }
}

/// The first two pages of the log, erased and programmed between the events of the link layer.
func makeFlash(_ link: UnsafeMutablePointer<LinkLayer<Radio, 2>>) -> Flash {
  let start = startup_log_start()
  return unsafe Flash(
    FixedRegisters(), memory: MappedRegisters(at: start), pause: LinkLayerPause(link, hold: InterruptHold()),
    start: start, pageSize: pageSize, pageCount: 2)
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
