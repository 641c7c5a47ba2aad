/// The record of the device in the folder of a pulled log, stored as `device.json` beside the pages.
public struct DeviceRecord: Codable, Equatable, Sendable {
  /// A time at which both the device's clock and the date are known.
  public struct ClockFix: Codable, Equatable, Sendable {
    /// The source of the date.
    public enum Source: String, Codable, Sendable {
      /// The device, whose clock was set.
      case device
      /// This computer, at the time of the pull, as the device had no date.
      case host
    }
    /// The epoch of the log.
    public var epoch: UInt32
    /// The number of the start-up.
    public var boot: UInt32
    /// Milliseconds since that start-up.
    public var uptimeMilliseconds: UInt64
    /// The date in milliseconds since 1970-01-01T00:00:00Z.
    public var unixMilliseconds: UInt64
    /// The source of the date.
    public var source: Source

    /// Initialises each member.
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

  /// What the device had measured of its current at the last pull, since it started.
  public struct Power: Codable, Equatable, Sendable {
    /// The date of this computer in milliseconds since 1970-01-01T00:00:00Z.
    public var unixMilliseconds: UInt64
    /// The name of the board; empty if the device does not supply it.
    public var board: String
    /// The mean current in microamperes; `nil` if it is not known.
    public var microamperes: Double?
    /// Why it is not known.
    public var notKnown: String?

    /// Initialises each member.
    public init(unixMilliseconds: UInt64, board: String, microamperes: Double?, notKnown: String?) {
      self.unixMilliseconds = unixMilliseconds
      self.board = board
      self.microamperes = microamperes
      self.notKnown = notKnown
    }
  }

  /// What the device said of the sealing of its log at the last pull.
  public struct Sealing: Codable, Equatable, Sendable {
    /// The date of this computer in milliseconds since 1970-01-01T00:00:00Z.
    public var unixMilliseconds: UInt64
    /// Whether its log is sealed.
    public var isSealed: Bool
    /// The owner's public key in hexadecimal, for which it is sealed; `nil` if it is not.
    public var ownerKey: String?

    /// Initialises each member.
    public init(unixMilliseconds: UInt64, isSealed: Bool, ownerKey: String?) {
      self.unixMilliseconds = unixMilliseconds
      self.isSealed = isSealed
      self.ownerKey = ownerKey
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
  /// Its system.
  public var system = ""
  /// The version of its system.
  public var version = ""
  /// The epochs of its log, in the order in which they were first received.
  public var epochs: [UInt32] = []
  /// Uptimes whose date is known, at most one for each start-up.
  public var clocks: [ClockFix] = []
  /// The current of the device; `nil` until a pull has requested it.
  public var power: Power?
  /// Whether the log of the device is sealed; `nil` until a device has said so to a pull.
  public var sealing: Sealing?

  /// Creates an empty record.
  public init() {}

  /// Records `epoch` as the newest one received.
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
