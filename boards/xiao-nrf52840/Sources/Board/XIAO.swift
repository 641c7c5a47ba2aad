import HeraldChips
import HeraldEmbedded
import NRF52Boards

/// The Seeed XIAO nRF52840 and the XIAO nRF52840 Sense. README.md has the sources of these facts.
public enum XIAO: NRF52LogInNOR {
  /// The chip.
  public static var chip: USBDChip { .nRF52840 }
  /// The name of the board for `script/build`.
  public static var identifier: StaticString { "xiao-nrf52840" }
  /// The green part of the LED.
  public static var statusLight: NRF52Light? { NRF52Light(30, isActiveLow: true) }
  /// All parts of it.
  public static var statusColours: NRF52Colours? {
    NRF52Colours(
      red: NRF52Light(26, isActiveLow: true), green: NRF52Light(30, isActiveLow: true),
      blue: NRF52Light(6, isActiveLow: true))
  }
  /// CHG of the BQ25101.
  public static var charger: NRF.Pin? { NRF.Pin(17) }
  /// The board has the inductor.
  public static var hasDCDC: Bool { true }
  /// Adafruit's boot loader starts the image.
  public static var isBehindBootLoader: Bool { true }
  /// The value that selects the drive and the serial port.
  public static var bootLoaderEntry: NRF52BootLoaderEntry? { .retained(0x57) }
  /// A lithium-ion cell behind 1 MΩ and 510 kΩ on AIN7.
  public static var supply: NRF52SupplyInput {
    NRF52SupplyInput(.pin(7, times: 1510, over: 510), empty: 3_300, full: 4_200)
  }
  /// P25Q16H: 2.3 V and more.
  public static var flashMinimum: UInt32 { 2_500 }
  /// P25Q16H, 2 MB.
  public static var memory: NRF52Memory {
    NRF52Memory(
      clock: NRF.Pin(21), out: NRF.Pin(20), in: NRF.Pin(24), select: 25, sectors: 512)
  }
  /// The LSM6DS3TR-C of the Sense; absent on the other variant.
  public static func motion() -> MotionSensor<SenseMotion> {
    MotionSensor(SenseMotion(i2c(clock: 27, data: 7)))
  }
  /// The lower end of the divider, which must not float: the full voltage of the battery would be on AIN7. WP
  /// and HOLD of the flash.
  public static func configurePins() {
    NRF.Pin(14).becomeOutput(high: false)
    NRF.Pin(22).becomeOutput(high: true)
    NRF.Pin(23).becomeOutput(high: true)
  }
}
