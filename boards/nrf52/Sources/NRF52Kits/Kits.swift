import HeraldChips

/// The nRF52833 DK (PCA10100).
public enum NRF52833DK: NRF52Kit {
  /// The chip of the kit.
  public static var chip: USBDChip { .nRF52833 }
  /// The name of the board for `script/build`.
  public static var identifier: StaticString { "nrf52833dk" }
}

/// The nRF52840 DK (PCA10056).
public enum NRF52840DK: NRF52Kit {
  /// The chip of the kit.
  public static var chip: USBDChip { .nRF52840 }
  /// The name of the board for `script/build`.
  public static var identifier: StaticString { "nrf52840dk" }
}
