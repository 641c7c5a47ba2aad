// Commands without parameters, by name. Those with parameters carry their opcode in their type.
extension Opcode {
  /// HCI_Reset (7.3.2).
  @inlinable public static var reset: Opcode { Opcode(0x0C03) }
  /// HCI_Read_Local_Version_Information (7.4.1).
  @inlinable public static var readLocalVersion: Opcode { Opcode(0x1001) }
  /// HCI_Read_Local_Supported_Commands (7.4.2).
  @inlinable public static var readSupportedCommands: Opcode { Opcode(0x1002) }
  /// HCI_Read_Local_Supported_Features (7.4.3).
  @inlinable public static var readLocalFeatures: Opcode { Opcode(0x1003) }
  /// HCI_Read_Buffer_Size (7.4.5).
  @inlinable public static var readBufferSize: Opcode { Opcode(0x1005) }
  /// HCI_Read_BD_ADDR (7.4.6).
  @inlinable public static var readAddress: Opcode { Opcode(0x1009) }
  /// HCI_LE_Read_Buffer_Size [v1] (7.8.2).
  @inlinable public static var leReadBufferSize: Opcode { Opcode(0x2002) }
  /// HCI_LE_Read_Local_Supported_Features (7.8.3).
  @inlinable public static var leReadFeatures: Opcode { Opcode(0x2003) }
  /// HCI_LE_Create_Connection_Cancel (7.8.13).
  @inlinable public static var leCreateConnectionCancel: Opcode { Opcode(0x200E) }
  /// HCI_LE_Read_Supported_States (7.8.27).
  @inlinable public static var leReadStates: Opcode { Opcode(0x201C) }
}
