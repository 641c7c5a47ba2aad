import HeraldChips
import HeraldHAL
import Startup

/// The chip's flash, in pages of 1 KB: where the linker script puts its LOG and SETTINGS regions.
public typealias FlashMap = NRF.NVMC<NRF.NRF51822, FixedRegisters<0x4001E0>, MappedRegisters, FlashPause>

extension Board {
  /// The memory of the log.
  public static func flash() -> FlashMap { pages(from: startup_log_start(), bytes: startup_log_size()) }
  /// The memory of what is kept beside it.
  public static func settings() -> FlashMap {
    pages(from: startup_settings_start(), bytes: startup_settings_size())
  }

  private static func pages(from start: UInt32, bytes: UInt32) -> FlashMap {
    FlashMap(
      FixedRegisters(), memory: MappedRegisters(at: start), pause: FlashPause(), start: start,
      pageSize: 1_024, pageCount: Int(bytes) / 1_024)
  }
}
