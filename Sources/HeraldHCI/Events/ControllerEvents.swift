import HeraldEmbedded

/// The codes of the events this host reads (Vol 4, Part E, 7.7).
public enum EventCode {
  /// HCI_Disconnection_Complete.
  public static var disconnectionComplete: UInt8 { 0x05 }
  /// HCI_Command_Complete.
  public static var commandComplete: UInt8 { 0x0E }
  /// HCI_Command_Status.
  public static var commandStatus: UInt8 { 0x0F }
  /// HCI_Hardware_Error.
  public static var hardwareError: UInt8 { 0x10 }
  /// HCI_Number_Of_Completed_Packets.
  public static var numberOfCompletedPackets: UInt8 { 0x13 }
  /// HCI_Data_Buffer_Overflow.
  public static var dataBufferOverflow: UInt8 { 0x1A }
  /// HCI_LE_Meta, whose first parameter is a subevent code.
  public static var leMeta: UInt8 { 0x3E }
}

/// The subevents of LE Meta this host reads (7.7.65).
public enum LESubevent {
  /// HCI_LE_Connection_Complete.
  public static var connectionComplete: UInt8 { 0x01 }
  /// HCI_LE_Advertising_Report.
  public static var advertisingReport: UInt8 { 0x02 }
  /// HCI_LE_Connection_Update_Complete.
  public static var connectionUpdateComplete: UInt8 { 0x03 }
  /// HCI_LE_Long_Term_Key_Request.
  public static var longTermKeyRequest: UInt8 { 0x05 }
  /// HCI_LE_Data_Length_Change.
  public static var dataLengthChange: UInt8 { 0x07 }
  /// HCI_LE_Extended_Advertising_Report.
  public static var extendedAdvertisingReport: UInt8 { 0x0D }
  /// HCI_LE_Advertising_Set_Terminated.
  public static var advertisingSetTerminated: UInt8 { 0x12 }
  /// HCI_LE_Channel_Selection_Algorithm.
  public static var channelSelectionAlgorithm: UInt8 { 0x14 }
}

/// HCI_Command_Status (7.7.15), or what HCI_Command_Complete (7.7.14) begins with.
public struct CommandStatus: BitwiseCopyable, Sendable {
  /// Whether the command was accepted, or went well.
  public let status: HCIErrorCode
  /// How many commands the controller takes now.
  public let credits: UInt8
  /// Which command.
  public let opcode: Opcode

  /// Whether the command is complete, and its other return parameters follow.
  public let isComplete: Bool

  /// Reads from the event's parameters; `nil` if they are too short. Both events have the same fields in another order. Every
  /// command this host sends returns a status first; one that does not has failed. The reader is behind it afterwards.
  @inline(never)
  @_lifetime(reader: copy reader)
  public init?(_ reader: inout ByteReader, isComplete: Bool) {
    let first = isComplete ? nil : reader.u8()
    guard let credits = reader.u8(), let opcode = reader.u16() else { return nil }
    status = HCIErrorCode(rawValue: first ?? reader.u8() ?? 0xFF)
    self.credits = credits
    self.opcode = Opcode(opcode)
    self.isComplete = isComplete
  }
}

/// HCI_Disconnection_Complete (7.7.5).
public struct DisconnectionComplete: BitwiseCopyable, Sendable {
  /// Whether it is disconnected.
  public let status: HCIErrorCode
  /// Which connection.
  public let handle: ConnectionHandle
  /// Why.
  public let reason: HCIErrorCode

  /// Reads from the event's parameters; `nil` if they are too short.
  @_lifetime(reader: copy reader)
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.u8(), let handle = reader.u16(), let reason = reader.u8() else { return nil }
    self.status = HCIErrorCode(rawValue: status)
    self.handle = ConnectionHandle(rawValue: handle)
    self.reason = HCIErrorCode(rawValue: reason)
  }
}

/// One entry of HCI_Number_Of_Completed_Packets (7.7.19).
public struct CompletedPackets: BitwiseCopyable, Sendable {
  /// Which connection.
  public let handle: ConnectionHandle
  /// How many of its packets have left the controller since the last report.
  public let count: UInt16

  /// Reads the next entry; `nil` if there is no whole one.
  @_lifetime(reader: copy reader)
  public init?(_ reader: inout ByteReader) {
    guard reader.remaining >= 4, let handle = reader.u16(), let count = reader.u16() else { return nil }
    self.handle = ConnectionHandle(rawValue: handle)
    self.count = count
  }
}

/// HCI_LE_Connection_Complete (7.7.65.1). A controller that has HCI_LE_Enhanced_Connection_Complete sends this one as long as that
/// is masked out, which it is: the private addresses it would add are not resolved here.
public struct LEConnectionComplete: BitwiseCopyable, Sendable {
  /// Whether there is a connection.
  public let status: HCIErrorCode
  /// Its number.
  public let handle: ConnectionHandle
  /// Who opened it.
  public let role: ConnectionRole
  /// The peer's address as it showed it.
  public let peer: DeviceAddress

  /// Reads from behind the subevent code; `nil` if the parameters are too short or the role is none.
  @_lifetime(reader: copy reader)
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.u8(), let handle = reader.u16(), let role = reader.u8(),
      let kind = reader.u8(), let peer = reader.deviceAddress(kind & 1 == 0 ? .public : .random)
    else { return nil }
    self.status = HCIErrorCode(rawValue: status)
    self.handle = ConnectionHandle(rawValue: handle)
    self.peer = peer
    switch role {
    case 0: self.role = .central
    case 1: self.role = .peripheral
    default: return nil
    }
  }
}
