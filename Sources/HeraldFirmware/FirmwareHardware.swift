import HeraldDeviceLink
import HeraldHAL

/// What the loop needs of a board.
public protocol FirmwareHardware: Processor, ~Copyable {
  /// The memory of what the device keeps beside its log.
  associatedtype SettingsFlash: Flash & ~Copyable
  /// Pulls the controller's reset line, or lets it go. A board without that line does nothing.
  mutating func holdController(_ isHeld: Bool)
  /// Whether there is such a line.
  static var hasControllerReset: Bool { get }
  /// Bytes of stack that have been used since start-up, at the most.
  mutating func stackUsed() -> UInt32
  /// How often bytes from the controller were lost because nobody took them in time.
  mutating func overruns() -> UInt32
  /// Writes what there is to say about `field` to the start of `text`, in ASCII, and returns its length: 0 if
  /// there is nothing to say or too little room.
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int
}

extension FirmwareHardware where Self: ~Copyable {
  public mutating func holdController(_ isHeld: Bool) {}
  public static var hasControllerReset: Bool { false }
}
