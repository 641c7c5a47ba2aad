import HeraldChips
import HeraldHAL
import Startup

/// The flash of the chip, in pages of 4 KB: the regions LOG and SETTINGS of the linker script.
public typealias NRF52Flash<Pause: RadioPause & ~Copyable> = GuardedFlash<
  NRF.NVMC<NRF.NRF52, FixedRegisters<0x4001E0>, MappedRegisters, Pause>, NRF52FlashSupply
>

/// A board whose log is in the flash of its chip.
public protocol NRF52LogInChip: NRF52Kit {}

extension NRF52Board where Kit: NRF52LogInChip, Bluetooth: ~Copyable {
  /// The memory of the log.
  public static func flash() -> NRF52Flash<Bluetooth.Pause> {
    pages(from: startup_log_start(), bytes: startup_log_size())
  }
}

extension NRF52Board where Bluetooth: ~Copyable {
  /// The memory of the settings.
  public static func settings() -> NRF52Flash<Bluetooth.Pause> {
    pages(from: startup_settings_start(), bytes: startup_settings_size())
  }

  private static func pages(from start: UInt32, bytes: UInt32) -> NRF52Flash<Bluetooth.Pause> {
    GuardedFlash(
      NRF.NVMC(
        FixedRegisters(), memory: MappedRegisters(at: start), pause: Bluetooth.pause(), start: start,
        pageSize: 4_096, pageCount: Int(bytes) / 4_096),
      on: Kit.flashSupply())
  }
}
