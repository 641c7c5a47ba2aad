/// The record of the device in the folder of a pulled log, stored as `device.json` beside the pages.
public struct DeviceRecord: Codable, Equatable, Sendable {
  /// A moment of which both the device's clock and the date are known.
  public struct ClockFix: Codable, Equatable, Sendable {
    /// The source of the date.
    public enum Source: String, Codable, Sendable {
      /// The device: its clock was set.
      case device
      /// This computer, at the time of the pull: the device had no date.
      case host
    }
    /// The epoch of the log.
    public var epoch: UInt32
    /// The number of the start-up.
    public var boot: UInt32
    /// Milliseconds since that start-up.
    public var uptimeMilliseconds: UInt64
    /// Milliseconds since 1970-01-01T00:00:00Z at that moment.
    public var unixMilliseconds: UInt64
    /// The source of the date.
    public var source: Source

    /// A fix from its parts.
    public init(
      epoch: UInt32, boot: UInt32, uptimeMilliseconds: UInt64, unixMilliseconds: UInt64, source: Source
    ) {
      self.epoch = epoch
      self.boot = boot
      self.uptimeMilliseconds = uptimeMilliseconds
      self.unixMilliseconds = unixMilliseconds
      self.source = source
    }
  }

  /// The version of the file format.
  public var format = 1
  /// The device's serial number; empty where the link does not supply one.
  public var serial = ""
  /// The unique identifier of the device, as 16 hexadecimal digits: the folder is bound to it. `nil` until a
  /// device has reported it.
  public var id: String?
  /// Its name.
  public var name = ""
  /// The system it runs.
  public var system = ""
  /// The version of that.
  public var version = ""
  /// Epochs of its log, in the order they were first seen here.
  public var epochs: [UInt32] = []
  /// Uptimes whose date is known, at most one for each start-up.
  public var clocks: [ClockFix] = []

  /// An empty record.
  public init() {}

  /// Stores `epoch` as the newest one seen.
  public mutating func note(epoch: UInt32) {
    if !epochs.contains(epoch) { epochs.append(epoch) }
  }

  /// Stores a moment. A date of the device is never replaced by one of this computer, and the first date of
  /// this computer for a start stays, so that a second pull dates its records as the first did.
  public mutating func note(_ fix: ClockFix) {
    guard let index = clocks.firstIndex(where: { $0.epoch == fix.epoch && $0.boot == fix.boot }) else {
      clocks.append(fix)
      return
    }
    if fix.source == .device { clocks[index] = fix }
  }
}
