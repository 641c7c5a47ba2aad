/// Which requests are served to whoever asks, and which only to who has the access key, once there is one (docs/security.md).
enum AccessRules {
  /// Whether a request needs the key. What is not named here does.
  static func needsKey(_ header: SMPHeader) -> Bool {
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
    let asked = header.operation == .read ? reading(header.command) : writing(header.command)
    return open & asked == 0
  }

  /// The bit of a command that is read; none of those above 15.
  @inline(__always)
  private static func reading(_ command: UInt8) -> UInt32 { command < 16 ? 1 &<< UInt32(command) : 0 }

  /// The bit of a command that is written, likewise.
  @inline(__always)
  private static func writing(_ command: UInt8) -> UInt32 { reading(command) &<< 16 }
}
