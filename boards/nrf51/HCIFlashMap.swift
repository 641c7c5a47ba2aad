import HeraldChips
import HeraldHAL
import Startup

/// The flash of the chip, in pages of 1 KB: the regions LOG and SETTINGS of the linker script. The supply is
/// not checked: QEMU, in which this image is tested, has neither the power-fail comparator nor the converter.
public typealias FlashMap = NRF.NVMC<
  NRF.NRF51822, FixedRegisters<0x4001E0>, MappedRegisters, NoRadioPause
>

extension Board {
  /// The memory of the log.
  public static func flash() -> FlashMap { pages(from: startup_log_start(), bytes: startup_log_size()) }
  /// The memory of the settings.
  public static func settings() -> FlashMap {
    pages(from: startup_settings_start(), bytes: startup_settings_size())
  }

  private static func pages(from start: UInt32, bytes: UInt32) -> FlashMap {
    FlashMap(
      FixedRegisters(), memory: MappedRegisters(at: start), pause: NoRadioPause(), start: start,
      pageSize: 1_024, pageCount: Int(bytes) / 1_024)
  }
}
