import HeraldEmbedded

/// A time in units of 0.625 ms, a Bluetooth slot: the unit of advertising and scan timing.
public struct Slots: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The number of slots.
  public let rawValue: UInt16
  /// This many slots.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// As many whole slots as fit into `interval`; 0xFFFF if it is longer than that.
  public init(_ interval: Interval) {
    // 8/5 slots to the millisecond; 40,959 ms is the longest that fits.
    let milliseconds = interval.milliseconds
    rawValue =
      milliseconds >= 40_959 ? .max : UInt16(truncatingIfNeeded: (milliseconds &* 8) / 5)
  }
}

/// What kind of legacy advertising (7.8.5): the Advertising_Type values this host uses.
public enum AdvertisingType: UInt8, BitwiseCopyable, Sendable {
  /// ADV_IND: connectable and scannable.
  case connectable = 0x00
  /// ADV_SCAN_IND: scannable.
  case scannable = 0x02
  /// ADV_NONCONN_IND: neither.
  case nonConnectable = 0x03

  /// The same kind as Advertising_Event_Properties of a legacy PDU (7.8.53).
  public var eventProperties: UInt16 {
    switch self {
    case .connectable: 0x0013
    case .scannable: 0x0012
    case .nonConnectable: 0x0010
    }
  }
}

/// HCI_LE_Set_Advertising_Parameters (7.8.5), on all three channels, for any peer.
public struct LESetAdvertisingParameters: HCICommand {
  /// 0x2006.
  public static var opcode: Opcode { Opcode(0x2006) }
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
    writer.u16(interval.rawValue)
    writer.u16(interval.rawValue)
    writer.u8(type.rawValue)
    writer.u8(ownAddress.rawValue)
    writer.u8(0)  // Peer_Address_Type and Peer_Address: unused
    writer.deviceAddress(.zero)
    writer.u8(0x07)  // channels 37, 38 and 39
    writer.u8(0x00)  // scan and connection requests from all devices
  }
}

/// HCI_LE_Set_Advertising_Enable (7.8.9).
public struct LESetAdvertisingEnable: HCICommand {
  /// 0x200A.
  public static var opcode: Opcode { Opcode(0x200A) }
  /// Whether to advertise.
  public let isOn: Bool

  /// Starts or stops.
  public init(_ isOn: Bool) { self.isOn = isOn }

  /// Appends the parameters.
  @_lifetime(writer: copy writer)
  public func write(into writer: inout ByteWriter) { writer.u8(isOn ? 1 : 0) }
}

/// The legacy commands that set advertising data (7.8.7) and scan response data (7.8.8): same layout.
enum LegacyAdvertisingData {
  static var advertising: Opcode { Opcode(0x2008) }
  static var scanResponse: Opcode { Opcode(0x2009) }

  /// Writes the whole H4 packet: length and 31 bytes, the unused ones zero.
  static func packet(
    _ opcode: Opcode, _ data: Span<UInt8>, into buffer: consuming MutableSpan<UInt8>
  ) -> Int {
    var writer = beginCommand(opcode, in: buffer)
    writer.u8(UInt8(truncatingIfNeeded: data.count))
    writer.bytes(data)
    var index = data.count
    while index < 31 {
      writer.u8(0)
      index &+= 1
    }
    return endCommand(&writer)
  }
}
