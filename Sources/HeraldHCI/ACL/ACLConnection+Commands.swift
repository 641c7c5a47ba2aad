import HeraldBluetooth

// The commands that are about one connection.
extension ACLConnection {
  /// The next pending command.
  mutating func planCommand() -> CommandPurpose {
    switch life {
    case .free, .closed, .due: return .none
    case .closing: return .disconnect
    case .open:
      if wantsKeyRefused { return .refuseKey }
      // The response that accepts the new timing is sent first.
      if l2cap.wantsUpdate, !l2cap.control.isOwed { return .updateConnection }
      if wantsDataLength { return .dataLength }
      return wantsRSSI ? .readRSSI : .none
    }
  }

  /// Writes the command that `planCommand` chose.
  mutating func write(_ purpose: CommandPurpose, into packet: inout CommandPacket) {
    Self.write(purpose, handle, .remoteUserTerminated, l2cap.timing, into: &packet)
  }

  /// Disconnects a connection for which there is no slot.
  static func refuse(_ handle: ConnectionHandle, into packet: inout CommandPacket) {
    let none = ConnectionTiming(intervalMin: 0, intervalMax: 0, latency: 0, timeout: 0)
    write(.disconnect, handle, .remoteLowResources, none, into: &packet)
  }

  @inline(never)
  private static func write(
    _ purpose: CommandPurpose, _ handle: ConnectionHandle, _ reason: HCIErrorCode, _ timing: ConnectionTiming,
    into packet: inout CommandPacket
  ) {
    var fields = CommandFields()
    fields[CommandFields.Word.handle] = handle.rawValue
    fields[CommandFields.Word.detail] = UInt16(reason.rawValue)
    fields.set(timing)
    packet.fill(purpose.form(isExtended: false), &fields)
  }

  /// A command that `planCommand` chose was sent.
  mutating func commandSent(_ purpose: CommandPurpose) {
    switch purpose {
    case .disconnect: life = .closed
    case .refuseKey: wantsKeyRefused = false
    case .updateConnection: l2cap.wantsUpdate = false
    case .dataLength: wantsDataLength = false
    case .readRSSI: wantsRSSI = false
    default: break
    }
  }
}
