import HeraldEmbedded

/// HCI_LE_Set_Scan_Parameters (7.8.10), for any advertiser.
public struct LESetScanParameters: HCICommand {
  /// 0x200B.
  public static var opcode: Opcode { Opcode(0x200B) }
  /// Whether to send scan requests.
  public let active: Bool
  /// From the start of one window to the next.
  public let interval: Slots
  /// How long to listen in each interval.
  public let window: Slots
  /// Which own address scan requests show.
  public let ownAddress: DeviceAddress.Kind

  /// Stated one by one.
  public init(active: Bool, interval: Slots, window: Slots, ownAddress: DeviceAddress.Kind) {
    self.active = active
    self.interval = interval
    self.window = window
    self.ownAddress = ownAddress
  }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u8(active ? 1 : 0)
    packet.u16(interval.rawValue)
    packet.u16(window.rawValue)
    packet.u8(ownAddress.rawValue)
    packet.zeros(1)  // advertisements of all devices
  }
}

/// HCI_LE_Set_Scan_Enable (7.8.11), duplicates reported.
public struct LESetScanEnable: HCICommand {
  /// 0x200C.
  public static var opcode: Opcode { Opcode(0x200C) }
  /// Whether to scan.
  public let isOn: Bool

  /// Starts or stops.
  public init(_ isOn: Bool) { self.isOn = isOn }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u8(isOn ? 1 : 0)
    packet.zeros(1)  // every advertisement counts: no duplicate filter
  }
}

/// HCI_LE_Set_Extended_Scan_Parameters (7.8.64), on the LE 1M PHY, for any advertiser.
public struct LESetExtendedScanParameters: HCICommand {
  /// 0x2041.
  public static var opcode: Opcode { Opcode(0x2041) }
  /// The same as the legacy parameters.
  public let parameters: LESetScanParameters

  /// The extended form of the legacy parameters.
  public init(_ parameters: LESetScanParameters) { self.parameters = parameters }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u8(parameters.ownAddress.rawValue)
    packet.zeros(1)  // advertisements of all devices
    packet.u8(0x01)  // LE 1M only, for which follow:
    packet.u8(parameters.active ? 1 : 0)
    packet.u16(parameters.interval.rawValue)
    packet.u16(parameters.window.rawValue)
  }
}

/// HCI_LE_Set_Extended_Scan_Enable (7.8.65), duplicates reported, without an end.
public struct LESetExtendedScanEnable: HCICommand {
  /// 0x2042.
  public static var opcode: Opcode { Opcode(0x2042) }
  /// Whether to scan.
  public let isOn: Bool

  /// Starts or stops.
  public init(_ isOn: Bool) { self.isOn = isOn }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u8(isOn ? 1 : 0)
    packet.zeros(1)  // no duplicate filter
    packet.zeros(2)  // no duration
    packet.zeros(2)  // no period
  }
}
