import HeraldHAL

/// A received signal strength in dBm, or "not available".
public struct RSSI: Hashable, BitwiseCopyable, Sendable {
  /// dBm, −127…+20, or 127 for "not available": the coding of HCI (Vol 4, Part E, 7.7.65.2).
  public let rawValue: Int8

  /// An RSSI from the value that HCI reports.
  public init(_ rawValue: Int8) { self.rawValue = rawValue }

  /// No RSSI is available.
  public static var notAvailable: RSSI { RSSI(127) }
  /// Whether there is a value.
  public var isAvailable: Bool { rawValue != 127 }
}

/// One connection of the radio: a small number, `0..<capabilities.connections`, reused after the connection
/// closed.
public struct ConnectionID: Hashable, BitwiseCopyable, Sendable {
  /// The number.
  public let index: Int
  /// The connection with this number.
  public init(index: Int) { self.index = index }
}

/// The role of this device on a connection.
public enum ConnectionRole: UInt8, BitwiseCopyable, Sendable {
  /// This device opened the connection.
  case central = 0
  /// The peer opened it, in response to an advertisement.
  case peripheral = 1
}

/// A connection that was opened.
public struct ConnectionOpened: BitwiseCopyable, Sendable {
  /// The number of the connection from now on.
  public let connection: ConnectionID
  /// The role of this device.
  public let role: ConnectionRole
  /// The peer's address as it was on the air.
  public let peer: DeviceAddress

  /// Initialises each member.
  public init(connection: ConnectionID, role: ConnectionRole, peer: DeviceAddress) {
    self.connection = connection
    self.role = role
    self.peer = peer
  }
}

/// The reason why a connection ended or was not opened: an HCI error code (Core Specification, Vol 1, Part
/// F).
public struct DisconnectReason: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The error code.
  public let rawValue: UInt8
  /// The reason with this error code.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Connection Timeout (0x08): the peer is out of range.
  public static var connectionTimeout: Self { Self(rawValue: 0x08) }
  /// Remote User Terminated Connection (0x13).
  public static var remoteUserTerminated: Self { Self(rawValue: 0x13) }
  /// Connection Terminated By Local Host (0x16).
  public static var localHostTerminated: Self { Self(rawValue: 0x16) }
  /// Unknown Connection Identifier (0x02): the result of a cancelled attempt.
  public static var cancelled: Self { Self(rawValue: 0x02) }
  /// Connection Failed to be Established (0x3E).
  public static var failedToBeEstablished: Self { Self(rawValue: 0x3E) }
  /// Connection Rejected due to Limited Resources (0x0D): more connections than slots.
  public static var limitedResources: Self { Self(rawValue: 0x0D) }
}

/// The header of one received advertisement or scan response. Its data is passed separately.
public struct AdvertisingReport: BitwiseCopyable, Sendable {
  /// The sender's address.
  public let address: DeviceAddress
  /// The RSSI.
  public let rssi: RSSI
  /// The kind of packet.
  public let kind: Kind

  /// The properties of the packet, as bits of the extended report's Event_Type (Vol 4, Part E, 7.7.65.13).
  /// Not an `OptionSet`, whose array literal would bring in the allocator.
  public struct Kind: Hashable, BitwiseCopyable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A connection can be opened.
    public static var connectable: Kind { Kind(rawValue: 1) }
    /// The PDU accepts scan requests.
    public static var scannable: Kind { Kind(rawValue: 2) }
    /// The PDU is directed to one device.
    public static var directed: Kind { Kind(rawValue: 4) }
    /// The PDU is a scan response.
    public static var scanResponse: Kind { Kind(rawValue: 8) }
    /// The PDU is a legacy PDU.
    public static var legacy: Kind { Kind(rawValue: 16) }
    /// Whether all properties of `other` are among these.
    public func contains(_ other: Kind) -> Bool { rawValue & other.rawValue == other.rawValue }
    /// The properties of both.
    public func union(_ other: Kind) -> Kind { Kind(rawValue: rawValue | other.rawValue) }
  }

  /// Initialises each member.
  public init(address: DeviceAddress, rssi: RSSI, kind: Kind) {
    self.address = address
    self.rssi = rssi
    self.kind = kind
  }
}

/// The parameters of advertising: legacy advertising on all three channels.
public struct AdvertisingParameters: Equatable, BitwiseCopyable, Sendable {
  /// Milliseconds between advertising events, 20…10,240.
  public var interval: Interval
  /// The own address in the advertisements.
  public var ownAddress: DeviceAddress
  /// Whether peers may connect.
  public var connectable: Bool

  /// Initialises each member.
  public init(ownAddress: DeviceAddress, interval: Interval, connectable: Bool) {
    self.ownAddress = ownAddress
    self.interval = interval
    self.connectable = connectable
  }
}

/// The parameters of scanning.
public struct ScanParameters: Equatable, BitwiseCopyable, Sendable {
  /// Milliseconds from the start of one window to the next, 3…10,240.
  public var interval: Interval
  /// Scan window in ms, 3…`interval`.
  public var window: Interval
  /// The own address in scan requests.
  public var ownAddress: DeviceAddress
  /// Whether to send scan requests.
  public var active: Bool

  /// Initialises each member.
  public init(ownAddress: DeviceAddress, interval: Interval, window: Interval, active: Bool) {
    self.ownAddress = ownAddress
    self.interval = interval
    self.window = window
    self.active = active
  }
}

/// The parameters of a connection attempt.
public struct ConnectionParameters: Equatable, BitwiseCopyable, Sendable {
  /// Connection interval in units of 1.25 ms, 6…3,200.
  public var interval: UInt16
  /// Supervision timeout in units of 10 ms, 10…3,200.
  public var supervisionTimeout: UInt16
  /// The own address in the connection request.
  public var ownAddress: DeviceAddress

  /// Initialises each member; by default 15 ms between connection events, the shortest that iPhones accept,
  /// and a supervision timeout of 4 s.
  public init(ownAddress: DeviceAddress, interval: UInt16 = 12, supervisionTimeout: UInt16 = 400) {
    self.ownAddress = ownAddress
    self.interval = interval
    self.supervisionTimeout = supervisionTimeout
  }
}
