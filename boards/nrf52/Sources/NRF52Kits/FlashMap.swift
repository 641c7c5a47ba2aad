import HeraldChips
import Startup

/// The chip's flash, in pages of 4 KB: where the linker script puts its LOG and SETTINGS regions.
public typealias NRF52Flash = NRF.NVMC<FixedRegisters<0x4001E0>, MappedRegisters>

extension NRF52Board where Bluetooth: ~Copyable {
  /// The memory of the log.
  public static func flash() -> NRF52Flash { pages(from: startup_log_start(), bytes: startup_log_size()) }
  /// The memory of what is kept beside it.
  public static func settings() -> NRF52Flash {
    pages(from: startup_settings_start(), bytes: startup_settings_size())
  }

  private static func pages(from start: UInt32, bytes: UInt32) -> NRF52Flash {
    NRF52Flash(
      FixedRegisters(), memory: MappedRegisters(at: start), start: start, pageSize: 4_096,
      pageCount: Int(bytes) / 4_096)
  }
}
