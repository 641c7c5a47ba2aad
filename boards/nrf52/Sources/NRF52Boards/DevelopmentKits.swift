import HeraldChips

/// The properties that Nordic's development kits have in common.
public protocol NRF52DevelopmentKit: NRF52Kit, NRF52LogInChip {}

extension NRF52DevelopmentKit {
  /// LED1.
  public static var awakeLight: NRF52Light? { NRF52Light(13, isActiveLow: true) }
  /// LED2.
  public static var readyLight: NRF52Light? { NRF52Light(14, isActiveLow: true) }
  /// LED3.
  public static var statusLight: NRF52Light? { NRF52Light(15, isActiveLow: true) }
  /// Button 1.
  public static var button: NRF.Pin? { NRF.Pin(11) }
  /// The reset button.
  public static var resetPin: UInt8? { 18 }
  /// The kits have the inductor.
  public static var hasDCDC: Bool { true }
  /// Configures the pins of the header.
  public static func configurePins() { Pins.configure() }
}

/// The nRF52833 DK (PCA10100).
public enum NRF52833DK: NRF52DevelopmentKit {
  /// The chip of the kit.
  public static var chip: USBDChip { .nRF52833 }
  /// The name of the board for `script/build`.
  public static var identifier: StaticString { "nrf52833dk" }
}

/// The nRF52840 DK (PCA10056).
public enum NRF52840DK: NRF52DevelopmentKit {
  /// The chip of the kit.
  public static var chip: USBDChip { .nRF52840 }
  /// The name of the board for `script/build`.
  public static var identifier: StaticString { "nrf52840dk" }
}
