import HeraldEmbedded

// The commands that are about one connection.
extension Link {
  /// HCI_Disconnect's opcode.
  @usableFromInline static var disconnectOpcode: Opcode { Disconnect.opcode }

  /// Turns a connection away for which there is no place.
  @usableFromInline
  static func refuse(_ handle: ConnectionHandle, into buffer: inout MutableSpan<UInt8>) -> Int {
    Disconnect(handle, reason: .remoteLowResources).packet(into: buffer._mutatingExtracting(0..<buffer.count))
  }

  /// The next command that is owed, 0 for none.
  @usableFromInline
  mutating func planCommand(into buffer: inout MutableSpan<UInt8>) -> Int {
    let packet = buffer._mutatingExtracting(0..<buffer.count)
    switch life {
    case .free, .closed:
      return 0
    case .closing:
      return Disconnect(handle).packet(into: packet)
    case .open:
      if wantsKeyRefused { return LELongTermKeyRequestNegativeReply(handle).packet(into: packet) }
      // The answer that accepts the new timing goes first.
      if wantsUpdate, controlCount == 0 {
        return LEConnectionUpdate(handle, timing: timing).packet(into: packet)
      }
      if wantsDataLength { return LESetDataLength(handle).packet(into: packet) }
      return wantsRSSI ? ReadRSSI(handle).packet(into: packet) : 0
    }
  }

  /// A command that `planCommand` wrote has left.
  @usableFromInline
  mutating func commandSent(_ opcode: Opcode) {
    switch opcode {
    case Disconnect.opcode: life = .closed
    case LELongTermKeyRequestNegativeReply.opcode: wantsKeyRefused = false
    case LEConnectionUpdate.opcode: wantsUpdate = false
    case LESetDataLength.opcode: wantsDataLength = false
    case ReadRSSI.opcode: wantsRSSI = false
    default: break
    }
  }
}
