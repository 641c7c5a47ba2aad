/// The return parameters of HCI_Read_Local_Supported_Commands (Vol 4, Part E, 6.27), as far as this host uses
/// them.
public struct SupportedCommands: BitwiseCopyable, Sendable {
  /// Octets 24…37 of the bit field, which contain all bits that are used.
  private var octets: [14 of UInt8]

  /// No command supported.
  public init() { octets = .init(repeating: 0) }

  /// Copies the bit field; bits beyond its end count as not supported.
  public mutating func take(_ bits: Span<UInt8>) {
    for index in 0..<14 { octets[index] = 24 &+ index < bits.count ? bits[unchecked: 24 &+ index] : 0 }
  }

  private func has(_ octet: Int, _ mask: UInt8) -> Bool { octets[octet &- 24] & mask == mask }

  /// HCI_Write_LE_Host_Support (octet 24, bit 6).
  public var writeLEHostSupport: Bool { has(24, 0x40) }
  /// The legacy advertising commands (octet 25, bits 5 and 7; octet 26, bits 0 and 1).
  public var legacyAdvertising: Bool { has(25, 0xA0) && has(26, 0x03) }
  /// The legacy scan commands (octet 26, bits 2 and 3).
  public var legacyScanning: Bool { has(26, 0x0C) }
  /// HCI_LE_Create_Connection (octet 26, bit 4).
  public var createConnection: Bool { has(26, 0x10) }
  /// HCI_LE_Set_Data_Length (octet 33, bit 6).
  public var setDataLength: Bool { has(33, 0x40) }
  /// HCI_LE_Write_Suggested_Default_Data_Length (octet 34, bit 0).
  public var suggestedDataLength: Bool { has(34, 0x01) }
  /// The extended advertising commands (octet 36, bits 1 to 5).
  public var extendedAdvertising: Bool { has(36, 0x3E) }
  /// The extended scan commands (octet 37, bits 5 and 6).
  public var extendedScanning: Bool { has(37, 0x60) }
  /// HCI_LE_Extended_Create_Connection (octet 37, bit 7).
  public var extendedCreateConnection: Bool { has(37, 0x80) }
}

/// The return parameters of HCI_LE_Read_Supported_States (7.8.27).
public struct SupportedStates: BitwiseCopyable, Sendable {
  /// Bits 0…31.
  public let low: UInt32
  /// Bits 32…63.
  public let high: UInt32

  /// No state supported; also used for a controller that does not report its states.
  public static var none: SupportedStates { SupportedStates(low: 0, high: 0) }

  /// The two halves of the bit field.
  public init(low: UInt32, high: UInt32) {
    self.low = low
    self.high = high
  }

  /// Reads the bit field; `nil` if it is too short.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= 8 else { return nil }
    low = UInt32(bytes.u16(unchecked: 0)) | UInt32(bytes.u16(unchecked: 2)) &<< 16
    high = UInt32(bytes.u16(unchecked: 4)) | UInt32(bytes.u16(unchecked: 6)) &<< 16
  }

  private func has(_ bit: UInt32) -> Bool {
    bit < 32 ? low &>> bit & 1 == 1 : high &>> (bit &- 32) & 1 == 1
  }

  /// Connectable advertising (bit 2).
  public var advertising: Bool { has(2) }
  /// Initiating (bit 6).
  public var initiating: Bool { has(6) }
  /// Connectable advertising with a connection in either role (bits 35 and 38).
  public var advertisingWhileConnected: Bool { has(35) && has(38) }
  /// Connectable advertising while initiating (bit 32).
  public var advertisingWhileInitiating: Bool { has(32) }
  /// Passive and active scanning while initiating (bits 22 and 23).
  public var scanningWhileInitiating: Bool { has(22) && has(23) }
}

/// The return parameters of HCI_LE_Read_Buffer_Size [v1] (7.8.2) and HCI_Read_Buffer_Size (7.4.5) for ACL
/// data, host to controller.
public struct ACLBufferSize: BitwiseCopyable, Sendable {
  /// The longest payload of a packet.
  public let length: UInt16
  /// How many packets it holds.
  public let count: UInt16

  /// Reads the LE form; `nil` if it is too short.
  public static func le(_ bytes: Span<UInt8>) -> ACLBufferSize? {
    guard bytes.count >= 3 else { return nil }
    return ACLBufferSize(length: bytes.u16(unchecked: 0), count: UInt16(bytes[unchecked: 2]))
  }

  /// Reads the form that BR/EDR shares; `nil` if it is too short.
  public static func shared(_ bytes: Span<UInt8>) -> ACLBufferSize? {
    guard bytes.count >= 5 else { return nil }
    return ACLBufferSize(length: bytes.u16(unchecked: 0), count: bytes.u16(unchecked: 3))
  }
}
