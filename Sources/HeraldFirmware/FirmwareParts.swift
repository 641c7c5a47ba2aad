import HeraldDeviceLink

/// The parts of a board's firmware. A board's package has a protocol that refines this one and supplies all
/// except the application's parts: `supplier()`, `delegate()` and `configuration()`.
public protocol FirmwareParts: PartFactory where BoardType == Firmware<Hardware> {
  /// The board.
  associatedtype Hardware: FirmwareHardware & ~Copyable
}
