import HeraldDeviceLink
import HeraldHAL

/// The requirements of the loop on a board.
public protocol FirmwareHardware: Processor, ~Copyable {
  /// The flash of the device's settings.
  associatedtype SettingsFlash: Flash & ~Copyable
  /// Whether the board can start a boot loader.
  static var entersBootLoader: Bool { get }
  /// Resets the chip into the boot loader. Does not return on a chip. No effect on a board without one.
  mutating func enterBootLoader()
  /// The board's button, light and cable.
  associatedtype PanelType: Panel & ~Copyable = NoPanel
  /// Asserts or releases the controller's reset line. No effect on a board without that line.
  mutating func holdController(_ isHeld: Bool)
  /// Whether the board has that line.
  static var hasControllerReset: Bool { get }
  /// The maximum stack usage since start-up in bytes.
  mutating func stackUsed() -> UInt32
  /// The number of overruns: losses of bytes from the controller because the buffer was full.
  mutating func overruns() -> UInt32
  /// Writes the value of `field` to the start of `text`, in ASCII, and returns its length: 0 if there is none
  /// or it does not fit.
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int
  /// Whether a debugger can read the memory of the chip.
  mutating func debugPort() -> DebugPortState
}

extension FirmwareHardware where Self: ~Copyable {
  public static var entersBootLoader: Bool { false }
  public mutating func enterBootLoader() {}
  public mutating func holdController(_ isHeld: Bool) {}
  public static var hasControllerReset: Bool { false }
  /// The board does not know it.
  @inline(__always)
  public mutating func debugPort() -> DebugPortState { .notKnown }
}
