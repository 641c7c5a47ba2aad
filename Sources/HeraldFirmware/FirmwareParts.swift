import HeraldDeviceLink

/// What the firmware of a board is made of. A board's package has a protocol that refines this one and makes
/// all but what the firmware is about: `supplier()`, `delegate()` and `configuration()`.
public protocol FirmwareParts: PartFactory where BoardType == Firmware<Hardware> {
  /// The board.
  associatedtype Hardware: FirmwareHardware & ~Copyable
}
