/// A command group: what a family of commands is about.
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
  /// What a device is set to, by name.
  public static var settings: Self { Self(rawValue: 3) }
  /// Files.
  public static var file: Self { Self(rawValue: 8) }
  /// Herald's own: the log. The first number free for users is 64.
  public static var herald: Self { Self(rawValue: 72) }
}

/// The commands of group `os`.
public enum OSCommand {
  /// Returns the text it is given.
  public static var echo: UInt8 { 0 }
  /// Reads or sets the clock.
  public static var dateTime: UInt8 { 4 }
  /// Restarts the device.
  public static var reset: UInt8 { 5 }
  /// How long a packet may be, and how many may wait.
  public static var parameters: UInt8 { 6 }
  /// What is running on what.
  public static var information: UInt8 { 7 }
  /// What started it.
  public static var bootLoader: UInt8 { 8 }
}

/// The commands of group `statistics`.
public enum StatisticsCommand {
  /// The counters of one group.
  public static var read: UInt8 { 0 }
  /// The names of the groups.
  public static var list: UInt8 { 1 }
}

/// The commands of group `settings`. The names it knows are those of `Setting`.
public enum SettingsCommand {
  /// One setting: read, or written and kept.
  public static var value: UInt8 { 0 }
  /// Sets one back to what applies while nobody has set it.
  public static var delete: UInt8 { 1 }
  /// Applies what was written, which has been done by then.
  public static var commit: UInt8 { 2 }
  /// Loads or saves all of them, which has been done by then.
  public static var loadSave: UInt8 { 3 }
}

/// The commands of group `file`.
public enum FileCommand {
  /// A part of a file, from the device (read) or to it (write).
  public static var transfer: UInt8 { 0 }
}

/// The names of files.
public enum FileName {
  /// The payload the device is to offer: written, and never read.
  public static var payload: StaticString { "/payload" }
}

/// The commands of group `herald` (docs/wire-formats.md).
public enum HeraldCommand {
  /// Where the log stands.
  public static var logStatus: UInt8 { 0 }
  /// Bytes of a page of the log.
  public static var logRead: UInt8 { 1 }
  /// Why the device started.
  public static var restart: UInt8 { 2 }
  /// Erases everything (write), and how far that is (read).
  public static var factoryReset: UInt8 { 3 }
  /// The host has pages of the log on its disk.
  public static var acknowledge: UInt8 { 4 }
  /// What is needed to be let in (read), and being let in (write).
  public static var access: UInt8 { 5 }
  /// What happened since the last ask.
  public static var live: UInt8 { 6 }
  /// Which payload is offered, and until when.
  public static var payload: UInt8 { 7 }
  /// Bytes of the log, across the ends of its pages.
  public static var logStream: UInt8 { 8 }
}

/// The keys of the CBOR maps.
public enum SMPKey {
  /// Version 1 errors, and those of the protocol itself in version 2: a return code.
  public static var returnCode: StaticString { "rc" }
  /// Version 2 errors of a group: a map of `group` and `returnCode`.
  public static var error: StaticString { "err" }
  /// Whose error it is.
  public static var group: StaticString { "group" }
  /// Echo, request.
  public static var echo: StaticString { "d" }
  /// Echo, response.
  public static var echoed: StaticString { "r" }
  /// Clock.
  public static var dateTime: StaticString { "datetime" }
  /// Parameters: bytes in the longest packet, header included.
  public static var bufferSize: StaticString { "buf_size" }
  /// Parameters: packets that may wait.
  public static var bufferCount: StaticString { "buf_count" }
  /// Reset: whether to do it in any case.
  public static var force: StaticString { "force" }
  /// Boot loader, request: what else is asked.
  public static var query: StaticString { "query" }
  /// Boot loader, response: its name.
  public static var bootLoader: StaticString { "bootloader" }
  /// Information, request: which fields.
  public static var format: StaticString { "format" }
  /// Information, response: their text.
  public static var output: StaticString { "output" }
  /// Settings: the value.
  public static var value: StaticString { "val" }
  /// Statistics: the group. Settings: which.
  public static var name: StaticString { "name" }
  /// Statistics: its counters.
  public static var fields: StaticString { "fields" }
  /// Statistics: the groups.
  public static var statisticsList: StaticString { "stat_list" }
  /// Log status: a number that changes when the log is erased.
  public static var epoch: StaticString { "epoch" }
  /// Log status: the oldest page.
  public static var first: StaticString { "first" }
  /// Log status: the newest page, which still grows.
  public static var last: StaticString { "last" }
  /// Log status: readable bytes of the newest page. Access: whether requests are served.
  public static var open: StaticString { "open" }
  /// Log status: bytes of a page.
  public static var page: StaticString { "page" }
  /// Log status: how often the device has started.
  public static var boot: StaticString { "boot" }
  /// Log status: for how many days records are kept; 0 for as long as there is room.
  public static var keep: StaticString { "keep" }
  /// Log status: milliseconds since start-up.
  public static var now: StaticString { "now" }
  /// Log status: milliseconds since 1970, absent before the clock is set.
  public static var unix: StaticString { "unix" }
  /// Restart: why, by the numbers of `RestartCause`.
  public static var cause: StaticString { "cause" }
  /// Restart: how much of the device works, by the numbers of `StartMode`.
  public static var mode: StaticString { "mode" }
  /// Restart: starts in a row brought about by faults.
  public static var streak: StaticString { "streak" }
  /// Restart: starts brought about by faults since power came on.
  public static var faults: StaticString { "faults" }
  /// Restart: seconds that the run before had lasted.
  public static var lasted: StaticString { "lasted" }
  /// Restart: the program counter, where the cause is a fault of the program.
  public static var programCounter: StaticString { "pc" }
  /// Restart: the link register, with `programCounter`.
  public static var linkRegister: StaticString { "lr" }
  /// Restart: the program status register, with `programCounter`.
  public static var programStatus: StaticString { "psr" }
  /// Restart: the fault status register, with `programCounter`.
  public static var faultStatus: StaticString { "cfsr" }
  /// Restart: the address whose use was the fault, with `programCounter`.
  public static var faultAddress: StaticString { "far" }
  /// Factory reset: erasures done.
  public static var done: StaticString { "done" }
  /// Factory reset: all of them; 0 while there is none.
  public static var total: StaticString { "of" }
  /// Factory reset: those that failed.
  public static var failed: StaticString { "bad" }
  /// Log read: the page.
  public static var sequence: StaticString { "seq" }
  /// Log read: the first byte in it.
  public static var offset: StaticString { "off" }
  /// Log read: most bytes wanted (request); readable bytes of the page (response).
  public static var length: StaticString { "len" }
  /// Acknowledgement: the last page of it.
  public static var through: StaticString { "to" }
  /// Live: what happened.
  public static var events: StaticString { "events" }
  /// Live: how many events there was no room for.
  public static var lost: StaticString { "lost" }
  /// Log read and stream: the bytes.
  public static var data: StaticString { "data" }
  /// Access: whether there is a key.
  public static var isSet: StaticString { "set" }
  /// Access: what the next proof is to be made of.
  public static var nonce: StaticString { "nonce" }
  /// Access: milliseconds until a proof is looked at.
  public static var wait: StaticString { "wait" }
  /// Access: that the key is known.
  public static var proof: StaticString { "proof" }
  /// Payload: what kind of payload it is.
  public static var family: StaticString { "family" }
  /// Payload: when the last day of its keys is over, in seconds since 1970.
  public static var until: StaticString { "until" }
  /// Payload: for how many days it is offered, today included.
  public static var days: StaticString { "days" }
}
