import HeraldEmbedded

/// Which requests are served without a session (docs/security.md).
enum AccessRules {
  /// Why a request that is not sealed is refused; `nil` if it is served.
  @inline(never)
  static func refusal<Device: ManagedDevice & ~Copyable>(
    _ header: SMPHeader, device: inout Device
  ) -> SMPFailure? {
    let command: UInt32 = header.command < 16 ? 1 &<< UInt32(header.command) : 0
    let asked = header.operation == .read ? command : command &<< 16
    // What is served without a session where there is an access key. What is not named here needs one.
    var open: UInt32 = 0
    // What reads records of the log or live events, has the log committed, or has it erased: a device that is
    // being set up does not serve it.
    var log: UInt32 = 0
    switch header.group {
    case .os:
      open =
        reading(OSCommand.echo) | writing(OSCommand.echo) | reading(OSCommand.dateTime)
        | reading(OSCommand.parameters) | reading(OSCommand.information)
    case .statistics: open = reading(StatisticsCommand.read) | reading(StatisticsCommand.list)
    // Physical access allows erasure: a key that was lost makes no device useless, and what it had seen is
    // gone.
    case .herald:
      open =
        reading(HeraldCommand.logStatus) | reading(HeraldCommand.restart)
        | reading(HeraldCommand.factoryReset) | writing(HeraldCommand.factoryReset)
        | reading(HeraldCommand.access) | writing(HeraldCommand.access)
      log =
        reading(HeraldCommand.logRead) | reading(HeraldCommand.logStream) | reading(HeraldCommand.live)
        | writing(HeraldCommand.logStatus) | writing(HeraldCommand.acknowledge)
    // The state of the image slots, and how much they hold.
    case .image: open = reading(ImageCommand.state) | reading(ImageCommand.slotInfo)
    case .file: log = ~writing(FileCommand.transfer)
    default: break
    }
    if open & asked != 0 { return nil }
    if device.hasAccessKey() { return .locked }
    return log & asked != 0 && device.inEffect(.stayOpen) == 0 ? .inSetUp : nil
  }

  /// The bit of a command that is read.
  @inline(__always)
  private static func reading(_ command: UInt8) -> UInt32 { 1 &<< UInt32(command) }

  /// The bit of a command that is written.
  @inline(__always)
  private static func writing(_ command: UInt8) -> UInt32 { reading(command) &<< 16 }
}
