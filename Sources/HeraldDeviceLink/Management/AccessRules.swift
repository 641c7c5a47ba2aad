import HeraldEmbedded

/// The requests that are served without a session (docs/security.md).
enum AccessRules {
  /// The error if an unsealed request is refused; `nil` if it is served. On a link that `isRemote` a device
  /// without an access key serves no more than one with a key, and a factory reset needs a session.
  @inline(never)
  static func refusal<Device: ManagedDevice & ~Copyable>(
    _ header: SMPHeader, _ isRemote: Bool, device: inout Device
  ) -> SMPFailure? {
    let command: UInt32 = header.command < 16 ? 1 &<< UInt32(header.command) : 0
    let asked = header.operation == .read ? command : command &<< 16
    // The requests served without a session on a device with an access key. All others need one.
    var open: UInt32 = 0
    // Requests that read records of the log or live events, commit the log, or erase it: a device that is not
    // set up yet does not serve them.
    var log: UInt32 = 0
    switch header.group {
    case .os:
      open =
        reading(OSCommand.echo) | writing(OSCommand.echo) | reading(OSCommand.dateTime)
        | reading(OSCommand.parameters) | reading(OSCommand.information)
    case .statistics: open = reading(StatisticsCommand.read) | reading(StatisticsCommand.list)
    // Physical access allows erasure: a lost key does not make a device unusable, and its data is erased. A
    // device with a button requires it for this (`takeResetPermission`).
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
    if isRemote, header.group == .herald { open &= ~writing(HeraldCommand.factoryReset) }
    if open & asked != 0 { return nil }
    if isRemote || device.hasAccessKey() { return .locked }
    return log & asked != 0 && device.inEffect(.stayOpen) == 0 ? .inSetUp : nil
  }

  /// The bit of a command that is read.
  @inline(__always)
  private static func reading(_ command: UInt8) -> UInt32 { 1 &<< UInt32(command) }

  /// The bit of a command that is written.
  @inline(__always)
  private static func writing(_ command: UInt8) -> UInt32 { reading(command) &<< 16 }
}
