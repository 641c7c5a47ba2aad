import HeraldChips
import HeraldEmbedded
import NRF52Boards

/// The Herald project's wearable, revision 0.2 (Fanstel BC833M). README.md has the sources of these facts,
/// and what is not confirmed.
///
/// The reset pin of the chip, P0.18, is the accelerometer's INT1: it is not written to UICR.
public enum HeraldWearable: NRF52LogInNOR {
  /// The chip.
  public static var chip: USBDChip { .nRF52833 }
  /// The name of the board for `script/build`.
  public static var identifier: StaticString { "herald-wearable" }
  /// D1, its red part: at 2.5 V the others are dim.
  public static var statusLight: NRF52Light? { NRF52Light(17, isActiveLow: true) }
  /// All parts of it.
  public static var statusColours: NRF52Colours? {
    NRF52Colours(
      red: NRF52Light(17, isActiveLow: true), green: NRF52Light(15, isActiveLow: true),
      blue: NRF52Light(20, isActiveLow: true))
  }
  /// The board has no 32,768 Hz crystal for the chip.
  public static var hasLowFrequencyCrystal: Bool { false }
  /// A lithium-ion cell behind 6.8 MΩ and 10 MΩ on AIN5.
  public static var supply: NRF52SupplyInput {
    NRF52SupplyInput(.pin(5, times: 168, over: 100), empty: 3_300, full: 4_200)
  }
  /// MX25R8035F: 1.65 V and more.
  public static var flashMinimum: UInt32 { 2_000 }
  /// MX25R8035F, 1 MB. WP and RESET have resistors to the supply.
  public static var memory: NRF52Memory {
    NRF52Memory(
      clock: NRF.Pin(port: 1, 9), out: NRF.Pin(5), in: NRF.Pin(4), select: 30, sectors: 256)
  }
  /// The LIS2DE12. The bus has no resistors.
  public static func motion() -> MotionSensor<LIS2DE12<NRF52I2C>> {
    MotionSensor(LIS2DE12(i2c(clock: 11, data: 31), address: 0x19))
  }
}
