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
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u16(interval.rawValue)
    packet.u16(interval.rawValue)
    packet.u8(type.rawValue)
    packet.u8(ownAddress.rawValue)
    packet.zeros(7)  // Peer_Address_Type and Peer_Address: unused
    packet.u8(0x07)  // channels 37, 38 and 39
    packet.zeros(1)  // scan and connection requests from all devices
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
  @inline(__always)
  public func write(into packet: inout CommandPacket) { packet.u8(isOn ? 1 : 0) }
}

/// The commands that set advertising data (legacy 7.8.7, extended 7.8.54) and scan response data (7.8.8, 7.8.55), each pair
/// with one layout.
enum AdvertisingDataCommand {
  /// Writes the whole H4 packet. Legacy: length and 31 bytes, the unused ones zero. Extended: for advertising set 0, length and
  /// as many bytes.
  @inline(never)
  static func packet(
    _ data: Span<UInt8>, isResponse: Bool, isExtended: Bool, into packet: inout CommandPacket
  ) {
    let opcode: UInt16 = isExtended ? 0x2037 : 0x2008
    packet.begin(Opcode(isResponse ? opcode &+ 1 : opcode))
    if isExtended {
      packet.zeros(1)  // Advertising_Handle
      packet.u8(0x03)  // all of the data
      packet.u8(0x01)  // do not fragment
    }
    packet.u8(UInt8(truncatingIfNeeded: data.count))
    packet.append(data)
    if !isExtended { packet.zeros(UInt8(truncatingIfNeeded: 31 &- data.count)) }
    packet.end()
  }
}
