import HeraldChips
import Startup

/// The memory of the log: the chip's flash from the linker script's LOG region on, in pages of 1 KB.
public typealias FlashMap = NRF.NVMC<MappedRegisters, MappedRegisters>

extension Board {
  /// The memory of the log.
  public static func flash() -> FlashMap {
    let start = startup_log_start()
    return FlashMap(
      MappedRegisters(at: 0x4001_E000), memory: MappedRegisters(at: start), start: start, pageSize: 1_024,
      pageCount: Int(startup_log_size()) / 1_024)
  }
}
