import HeraldBluetooth

/// The codes of the events that this host processes (Vol 4, Part E, 7.7).
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

/// The subevents of LE Meta that this host processes (7.7.65).
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
  /// The status: whether the command was accepted, or succeeded.
  public let status: HCIErrorCode
  /// How many commands the controller accepts now (Num_HCI_Command_Packets).
  public let credits: UInt8
  /// The opcode of the command.
  public let opcode: Opcode

  /// Whether the command is complete, and its other return parameters follow.
  public let isComplete: Bool

  /// Reads from the event's parameters; `nil` if they are too short. Both events have the same fields in
  /// another order. Every command this host sends returns a status first; one without a status has failed.
  @inline(never)
  public init?(_ bytes: Span<UInt8>, isComplete: Bool) {
    guard bytes.count >= (isComplete ? 3 : 4) else { return nil }
    if isComplete {
      credits = bytes[unchecked: 0]
      opcode = Opcode(bytes.u16(unchecked: 1))
      status = HCIErrorCode(rawValue: bytes.count > 3 ? bytes[unchecked: 3] : 0xFF)
    } else {
      status = HCIErrorCode(rawValue: bytes[unchecked: 0])
      credits = bytes[unchecked: 1]
      opcode = Opcode(bytes.u16(unchecked: 2))
    }
    self.isComplete = isComplete
  }
}

/// HCI_Disconnection_Complete (7.7.5).
public struct DisconnectionComplete: BitwiseCopyable, Sendable {
  /// The status of the disconnection.
  public let status: HCIErrorCode
  /// The connection.
  public let handle: ConnectionHandle
  /// The reason.
  public let reason: HCIErrorCode

  /// Reads from the event's parameters; `nil` if they are too short.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= 4 else { return nil }
    status = HCIErrorCode(rawValue: bytes[unchecked: 0])
    handle = ConnectionHandle(rawValue: bytes.u16(unchecked: 1))
    reason = HCIErrorCode(rawValue: bytes[unchecked: 3])
  }
}

/// One entry of HCI_Number_Of_Completed_Packets (7.7.19).
public struct CompletedPackets: BitwiseCopyable, Sendable {
  /// The connection.
  public let handle: ConnectionHandle
  /// How many of its packets were completed since the last report.
  public let count: UInt16

  /// Reads entry number `index` of the event's parameters; `nil` if there is none.
  public init?(_ bytes: Span<UInt8>, _ index: Int) {
    let start = 1 &+ 4 &* index
    guard index >= 0, bytes.count >= start &+ 4 else { return nil }
    handle = ConnectionHandle(rawValue: bytes.u16(unchecked: start))
    count = bytes.u16(unchecked: start &+ 2)
  }
}

/// HCI_LE_Connection_Complete (7.7.65.1). A controller that has HCI_LE_Enhanced_Connection_Complete sends
/// this one as long as that is masked out, which it is: the private addresses it would add are not resolved
/// here.
public struct LEConnectionComplete: BitwiseCopyable, Sendable {
  /// The status: whether a connection was opened.
  public let status: HCIErrorCode
  /// The connection's handle.
  public let handle: ConnectionHandle
  /// The role of this host.
  public let role: ConnectionRole
  /// The peer's address as it was on the air.
  public let peer: DeviceAddress

  /// Reads the event's parameters, of which the first is the subevent code; `nil` if they are too short or
  /// the role is invalid.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= 12, let role = ConnectionRole(rawValue: bytes[unchecked: 4]) else { return nil }
    status = HCIErrorCode(rawValue: bytes[unchecked: 1])
    handle = ConnectionHandle(rawValue: bytes.u16(unchecked: 2))
    self.role = role
    peer = .unchecked(bytes, 6, type: bytes[unchecked: 5])
  }
}

extension Span where Element == UInt8 {
  /// Two bytes, little-endian, which the caller has checked to exist.
  func u16(unchecked offset: Int) -> UInt16 {
    UInt16(self[unchecked: offset]) | UInt16(self[unchecked: offset &+ 1]) &<< 8
  }
}
