import HeraldDeviceLink
import HeraldHAL

/// The requirements of the loop on a board.
public protocol FirmwareHardware: Processor, ~Copyable {
  /// The flash of the device's settings.
  associatedtype SettingsFlash: Flash & ~Copyable
  /// Asserts or releases the controller's reset line. No effect on a board without that line.
  mutating func holdController(_ isHeld: Bool)
  /// Whether there is such a line.
  static var hasControllerReset: Bool { get }
  /// Bytes of stack that have been used since start-up, at the most.
  mutating func stackUsed() -> UInt32
  /// Number of overruns: bytes of the controller that were lost because the buffer was full.
  mutating func overruns() -> UInt32
  /// Writes the value of `field` to the start of `text`, in ASCII, and returns its length: 0 if there is none
  /// or it does not fit.
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int
}

extension FirmwareHardware where Self: ~Copyable {
  public mutating func holdController(_ isHeld: Bool) {}
  public static var hasControllerReset: Bool { false }
}
