import HeraldEmbedded

/// Which requests are served without a session (docs/security.md).
enum AccessRules {
  /// Why a request that is not sealed is refused; `nil` if it is served.
  @inline(never)
  static func refusal<Device: ManagedDevice & ~Copyable>(
    _ header: SMPHeader, device: inout Device
  ) -> SMPFailure? {
    guard needsKey(header) else { return nil }
    if device.hasAccessKey() { return .locked }
    return tellsLog(header) && device.inEffect(.stayOpen) == 0 ? .inSetUp : nil
  }

  /// Whether a request needs a session where there is an access key. What is not named here does.
  private static func needsKey(_ header: SMPHeader) -> Bool {
    let open: UInt32
    switch header.group {
    case .os:
      open =
        reading(OSCommand.echo) | writing(OSCommand.echo) | reading(OSCommand.dateTime)
        | reading(OSCommand.parameters) | reading(OSCommand.information)
    case .statistics: open = reading(StatisticsCommand.read) | reading(StatisticsCommand.list)
    // Whoever holds the device can erase it: a key that was lost makes no device useless, and what it had seen is gone.
    case .herald:
      open =
        reading(HeraldCommand.logStatus) | reading(HeraldCommand.restart)
        | reading(HeraldCommand.factoryReset) | writing(HeraldCommand.factoryReset)
        | reading(HeraldCommand.access) | writing(HeraldCommand.access)
    // The state of the image slots, and how much they hold.
    case .image: open = reading(ImageCommand.state) | reading(ImageCommand.slotInfo)
    default: open = 0
    }
    return open & asked(header) == 0
  }

  /// Whether a request reads records of the log or live events, has the log committed, or has it erased: what a device does not serve while it is set up.
  private static func tellsLog(_ header: SMPHeader) -> Bool {
    let log: UInt32
    switch header.group {
    case .file: log = ~writing(FileCommand.transfer)
    case .herald:
      log =
        reading(HeraldCommand.logRead) | reading(HeraldCommand.logStream) | reading(HeraldCommand.live)
        | writing(HeraldCommand.logStatus) | writing(HeraldCommand.acknowledge)
    default: log = 0
    }
    return log & asked(header) != 0
  }

  private static func asked(_ header: SMPHeader) -> UInt32 {
    header.operation == .read ? reading(header.command) : writing(header.command)
  }

  /// The bit of a command that is read; none of those above 15.
  @inline(__always)
  private static func reading(_ command: UInt8) -> UInt32 { command < 16 ? 1 &<< UInt32(command) : 0 }

  /// The bit of a command that is written, likewise.
  @inline(__always)
  private static func writing(_ command: UInt8) -> UInt32 { reading(command) &<< 16 }
}
