import HeraldEmbedded

/// The timing of a connection as LE Connection Update and its relatives state it.
public struct ConnectionTiming: Hashable, BitwiseCopyable, Sendable {
  /// Shortest interval between connection events, in units of 1.25 ms, 6…3,200.
  public let intervalMin: UInt16
  /// Longest interval between connection events, in units of 1.25 ms, 6…3,200.
  public let intervalMax: UInt16
  /// How many connection events the peripheral may skip, 0…499.
  public let latency: UInt16
  /// Supervision timeout in units of 10 ms, 10…3,200.
  public let timeout: UInt16

  /// Stated one by one.
  public init(intervalMin: UInt16, intervalMax: UInt16, latency: UInt16, timeout: UInt16) {
    self.intervalMin = intervalMin
    self.intervalMax = intervalMax
    self.latency = latency
    self.timeout = timeout
  }

  /// Whether all are in range and the timeout is longer than twice the longest silence the latency allows
  /// (Vol 3, Part A, 4.20; Vol 4, Part E, 7.8.18).
  public var isValid: Bool {
    guard intervalMin >= 6, intervalMin <= intervalMax, intervalMax <= 3200, latency <= 499,
      timeout >= 10, timeout <= 3200
    else { return false }
    // timeout · 10 ms > (1 + latency) · intervalMax · 1.25 ms · 2, in units of 2.5 ms.
    return UInt32(timeout) &* 4 > (1 &+ UInt32(latency)) &* UInt32(intervalMax)
  }

  @inline(__always)
  func write(into packet: inout CommandPacket) {
    packet.u16(intervalMin)
    packet.u16(intervalMax)
    packet.u16(latency)
    packet.u16(timeout)
    packet.zeros(2)  // Min_CE_Length and Max_CE_Length: no wish
    packet.zeros(2)
  }
}

/// HCI_LE_Create_Connection (7.8.12) to one peer, listening half of the time.
public struct LECreateConnection: HCICommand {
  /// 0x200D.
  public static var opcode: Opcode { Opcode(0x200D) }
  /// Whom to connect to.
  public let peer: DeviceAddress
  /// Which own address to show.
  public let ownAddress: DeviceAddress.Kind
  /// The timing of the connection.
  public let timing: ConnectionTiming

  /// Stated one by one.
  public init(peer: DeviceAddress, ownAddress: DeviceAddress.Kind, timing: ConnectionTiming) {
    self.peer = peer
    self.ownAddress = ownAddress
    self.timing = timing
  }

  /// LE_Scan_Interval and LE_Scan_Window while initiating: 30 ms in every 60 ms, which leaves room for scanning.
  static var scanInterval: UInt16 { 0x0060 }
  static var scanWindow: UInt16 { 0x0030 }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u16(Self.scanInterval)
    packet.u16(Self.scanWindow)
    packet.zeros(1)  // to the peer named here
    packet.u8(peer.kind.rawValue)
    packet.deviceAddress(peer)
    packet.u8(ownAddress.rawValue)
    timing.write(into: &packet)
  }
}

/// HCI_LE_Extended_Create_Connection [v1] (7.8.66) to one peer on the LE 1M PHY.
public struct LEExtendedCreateConnection: HCICommand {
  /// 0x2043.
  public static var opcode: Opcode { Opcode(0x2043) }
  /// The same as the legacy command.
  public let command: LECreateConnection

  /// The extended form of the legacy command.
  public init(_ command: LECreateConnection) { self.command = command }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.zeros(1)  // to the peer named here
    packet.u8(command.ownAddress.rawValue)
    packet.u8(command.peer.kind.rawValue)
    packet.deviceAddress(command.peer)
    packet.u8(0x01)  // LE 1M only, for which follow:
    packet.u16(LECreateConnection.scanInterval)
    packet.u16(LECreateConnection.scanWindow)
    command.timing.write(into: &packet)
  }
}

/// HCI_Disconnect (7.1.6).
public struct Disconnect: HCICommand {
  /// 0x0406.
  public static var opcode: Opcode { Opcode(0x0406) }
  /// Which connection.
  public let handle: ConnectionHandle
  /// What the peer is told: Remote User Terminated Connection (0x13) or one of the few others allowed.
  public let reason: HCIErrorCode

  /// Stated one by one.
  public init(_ handle: ConnectionHandle, reason: HCIErrorCode = .remoteUserTerminated) {
    self.handle = handle
    self.reason = reason
  }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u16(handle.rawValue)
    packet.u8(reason.rawValue)
  }
}

/// HCI_LE_Connection_Update (7.8.18).
public struct LEConnectionUpdate: HCICommand {
  /// 0x2013.
  public static var opcode: Opcode { Opcode(0x2013) }
  /// Which connection.
  public let handle: ConnectionHandle
  /// Its timing from now on.
  public let timing: ConnectionTiming

  /// Stated one by one.
  public init(_ handle: ConnectionHandle, timing: ConnectionTiming) {
    self.handle = handle
    self.timing = timing
  }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u16(handle.rawValue)
    timing.write(into: &packet)
  }
}

/// HCI_LE_Set_Data_Length (7.8.33): the longest packets of one connection, 251 bytes in 2,120 µs.
public struct LESetDataLength: HCICommand {
  /// 0x2022.
  public static var opcode: Opcode { Opcode(0x2022) }
  /// Which connection.
  public let handle: ConnectionHandle

  /// For this connection.
  public init(_ handle: ConnectionHandle) { self.handle = handle }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) {
    packet.u16(handle.rawValue)
    LEWriteSuggestedDataLength.longest.write(into: &packet)
  }
}

/// HCI_Read_RSSI (7.5.4).
public struct ReadRSSI: HCICommand {
  /// 0x1405.
  public static var opcode: Opcode { Opcode(0x1405) }
  /// Which connection.
  public let handle: ConnectionHandle

  /// For this connection.
  public init(_ handle: ConnectionHandle) { self.handle = handle }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) { packet.u16(handle.rawValue) }
}

/// HCI_LE_Long_Term_Key_Request_Negative_Reply (7.8.26): there is no key, encryption does not start.
public struct LELongTermKeyRequestNegativeReply: HCICommand {
  /// 0x201B.
  public static var opcode: Opcode { Opcode(0x201B) }
  /// Which connection.
  public let handle: ConnectionHandle

  /// For this connection.
  public init(_ handle: ConnectionHandle) { self.handle = handle }

  /// Appends the parameters.
  @inline(__always)
  public func write(into packet: inout CommandPacket) { packet.u16(handle.rawValue) }
}
