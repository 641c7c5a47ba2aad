import HeraldEmbedded

/// HCI_Set_Event_Mask (7.3.1): which events the controller may send.
public struct SetEventMask: HCICommand {
  /// 0x0C01.
  public static var opcode: Opcode { Opcode(0x0C01) }
  /// Bits 0…31 of the mask.
  public let low: UInt32
  /// Bits 32…63 of the mask.
  public let high: UInt32

  /// What this host reads: Disconnection Complete (bit 4), Hardware Error (15), Data Buffer Overflow (25) and LE Meta
  /// (61). Command Complete, Command Status and Number Of Completed Packets cannot be masked.
  public static var host: SetEventMask { SetEventMask(low: 0x0200_8010, high: 0x2000_0000) }

  /// The mask's two halves.
  public init(low: UInt32, high: UInt32) {
    self.low = low
    self.high = high
  }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u32(low)
    packet.u32(high)
  }
}

/// HCI_LE_Set_Event_Mask (7.8.1): which subevents of LE Meta the controller may send.
public struct LESetEventMask: HCICommand {
  /// 0x2001.
  public static var opcode: Opcode { Opcode(0x2001) }
  /// Bits 0…31 of the mask; the rest is zero.
  public let low: UInt32

  /// What this host reads: Connection Complete (bit 0), Advertising Report (1), Long Term Key Request (4).
  public static var legacy: LESetEventMask { LESetEventMask(low: 0x0000_0013) }
  /// The same and Extended Advertising Report (12).
  public static var extended: LESetEventMask { LESetEventMask(low: 0x0000_1013) }

  /// The lower half of the mask.
  public init(low: UInt32) { self.low = low }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u32(low)
    packet.zeros(4)
  }
}

/// HCI_Write_LE_Host_Support (7.3.79): tells a controller that also has BR/EDR that its host speaks LE.
public struct WriteLEHostSupport: HCICommand {
  /// 0x0C6D.
  public static var opcode: Opcode { Opcode(0x0C6D) }

  /// The command that says so.
  public init() {}

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u8(1)
    packet.zeros(1)  // Simultaneous_LE_Host: unused, zero
  }
}

/// HCI_LE_Set_Random_Address (7.8.4): refused while advertising (legacy), scanning or initiating.
public struct LESetRandomAddress: HCICommand {
  /// 0x2005.
  public static var opcode: Opcode { Opcode(0x2005) }
  /// The address.
  public let address: DeviceAddress

  /// Sets this address.
  public init(_ address: DeviceAddress) { self.address = address }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) { packet.deviceAddress(address) }
}

/// HCI_LE_Write_Suggested_Default_Data_Length (7.8.35): the longest packets for connections to come.
public struct LEWriteSuggestedDataLength: HCICommand {
  /// 0x2024.
  public static var opcode: Opcode { Opcode(0x2024) }
  /// Payload bytes of a packet, 27…251.
  public let octets: UInt16
  /// Microseconds a packet may take, 328…17,040.
  public let microseconds: UInt16

  /// The longest packets there are, on the 1M PHY: 251 bytes in 2,120 µs.
  public static var longest: LEWriteSuggestedDataLength {
    LEWriteSuggestedDataLength(octets: 251, microseconds: 2120)
  }

  /// Stated one by one.
  public init(octets: UInt16, microseconds: UInt16) {
    self.octets = octets
    self.microseconds = microseconds
  }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u16(octets)
    packet.u16(microseconds)
  }
}
