import HeraldEmbedded

/// What HCI_Read_Local_Supported_Commands tells (Vol 4, Part E, 6.27), as far as it matters here.
public struct SupportedCommands: BitwiseCopyable, Sendable {
  /// HCI_Read_Buffer_Size (octet 14, bit 7).
  public let readBufferSize: Bool
  /// HCI_Write_LE_Host_Support (octet 24, bit 6).
  public let writeLEHostSupport: Bool
  /// The legacy advertising commands (octet 25, bits 5 and 7; octet 26, bits 0 and 1).
  public let legacyAdvertising: Bool
  /// The legacy scan commands (octet 26, bits 2 and 3).
  public let legacyScanning: Bool
  /// HCI_LE_Create_Connection (octet 26, bit 4).
  public let createConnection: Bool
  /// HCI_LE_Set_Data_Length (octet 33, bit 6).
  public let setDataLength: Bool
  /// HCI_LE_Write_Suggested_Default_Data_Length (octet 34, bit 0).
  public let suggestedDataLength: Bool
  /// The extended advertising commands (octet 36, bits 1 to 5).
  public let extendedAdvertising: Bool
  /// The extended scan commands (octet 37, bits 5 and 6).
  public let extendedScanning: Bool
  /// HCI_LE_Extended_Create_Connection (octet 37, bit 7).
  public let extendedCreateConnection: Bool

  /// Reads the bit field; what is missing at its end counts as not supported.
  @_lifetime(reader: copy reader)
  public init(_ reader: inout ByteReader) {
    let bits = reader.rest()
    func has(_ octet: Int, _ mask: UInt8) -> Bool {
      octet < bits.count && bits[octet] & mask == mask
    }
    readBufferSize = has(14, 0x80)
    writeLEHostSupport = has(24, 0x40)
    legacyAdvertising = has(25, 0xA0) && has(26, 0x03)
    legacyScanning = has(26, 0x0C)
    createConnection = has(26, 0x10)
    setDataLength = has(33, 0x40)
    suggestedDataLength = has(34, 0x01)
    extendedAdvertising = has(36, 0x3E)
    extendedScanning = has(37, 0x60)
    extendedCreateConnection = has(37, 0x80)
  }
}

/// What HCI_LE_Read_Supported_States tells (7.8.27).
public struct SupportedStates: BitwiseCopyable, Sendable {
  /// Bits 0…31.
  public let low: UInt32
  /// Bits 32…63.
  public let high: UInt32

  /// None at all, which is what a controller that cannot tell counts as.
  public static var none: SupportedStates { SupportedStates(low: 0, high: 0) }

  /// The two halves of the bit field.
  public init(low: UInt32, high: UInt32) {
    self.low = low
    self.high = high
  }

  /// Reads the bit field; `nil` if it is too short.
  @_lifetime(reader: copy reader)
  public init?(_ reader: inout ByteReader) {
    guard let low = reader.u32(), let high = reader.u32() else { return nil }
    self.init(low: low, high: high)
  }

  private func has(_ bit: UInt32) -> Bool {
    bit < 32 ? low &>> bit & 1 == 1 : high &>> (bit &- 32) & 1 == 1
  }

  /// Connectable advertising (bit 2).
  public var advertising: Bool { has(2) }
  /// Initiating (bit 6).
  public var initiating: Bool { has(6) }
  /// Connectable advertising beside a connection in either role (bits 35 and 38).
  public var advertisingWhileConnected: Bool { has(35) && has(38) }
  /// Connectable advertising while initiating (bit 32).
  public var advertisingWhileInitiating: Bool { has(32) }
  /// Passive and active scanning while initiating (bits 22 and 23).
  public var scanningWhileInitiating: Bool { has(22) && has(23) }
}

/// What HCI_LE_Read_Buffer_Size [v1] (7.8.2) and HCI_Read_Buffer_Size (7.4.5) tell of ACL data, host to controller.
public struct ACLBufferSize: BitwiseCopyable, Sendable {
  /// The longest payload of a packet.
  public let length: UInt16
  /// How many packets it holds.
  public let count: UInt16

  /// Reads the LE form; `nil` if it is too short.
  @_lifetime(reader: copy reader)
  public static func le(_ reader: inout ByteReader) -> ACLBufferSize? {
    guard let length = reader.u16(), let count = reader.u8() else { return nil }
    return ACLBufferSize(length: length, count: UInt16(count))
  }

  /// Reads the form that BR/EDR shares; `nil` if it is too short.
  @_lifetime(reader: copy reader)
  public static func shared(_ reader: inout ByteReader) -> ACLBufferSize? {
    guard let length = reader.u16(), reader.skip(1), let count = reader.u16() else { return nil }
    return ACLBufferSize(length: length, count: count)
  }
}
