import HeraldEmbedded

// The commands that are about one connection.
extension Link {
  /// Turns a connection away for which there is no place.
  @usableFromInline
  static func refuse(_ handle: ConnectionHandle, into packet: inout CommandPacket) {
    Disconnect(handle, reason: .remoteLowResources).packet(into: &packet)
  }

  /// Writes the next command that is owed. Returns what it is for.
  @usableFromInline
  mutating func planCommand(into packet: inout CommandPacket) -> CommandPurpose {
    switch life {
    case .free, .closed:
      return .none
    case .closing:
      Disconnect(handle).packet(into: &packet)
      return .disconnect
    case .open:
      if wantsKeyRefused {
        LELongTermKeyRequestNegativeReply(handle).packet(into: &packet)
        return .refuseKey
      }
      // The answer that accepts the new timing goes first.
      if wantsUpdate, !control.isOwed {
        LEConnectionUpdate(handle, timing: timing).packet(into: &packet)
        return .updateConnection
      }
      if wantsDataLength {
        LESetDataLength(handle).packet(into: &packet)
        return .dataLength
      }
      guard wantsRSSI else { return .none }
      ReadRSSI(handle).packet(into: &packet)
      return .readRSSI
    }
  }

  /// A command that `planCommand` wrote has left.
  @usableFromInline
  mutating func commandSent(_ purpose: CommandPurpose) {
    switch purpose {
    case .disconnect: life = .closed
    case .refuseKey: wantsKeyRefused = false
    case .updateConnection: wantsUpdate = false
    case .dataLength: wantsDataLength = false
    case .readRSSI: wantsRSSI = false
    default: break
    }
  }
}
