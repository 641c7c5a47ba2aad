/// Which requests are served to whoever asks, and which only to who has the access key, once there is one (docs/security.md).
enum AccessRules {
  /// Whether a request needs the key. What is not named here does.
  static func needsKey(_ header: SMPHeader) -> Bool {
    let isRead = header.operation == .read
    switch (header.group, header.command) {
    case (.os, OSCommand.echo): return false
    case (.os, OSCommand.dateTime), (.os, OSCommand.parameters), (.os, OSCommand.information): return !isRead
    case (.statistics, StatisticsCommand.read), (.statistics, StatisticsCommand.list): return !isRead
    case (.herald, HeraldCommand.logStatus), (.herald, HeraldCommand.restart): return !isRead
    // Whoever holds the device can erase it: a key that was lost makes no device useless, and what it had seen is gone.
    case (.herald, HeraldCommand.factoryReset), (.herald, HeraldCommand.access): return false
    // The state of the image slots, and how much they hold.
    case (.image, ImageCommand.state), (.image, ImageCommand.slotInfo): return !isRead
    default: return true
    }
  }
}
