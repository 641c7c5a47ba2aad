import HeraldChips
import HeraldHAL
import Startup

/// The flash of the chip, in pages of 1 KB: the regions LOG and SETTINGS of the linker script.
public typealias FlashMap = GuardedFlash<
  NRF.NVMC<NRF.NRF51822, FixedRegisters<0x4001E0>, MappedRegisters, FlashPause>, FlashVoltage
>

/// VDD as the supply of the flash.
public typealias FlashVoltage = NRF.FlashVoltage<
  NRF.NRF51822, FixedRegisters<0x400000>, NRF.ADC<FixedRegisters<0x400070>>
>

extension Board {
  /// VDD in millivolts below which the flash is not changed. It can be changed from 1.8 V on; this is the
  /// lowest threshold of the power-fail comparator.
  private static var flashMinimum: UInt32 { 2_100 }

  /// Enables the power-fail comparator. To be called once, at start.
  static func startPowerFail() {
    var comparator = NRF.PowerFail<NRF.NRF51822, FixedRegisters<0x400000>>(
      FixedRegisters(), below: flashMinimum)
    comparator.start()
  }

  /// The memory of the log.
  public static func flash() -> FlashMap { pages(from: startup_log_start(), bytes: startup_log_size()) }
  /// The memory of the settings.
  public static func settings() -> FlashMap {
    pages(from: startup_settings_start(), bytes: startup_settings_size())
  }

  private static func pages(from start: UInt32, bytes: UInt32) -> FlashMap {
    GuardedFlash(
      NRF.NVMC(
        FixedRegisters(), memory: MappedRegisters(at: start), pause: FlashPause(), start: start,
        pageSize: 1_024, pageCount: Int(bytes) / 1_024),
      on: FlashVoltage(FixedRegisters(), meter: NRF.ADC(FixedRegisters()), minimum: flashMinimum))
  }
}
