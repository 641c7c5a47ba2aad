import HeraldHAL

/// The operating mode of a device (docs/firmware.md).
public enum StartMode: UInt8, BitwiseCopyable, Sendable {
  case normal = 0
  /// After faults in quick succession: no radio; the log can be read over the management link.
  case safe = 1
  /// After a fault in safe mode: no log either.
  case bare = 2
}

/// The restart cause of a device, for its log and for the management link.
public struct RestartReport: Equatable, BitwiseCopyable, Sendable {
  /// Cause of the restart.
  public var cause: RestartCause
  /// The operating mode since the restart.
  public var mode: StartMode
  /// How many successive starts were caused by faults of short runs, this one included; 0…255.
  public var streak: UInt8
  /// How many starts since power-on were caused by faults.
  public var faults: UInt32
  /// How long the run before this one had lasted, in seconds; 0 if unknown.
  public var lasted: UInt32
  /// The processor state, 0 if unknown: the address of the instruction…
  public var programCounter: UInt32
  /// …the return address…
  public var linkRegister: UInt32
  /// …and the program status register, with the number of the exception in the lowest bits.
  public var programStatus: UInt32
  /// The Configurable Fault Status Register of a Cortex-M4; 0 on a Cortex-M0, which has none.
  public var faultStatus: UInt32
  /// The address whose access caused the fault; 0 if unknown.
  public var faultAddress: UInt32

  /// A start of which only the cause is known.
  public init(cause: RestartCause, mode: StartMode = .normal) {
    self.cause = cause
    self.mode = mode
    streak = 0
    faults = 0
    lasted = 0
    programCounter = 0
    linkRegister = 0
    programStatus = 0
    faultStatus = 0
    faultAddress = 0
  }

  /// Bytes of a report in the log.
  public static var size: Int { 32 }

  /// The report in the first 32 of `bytes` (docs/log-format.md); `nil` if there are fewer, or cause or mode
  /// are unknown.
  public init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard let causeNumber = reader.u8(), let cause = RestartCause(rawValue: causeNumber),
      let modeNumber = reader.u8(), let mode = StartMode(rawValue: modeNumber), let streak = reader.u8(),
      reader.skip(1), let faults = reader.u32(), let lasted = reader.u32(),
      let programCounter = reader.u32(), let linkRegister = reader.u32(), let programStatus = reader.u32(),
      let faultStatus = reader.u32(), let faultAddress = reader.u32()
    else { return nil }
    self.init(cause: cause, mode: mode)
    self.streak = streak
    self.faults = faults
    self.lasted = lasted
    self.programCounter = programCounter
    self.linkRegister = linkRegister
    self.programStatus = programStatus
    self.faultStatus = faultStatus
    self.faultAddress = faultAddress
  }

  /// Writes the 32 bytes of the report to the start of `bytes`; `false` if there is no room.
  public func write(to bytes: inout MutableSpan<UInt8>) -> Bool {
    var writer = ByteWriter(bytes._mutatingExtracting(0...))
    writer.u8(cause.rawValue)
    writer.u8(mode.rawValue)
    writer.u8(streak)
    writer.u8(0)
    writer.u32(faults)
    writer.u32(lasted)
    writer.u32(programCounter)
    writer.u32(linkRegister)
    writer.u32(programStatus)
    writer.u32(faultStatus)
    writer.u32(faultAddress)
    return !writer.overflowed
  }
}
