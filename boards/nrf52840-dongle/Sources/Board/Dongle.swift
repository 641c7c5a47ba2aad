import HeraldChips
import NRF52Boards

/// The nRF52840 Dongle (PCA10059) with Nordic's boot loader. README.md has the sources of these facts.
public enum Dongle: NRF52LogInChip {
  /// The chip.
  public static var chip: USBDChip { .nRF52840 }
  /// The name of the board for `script/build`.
  public static var identifier: StaticString { "nrf52840-dongle" }
  /// LD1, green. The board is supplied by USB, so it need not save the current of an LED.
  public static var readyLight: NRF52Light? { NRF52Light(6, isActiveLow: true) }
  /// LD2, its green part.
  public static var statusLight: NRF52Light? { NRF52Light(port: 1, 9, isActiveLow: true) }
  /// All parts of it.
  public static var statusColours: NRF52Colours? {
    NRF52Colours(
      red: NRF52Light(8, isActiveLow: true), green: NRF52Light(port: 1, 9, isActiveLow: true),
      blue: NRF52Light(12, isActiveLow: true))
  }
  /// SW1.
  public static var button: NRF.Pin? { NRF.Pin(port: 1, 6) }
  /// The board has the inductor.
  public static var hasDCDC: Bool { true }
  /// Nordic's boot loader starts the image.
  public static var isBehindBootLoader: Bool { true }
  /// P0.19 is connected to the reset pin, which alone enters the boot loader.
  public static var bootLoaderEntry: NRF52BootLoaderEntry? { .resetPin(19) }
  /// VBUS supplies VDDH.
  public static var needsOutputVoltage: Bool { true }
  /// VDDH is 5 V with USB. Without USB it is what supplies the pad VDD_OUT: two cells of 1.5 V are assumed.
  public static var supply: NRF52SupplyInput { NRF52SupplyInput(.vdd, empty: 1_800, full: 3_000) }
}
