import HeraldEmbedded

/// HCI_LE_Set_Extended_Advertising_Parameters [v1] (7.8.53) for advertising set 0 and legacy PDUs.
public struct LESetExtendedAdvertisingParameters: HCICommand {
  /// 0x2036.
  public static var opcode: Opcode { Opcode(0x2036) }
  /// Both ends of the advertising interval.
  public let interval: Slots
  /// The kind of advertising.
  public let type: AdvertisingType
  /// Which own address to show.
  public let ownAddress: DeviceAddress.Kind

  /// Stated one by one.
  public init(interval: Slots, type: AdvertisingType, ownAddress: DeviceAddress.Kind) {
    self.interval = interval
    self.type = type
    self.ownAddress = ownAddress
  }

  /// Appends the parameters.
  @_lifetime(writer: copy writer)
  public func write(into writer: inout ByteWriter) {
    writer.u8(0)  // Advertising_Handle
    writer.u16(type.eventProperties)
    for _ in 0..<2 {  // the interval has three bytes here
      writer.u16(interval.rawValue)
      writer.u8(0)
    }
    writer.u8(0x07)  // channels 37, 38 and 39
    writer.u8(ownAddress.rawValue)
    writer.u8(0)  // Peer_Address_Type and Peer_Address: unused
    writer.deviceAddress(.zero)
    writer.u8(0x00)  // scan and connection requests from all devices
    writer.u8(0x7F)  // no preference for the transmit power
    writer.u8(0x01)  // primary PHY: LE 1M
    writer.u8(0)  // Secondary_Advertising_Max_Skip
    writer.u8(0x01)  // secondary PHY: LE 1M
    writer.u8(0)  // Advertising_SID
    writer.u8(0)  // no Scan Request Received events
  }
}

/// HCI_LE_Set_Advertising_Set_Random_Address (7.8.52) for advertising set 0.
public struct LESetAdvertisingSetRandomAddress: HCICommand {
  /// 0x2035.
  public static var opcode: Opcode { Opcode(0x2035) }
  /// The address.
  public let address: DeviceAddress

  /// Sets this address.
  public init(_ address: DeviceAddress) { self.address = address }

  /// Appends the parameters.
  @_lifetime(writer: copy writer)
  public func write(into writer: inout ByteWriter) {
    writer.u8(0)
    writer.deviceAddress(address)
  }
}

/// HCI_LE_Set_Extended_Advertising_Enable (7.8.56) for advertising set 0, without an end.
public struct LESetExtendedAdvertisingEnable: HCICommand {
  /// 0x2039.
  public static var opcode: Opcode { Opcode(0x2039) }
  /// Whether to advertise.
  public let isOn: Bool

  /// Starts or stops.
  public init(_ isOn: Bool) { self.isOn = isOn }

  /// Appends the parameters.
  @_lifetime(writer: copy writer)
  public func write(into writer: inout ByteWriter) {
    writer.u8(isOn ? 1 : 0)
    writer.u8(1)  // one set:
    writer.u8(0)  // its handle
    writer.u16(0)  // no duration
    writer.u8(0)  // no maximum number of events
  }
}

/// The extended commands that set advertising data (7.8.54) and scan response data (7.8.55): same layout.
enum ExtendedAdvertisingData {
  static var advertising: Opcode { Opcode(0x2037) }
  static var scanResponse: Opcode { Opcode(0x2038) }

  /// Writes the whole H4 packet, for advertising set 0.
  static func packet(
    _ opcode: Opcode, _ data: Span<UInt8>, into buffer: consuming MutableSpan<UInt8>
  ) -> Int {
    var writer = beginCommand(opcode, in: buffer)
    writer.u8(0)  // Advertising_Handle
    writer.u8(0x03)  // all of the data
    writer.u8(0x01)  // do not fragment
    writer.u8(UInt8(truncatingIfNeeded: data.count))
    writer.bytes(data)
    return endCommand(&writer)
  }
}
