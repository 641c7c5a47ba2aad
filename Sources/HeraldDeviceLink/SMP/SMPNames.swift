/// A command group: a family of commands.
public struct SMPGroup: RawRepresentable, Hashable, BitwiseCopyable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt16
  /// The group with this number.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Echo, clock, reset, information.
  public static var os: Self { Self(rawValue: 0) }
  /// The program's image and its slots.
  public static var image: Self { Self(rawValue: 1) }
  /// Counters.
  public static var statistics: Self { Self(rawValue: 2) }
  /// Settings, by name.
  public static var settings: Self { Self(rawValue: 3) }
  /// Files.
  public static var file: Self { Self(rawValue: 8) }
  /// Herald's group: the log. The first number free for users is 64.
  public static var herald: Self { Self(rawValue: 72) }
}

/// The commands of group `os`.
public enum OSCommand {
  /// Returns the text of the request.
  public static var echo: UInt8 { 0 }
  /// Reads or sets the clock.
  public static var dateTime: UInt8 { 4 }
  /// Restarts the device.
  public static var reset: UInt8 { 5 }
  /// The maximum length of a packet, and how many can be queued.
  public static var parameters: UInt8 { 6 }
  /// Names and versions of firmware and hardware.
  public static var information: UInt8 { 7 }
  /// The boot loader.
  public static var bootLoader: UInt8 { 8 }
}

/// The commands of group `statistics`.
public enum StatisticsCommand {
  /// The counters of one group.
  public static var read: UInt8 { 0 }
  /// The names of the groups.
  public static var list: UInt8 { 1 }
}

/// The commands of group `settings`. The names are those of `Setting`.
public enum SettingsCommand {
  /// One setting: read, or written and stored.
  public static var value: UInt8 { 0 }
  /// Resets a setting to its default.
  public static var delete: UInt8 { 1 }
  /// Applies written values; no effect, as they are applied when written.
  public static var commit: UInt8 { 2 }
  /// Loads or saves all of them; no effect, as they are stored when written.
  public static var loadSave: UInt8 { 3 }
}

/// The commands of group `file`.
public enum FileCommand {
  /// A part of a file, from the device (read) or to it (write).
  public static var transfer: UInt8 { 0 }
}

/// The names of files.
public enum FileName {
  /// The payload to offer: written, and never read.
  public static var payload: StaticString { "/payload" }
}

/// The commands of group `herald` (docs/wire-formats.md).
public enum HeraldCommand {
  /// The status of the log (read), also after a commit (write).
  public static var logStatus: UInt8 { 0 }
  /// Bytes of a page of the log.
  public static var logRead: UInt8 { 1 }
  /// The restart report.
  public static var restart: UInt8 { 2 }
  /// Erases everything (write), and the progress (read).
  public static var factoryReset: UInt8 { 3 }
  /// The host has a page of the log on its disk.
  public static var acknowledge: UInt8 { 4 }
  /// The parameters of a session (read), and its start (write).
  public static var access: UInt8 { 5 }
  /// The events since the last request.
  public static var live: UInt8 { 6 }
  /// The payload that is offered, and until when.
  public static var payload: UInt8 { 7 }
  /// Bytes of the log, across the ends of its pages.
  public static var logStream: UInt8 { 8 }
  /// Ends the session.
  public static var close: UInt8 { 9 }
  /// How far a host is with the collection of the log, for the light.
  public static var signal: UInt8 { 10 }
}
