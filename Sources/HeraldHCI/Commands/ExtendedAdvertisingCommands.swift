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
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.zeros(1)  // Advertising_Handle
    packet.u16(type.eventProperties)
    packet.u16(interval.rawValue)
    packet.zeros(1)  // the interval has three bytes here
    packet.u16(interval.rawValue)
    packet.zeros(1)
    packet.u8(0x07)  // channels 37, 38 and 39
    packet.u8(ownAddress.rawValue)
    packet.zeros(7)  // Peer_Address_Type and Peer_Address: unused
    packet.zeros(1)  // scan and connection requests from all devices
    packet.u8(0x7F)  // no preference for the transmit power
    packet.u8(0x01)  // primary PHY: LE 1M
    packet.zeros(1)  // Secondary_Advertising_Max_Skip
    packet.u8(0x01)  // secondary PHY: LE 1M
    packet.zeros(1)  // Advertising_SID
    packet.zeros(1)  // no Scan Request Received events
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
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.zeros(1)
    packet.deviceAddress(address)
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
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u8(isOn ? 1 : 0)
    packet.u8(1)  // one set:
    packet.zeros(1)  // its handle
    packet.zeros(2)  // no duration
    packet.zeros(1)  // no maximum number of events
  }
}
