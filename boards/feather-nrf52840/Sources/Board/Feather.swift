import HeraldChips
import NRF52Boards

/// The Adafruit Feather nRF52840 Express with S140 6, as sold. README.md has the sources of these facts.
public enum Feather: NRF52LogInNOR {
  /// The chip.
  public static var chip: USBDChip { .nRF52840 }
  /// The name of the board for `script/build`.
  public static var identifier: StaticString { "feather-nrf52840" }
  /// LED1, red.
  public static var statusLight: NRF52Light? { NRF52Light(port: 1, 15, isActiveLow: false) }
  /// USER.
  public static var button: NRF.Pin? { NRF.Pin(port: 1, 2) }
  /// The board has the inductor.
  public static var hasDCDC: Bool { true }
  /// Adafruit's boot loader starts the image.
  public static var isBehindBootLoader: Bool { true }
  /// The value that selects the drive and the serial port.
  public static var bootLoaderEntry: NRF52BootLoaderEntry? { .retained(0x57) }
  /// A lithium-ion cell behind two resistors of 100 kΩ on AIN5.
  public static var supply: NRF52SupplyInput {
    NRF52SupplyInput(.pin(5, times: 2, over: 1), empty: 3_300, full: 4_200)
  }
  /// GD25Q16C: 2.7 V and more. The comparator has no threshold above.
  public static var flashMinimum: UInt32 { 2_800 }
  /// GD25Q16C, 2 MB.
  public static var memory: NRF52Memory {
    NRF52Memory(
      clock: NRF.Pin(19), out: NRF.Pin(17), in: NRF.Pin(22), select: 20, sectors: 512)
  }
  /// WP and HOLD of the flash; the supply of the NeoPixel, off.
  public static func configurePins() {
    NRF.Pin(23).becomeOutput(high: true)
    NRF.Pin(21).becomeOutput(high: true)
    NRF.Pin(port: 1, 14).becomeOutput(high: false)
  }
}
